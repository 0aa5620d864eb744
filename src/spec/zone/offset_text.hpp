// Formats and parses offsets from UTC. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time/instant.hpp"

namespace belfry::spec {

// `+05:45`, `-00:01:15`
[[nodiscard]] std::string offset_text(Seconds offset);

// Parses `utc+3`, `GMT-03:30`, `+0545`; empty if the text is not an offset.
[[nodiscard]] std::optional<Seconds> parse_offset(std::string_view text);

}  // namespace belfry::spec
