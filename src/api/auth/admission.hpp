// What stands before every route: who asks, how often, and whether they may. Thread-safe.
//
//   Admission admission(access, {.per_second = 1000, .burst = 2000}, clock);
//   Api api(engine, {.gate = admission.gate()});
#pragma once

#include "api/auth/access.hpp"
#include "api/rate_limit.hpp"
#include "api/router.hpp"

namespace belfry::api::auth {

class Admission {
public:
    // `rate` is for each principal. REQUIRES: the access and the clock outlive it.
    Admission(Access& access, Rate rate, const SteadyClock& clock) : access_(access), requests_(rate, clock) {}

    // Whoever asks, once all of it holds; for what is open, nobody in particular. An empty tenant: the route belongs to none.
    // Errors: unauthenticated, forbidden, not_found, exhausted, unavailable.
    [[nodiscard]] Result<model::Principal> admit(const Request& request, const std::string& tenant, model::Permission permission);

    // As a router asks. Borrows this object.
    [[nodiscard]] Gate gate();

private:
    [[nodiscard]] Asker ask(const Request& request, const std::string& tenant, model::Permission permission);

    Access& access_;
    RateLimiter requests_;
};

}  // namespace belfry::api::auth
