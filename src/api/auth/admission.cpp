#include "api/auth/admission.hpp"

#include "api/auth/authorize.hpp"

namespace belfry::api::auth {

Result<model::Principal> Admission::admit(const Request& request, const std::string& tenant, model::Permission permission) {
    if (permission == model::Permission::open) {
        if (auto slow = requests_.take("peer:" + request.peer); !slow) return slow.error();
        return model::Principal{};
    }
    auto principal = access_.authenticate(request);
    if (!principal) return principal;
    // The owner of the machine needs no protection from themselves.
    if (principal->name != kLocalPrincipal) {
        if (auto slow = requests_.take(principal->name); !slow) return slow.error();
    }
    if (auto may = authorize(*principal, tenant, permission); !may) return may.error();
    return principal;
}

Gate Admission::gate() {
    return [this](const Request& request, const Route& route, const std::string& tenant) {
        // A route that forgot to say is for those who may do everything.
        return admit(request, tenant, route.permission.value_or(model::Permission::administer));
    };
}

}  // namespace belfry::api::auth
