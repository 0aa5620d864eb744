// Authenticates requests by their credentials. Thread-safe.
//
//   Authorization: Bearer bfk_…     an API key          → key:<name>
//   X-API-Key: bfk_…                the same            → key:<name>
//   Authorization: Bearer eyJ…      a token             → user:<sub>@<issuer>
//   a client certificate            verified by TLS     → service:<name>
//
// Results are not cached: a revoked key is rejected with the next request. A request with two credentials is rejected,
// because its sender would be ambiguous. Clients get the same generic error for every failure; the reason goes to the
// log. A peer with too many failures must wait, and those rejections are not logged. A valid credential is accepted
// even then, because peers that share an address behind a proxy must not lock each other out.
//
// A server that only this machine can reach, without a key and an auth_file, is open: every caller is its owner, and
// credentials are ignored. Such a server rejects requests that came through a proxy, because they may come from
// anywhere.
#pragma once

#include <atomic>

#include "api/auth/exposure.hpp"
#include "api/auth/trust.hpp"
#include "api/http/message.hpp"
#include "api/http/rate_limit.hpp"
#include "base/log.hpp"
#include "base/time/clock.hpp"
#include "store/registry.hpp"

namespace belfry::api::auth {

inline constexpr const char* kLocalPrincipal = "local";  // every caller on this machine, while nothing is configured

// An open server checks the store for a first key at most this often, so the first key closes it after at most this
// long.
inline constexpr Micros kOpenFor = Seconds{1};

inline constexpr Rate kFailuresPerPeer{.per_second = 10, .burst = 20};

struct AccessOptions {
    AuthMode mode = AuthMode::automatic;
    bool loopback = true;  // only this machine can reach the server
};

// The wall clock decides what has expired, the steady clock how long results are cached.
struct Clocks {
    const Clock& wall;
    const SteadyClock& steady;
};

class Access {
public:
    // REQUIRES: all of them outlive it.
    Access(store::Registry& registry, const Trust& trust, Clocks clocks, const Log& log, AccessOptions options)
        : registry_(registry),
          trust_(trust),
          clocks_(clocks),
          log_(log),
          options_(options),
          failures_(kFailuresPerPeer, clocks.steady) {}

    // Errors: unauthenticated: the credential is missing or invalid. exhausted: too many failures. unavailable: the
    // store or an issuer cannot be reached. forbidden: the request came through a proxy to an open server.
    [[nodiscard]] Result<model::Principal> authenticate(const Request& request);

    // The same where authentication is optional. Does not query the store for a request without a credential, because
    // probes have short timeouts.
    [[nodiscard]] std::optional<model::Principal> recognize(const Request& request);

    // Whether every caller is the owner.
    [[nodiscard]] Result<bool> is_open();

private:
    [[nodiscard]] bool may_be_open() const;  // as far as known without the store
    [[nodiscard]] Result<model::Principal> by_key(std::string_view whole);
    [[nodiscard]] Result<model::Principal> by_bearer(std::string_view authorization, const Trusted& trusted);
    // An API key or a token.
    [[nodiscard]] Result<model::Principal> by_credential(std::string_view credential, const Trusted& trusted);
    // Whether there is, or ever was, an API key.
    [[nodiscard]] Result<bool> any_key();

    store::Registry& registry_;
    const Trust& trust_;
    const Clocks clocks_;
    const Log& log_;
    const AccessOptions options_;
    RateLimiter failures_;
    std::atomic<bool> seen_key_ = false;
    std::atomic<std::int64_t> open_until_us_ = 0;  // of the steady clock
};

}  // namespace belfry::api::auth
