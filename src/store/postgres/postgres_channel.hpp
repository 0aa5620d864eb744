// Where announcements go.
#pragma once

#include <string_view>

namespace belfry::store::postgres {

// A channel of NOTIFY belongs to one database, so Belfrys in different databases do not hear each other.
inline constexpr std::string_view kChannel = "belfry";

}  // namespace belfry::store::postgres
