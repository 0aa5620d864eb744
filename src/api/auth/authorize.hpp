// Whether somebody who is known may do something. Pure.
#pragma once

#include <string>

#include "model/access.hpp"

namespace belfry::api::auth {

// unauthenticated: nobody in particular asks. not_found: no role in that tenant at all, in words that are the same whether
// or not it exists, so that nobody can find out which there are. forbidden: the roles are not enough; says which would be.
// An empty tenant: the route belongs to none, and roles on every tenant count.
[[nodiscard]] Result<void> authorize(const model::Principal& principal, const std::string& tenant, model::Permission permission);

}  // namespace belfry::api::auth
