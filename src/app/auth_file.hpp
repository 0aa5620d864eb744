// The auth_file: whom the server trusts beside API keys. docs/operating/security.md shows one.
//
//   [[issuer]]
//   issuer = "https://login.example.org"
//   audience = "belfry"
//   algorithm = "RS256"
//   jwks_url = "https://login.example.org/keys"      or key_file, secret_file, jwks_file, relative to this file
//
//   [[client]]
//   san = "DNS:worker.example.org"
//   name = "worker"
//   [client.roles]
//   default = ["worker"]
#pragma once

#include <string>
#include <vector>

#include "api/auth/trust.hpp"

namespace belfry::app {

struct LoadedTrust {
    api::auth::Trusted trusted;
    std::vector<std::string> warnings;
};

// What issuers with a jwks_url need.
struct TrustTools {
    api::auth::Fetch fetch = {};  // empty: such issuers are refused
    const SteadyClock& clock;
    const Log& log;
};

// Errors name the file, the line, the member and the fix, and nothing of a secret. Key sets that are fetched are taken over
// from `before`, so that one which was read stays. Nothing is fetched here.
[[nodiscard]] Result<LoadedTrust> load_auth_file(const std::string& path, const TrustTools& tools, const api::auth::Trusted& before = {});

// The auth_file of a server, read at its start and again whenever somebody asks. Called by one thread at a time.
class AuthFile {
public:
    // An empty path: there is none. REQUIRES: the trust and what the tools borrow outlive it.
    AuthFile(std::string path, TrustTools tools, api::auth::Trust& trust) : path_(std::move(path)), tools_(std::move(tools)), trust_(trust) {}

    // Trusts those who stand in it from now on, and nobody else; fetches their keys. An error changes nothing.
    [[nodiscard]] Result<void> load();
    // The same; an error is logged.
    void reload();

private:
    const std::string path_;
    const TrustTools tools_;
    api::auth::Trust& trust_;
};

}  // namespace belfry::app
