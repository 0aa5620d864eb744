// `fields=`: selects some members of the response to a GET. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "api/contract/route.hpp"

namespace belfry::api {

using FieldNames = std::set<std::string>;

// Adds the parameter to every native GET that responds with a JSON object or a page of objects. The router applies it.
void add_fields_parameter(Routes& routes);

// Returns the requested members, or nothing for all. For an unknown member, the error suggests the nearest name.
[[nodiscard]] Result<std::optional<FieldNames>> read_fields(const Route& route, const Parameters& query);

// Reduces the response, or the items of a page, to these members. A response other than 200 is not changed.
[[nodiscard]] Response only_fields(const Route& route, const FieldNames& wanted, Response response);

}  // namespace belfry::api
