// Who asks: decides from what a request shows. Thread-safe.
//
//   Authorization: Bearer bfk_…     an API key          → key:<name>
//   X-API-Key: bfk_…                the same            → key:<name>
//   Authorization: Bearer eyJ…      a token             → user:<sub>
//   a client certificate            verified by TLS     → service:<name>
//
// Nothing that was checked is remembered: a key that is revoked is refused with the next request. A request that shows two
// of these is refused, for nobody could say whom it is from. What a client is told is one sentence, the same for all that is
// wrong; the reason goes to the log. Whoever fails too often is told to wait, and that is not logged. A good credential
// passes even then: those who share an address, behind a proxy, must not lock each other out.
#pragma once

#include <atomic>

#include "api/auth/exposure.hpp"
#include "api/auth/trust.hpp"
#include "api/message.hpp"
#include "api/rate_limit.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "store/registry.hpp"

namespace belfry::api::auth {

inline constexpr const char* kLocalPrincipal = "local";  // whoever is on this machine, while nothing is configured

// A server that was open asks the store for a first key no more often than this: that key closes it so much later.
inline constexpr Micros kOpenFor = Seconds{1};

inline constexpr Rate kFailuresPerPeer{.per_second = 10, .burst = 20};

struct AccessOptions {
    AuthMode mode = AuthMode::automatic;
    bool loopback = true;  // only this machine can reach the server
};

// Where the time comes from: the wall clock for what expires, the steady one for what is remembered.
struct Clocks {
    const Clock& wall;
    const SteadyClock& steady;
};

class Access {
public:
    // REQUIRES: all of them outlive it.
    Access(store::Registry& registry, const Trust& trust, Clocks clocks, const Log& log, AccessOptions options)
        : registry_(registry), trust_(trust), clocks_(clocks), log_(log), options_(options), failures_(kFailuresPerPeer, clocks.steady) {}

    // unauthenticated: nobody whom we know. exhausted: not for the first time. unavailable: the store, or an issuer, cannot be asked just now.
    [[nodiscard]] Result<model::Principal> authenticate(const Request& request);

private:
    [[nodiscard]] Result<model::Principal> without_credential();
    [[nodiscard]] Result<model::Principal> by_key(std::string_view whole);
    [[nodiscard]] Result<model::Principal> by_bearer(std::string_view authorization, const Trusted& trusted);
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
