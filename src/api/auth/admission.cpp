#include "api/auth/admission.hpp"

#include "api/auth/authorize.hpp"

namespace belfry::api::auth {

Asker Admission::ask(const Request& request, const std::string& tenant, model::Permission permission) {
    if (permission == model::Permission::open) {
        if (auto slow = requests_.take("peer:" + request.peer); !slow) return {.refused = slow.error()};
        return {};
    }
    auto principal = access_.authenticate(request);
    if (!principal) return {.refused = principal.error()};
    Asker asker{.principal = std::move(*principal)};
    // The owner of the machine needs no protection from themselves.
    if (asker.principal.name != kLocalPrincipal) {
        if (auto slow = requests_.take(asker.principal.name); !slow) asker.refused = slow.error();
    }
    if (asker.refused) return asker;
    if (auto may = authorize(asker.principal, tenant, permission); !may) asker.refused = may.error();
    return asker;
}

Result<model::Principal> Admission::admit(const Request& request, const std::string& tenant, model::Permission permission) {
    auto asker = ask(request, tenant, permission);
    if (asker.refused) return *asker.refused;
    return std::move(asker.principal);
}

Gate Admission::gate() {
    return [this](const Request& request, const Route& route, const std::string& tenant) {
        // A route that forgot to say is for those who may do everything.
        return ask(request, tenant, route.permission.value_or(model::Permission::administer));
    };
}

}  // namespace belfry::api::auth
