// The auth_file: whom the server trusts besides API keys. docs/operating/security.md shows an example.
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

// What issuers with a jwks_url need to fetch their keys.
struct TrustTools {
    api::auth::Fetch fetch = {};  // empty: the file is rejected if it has such issuers
    const SteadyClock& clock;
    const Log& log;
    api::auth::Background background = {};  // runs a fetch that a request needs
};

// Errors name the file, the line, the member and the fix, and reveal no secret. Fetched key sets are taken over from
// `before`, so that a reload keeps them. This function fetches nothing.
[[nodiscard]] Result<LoadedTrust> load_auth_file(const std::string& path, const TrustTools& tools,
                                                 const api::auth::Trusted& before = {});

// The auth_file of a server. The server reads it at startup and on SIGHUP. One thread at a time may call it.
class AuthFile {
public:
    // An empty path means no file. REQUIRES: `trust` and the references in `tools` outlive it.
    AuthFile(std::string path, TrustTools tools, api::auth::Trust& trust)
        : path_(std::move(path)), tools_(std::move(tools)), trust_(trust) {}

    // Replaces the trusted issuers and certificates with those in the file, and fetches their keys. An error changes
    // nothing.
    [[nodiscard]] Result<void> load();
    // Does the same, but logs an error.
    void reload();

private:
    const std::string path_;
    const TrustTools tools_;
    api::auth::Trust& trust_;
};

}  // namespace belfry::app
