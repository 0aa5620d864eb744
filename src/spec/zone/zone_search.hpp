// Finds zones by a part of a name, several words, or an offset; common zones come first. Pure except for the zones'
// data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/zone/zone_database.hpp"

namespace belfry::spec {

// Names that contain every word of the query (`new york`, `york`, `america/new`), or whose offset at `now` matches it
// (`utc+3`, `-03:30`). Common zones first, then by name. All names for an empty query.
[[nodiscard]] std::vector<std::string> search_zones(const ZoneDatabase& zones, std::string_view query, Instant now);

// Whether lists show it before the others.
[[nodiscard]] bool is_common_zone(std::string_view name);

// Whether daylight saving time is on: the offset decreases at the next change and returns at the one after. The flags
// of the zone database differ for zones that define winter time as the exception.
[[nodiscard]] bool is_dst(const Zone& zone, Instant instant);

}  // namespace belfry::spec
