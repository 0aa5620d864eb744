// JSON Merge Patch (RFC 7386). Pure.
#pragma once

#include "base/text/json.hpp"

namespace belfry {

// Merges objects member by member; null removes a member, and any other value replaces it.
void merge_patch(Json& target, const Json& patch);

}  // namespace belfry
