// Finding a zone by what people type: part of a name, words of it, or an offset; the zones that most people mean come first.
// Pure but for the zones' data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/zone_database.hpp"

namespace belfry::spec {

// Names in which every word of the query occurs (`new york`, `york`, `america/new`), or whose offset at `now` is the one
// asked for (`utc+3`, `-03:30`). Common zones first, then by name. All for an empty query.
[[nodiscard]] std::vector<std::string> search_zones(const ZoneDatabase& zones, std::string_view query, Instant now);

// Whether a list shows it above the others.
[[nodiscard]] bool is_common_zone(std::string_view name);

// Whether daylight saving time is on: the offset goes down with the next change and comes back with the one after. The flags of the
// zone database say something else for zones that call winter time the exception.
[[nodiscard]] bool is_dst(const Zone& zone, Instant instant);

}  // namespace belfry::spec
