// Formats moments for people, always with their zone. Pure.
#pragma once

#include <string>

#include "spec/zone/offset_text.hpp"
#include "spec/zone/zone.hpp"

namespace belfry::app {

// `Sun 8 Mar 2026, 03:00 EDT`; seconds only when there are any.
[[nodiscard]] std::string local_text(Instant instant, const spec::Zone& zone);

using spec::offset_text;

// `in 2 h 14 min`, `3 d ago`: the two largest units.
[[nodiscard]] std::string relative_text(Micros distance);

}  // namespace belfry::app
