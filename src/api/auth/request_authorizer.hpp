// Decides about every request before its route handles it: authentication, rate limit and permission. Thread-safe.
//
//   RequestAuthorizer authorizer(access, {.per_second = 1000, .burst = 2000}, clock);
//   Api api(engine, {.gate = authorizer.gate()});
#pragma once

#include "api/auth/access.hpp"
#include "api/contract/batch.hpp"
#include "api/contract/router.hpp"
#include "api/http/rate_limit.hpp"
#include "api/telemetry/readiness.hpp"

namespace belfry::api::auth {

class RequestAuthorizer {
public:
    // `rate` applies to each principal. REQUIRES: the access and the clock outlive it.
    RequestAuthorizer(Access& access, Rate rate, const SteadyClock& clock) : access_(access), requests_(rate, clock) {}

    // Returns the principal if all checks pass; for an open permission, an empty one. An empty tenant means that the
    // route belongs to none. Errors: unauthenticated, forbidden, not_found, exhausted, unavailable.
    [[nodiscard]] Result<model::Principal> admit(const Request& request, const std::string& tenant,
                                                 model::Permission permission);

    // The check for a router. It refers to this object.
    [[nodiscard]] AccessCheck gate();

    // Counts the items of a request. Like gate(), it refers to this object.
    [[nodiscard]] ItemCharge charge();

    // How much of the server's health this caller may see.
    [[nodiscard]] HealthDetail health_detail(const Request& request);

private:
    [[nodiscard]] AccessDecision ask(const Request& request, const std::string& tenant, model::Permission permission);

    Access& access_;
    RateLimiter requests_;
};

}  // namespace belfry::api::auth
