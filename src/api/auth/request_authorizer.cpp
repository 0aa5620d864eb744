#include "api/auth/request_authorizer.hpp"

#include "api/auth/authorize.hpp"

namespace belfry::api::auth {

AccessDecision RequestAuthorizer::ask(const Request& request, const std::string& tenant, model::Permission permission) {
    if (permission == model::Permission::open) {
        if (auto slow = requests_.take("peer:" + request.peer); !slow) return {.refused = slow.error()};
        return {};
    }
    auto principal = access_.authenticate(request);
    if (!principal) return {.refused = principal.error()};
    AccessDecision decision{.principal = std::move(*principal)};
    // The owner of the machine has no rate limit.
    if (decision.principal.name != kLocalPrincipal) {
        if (auto slow = requests_.take(decision.principal.name); !slow) decision.refused = slow.error();
    }
    if (decision.refused) return decision;
    if (auto may = authorize(decision.principal, tenant, permission); !may) decision.refused = may.error();
    return decision;
}

Result<model::Principal> RequestAuthorizer::admit(const Request& request, const std::string& tenant,
                                                  model::Permission permission) {
    auto decision = ask(request, tenant, permission);
    if (decision.refused) return *decision.refused;
    return std::move(decision.principal);
}

HealthDetail RequestAuthorizer::health_detail(const Request& request) {
    const auto principal = access_.recognize(request);
    const bool reads_all = principal && permits(principal->roles, model::kEveryTenant, model::Permission::read);
    return reads_all ? HealthDetail::server : HealthDetail::none;
}

ItemCharge RequestAuthorizer::charge() {
    return [this](const model::Principal& principal, std::size_t more) {
        if (principal.name != kLocalPrincipal) requests_.charge(principal.name, more);
    };
}

AccessCheck RequestAuthorizer::gate() {
    return [this](const Request& request, const Route& route, const std::string& tenant) {
        // A route without a permission requires the highest one.
        return ask(request, tenant, route.permission.value_or(model::Permission::administer));
    };
}

}  // namespace belfry::api::auth
