// Decides whether an authenticated principal may do something. Pure.
#pragma once

#include <string>

#include "model/tenant/access.hpp"

namespace belfry::api::auth {

// Errors: unauthenticated: there is no principal. not_found: the principal has no role in that tenant. The message is
// the same whether or not the tenant exists, so that a caller cannot find out which tenants exist. forbidden: the roles
// are not sufficient; the message names those that are. An empty tenant means that the route belongs to none, and only
// roles on every tenant count.
[[nodiscard]] Result<void> authorize(const model::Principal& principal, const std::string& tenant,
                                     model::Permission permission);

}  // namespace belfry::api::auth
