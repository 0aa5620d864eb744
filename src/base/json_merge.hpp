// Changes to JSON as JSON: RFC 7386. Pure.
#pragma once

#include "base/json.hpp"

namespace belfry {

// Objects are merged member by member, null removes a member, anything else replaces what is there.
void merge_patch(Json& target, const Json& patch);

}  // namespace belfry
