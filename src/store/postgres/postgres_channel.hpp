// The channel for notifications.
#pragma once

#include <string_view>

namespace belfry::store::postgres {

// A NOTIFY channel belongs to one database, so Belfry clusters in different databases do not notify each other.
inline constexpr std::string_view kChannel = "belfry";

}  // namespace belfry::store::postgres
