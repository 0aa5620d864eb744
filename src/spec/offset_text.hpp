// Offsets from UTC as text, both ways. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/instant.hpp"

namespace belfry::spec {

// `+05:45`, `-00:01:15`
[[nodiscard]] std::string offset_text(Seconds offset);

// What people type: `utc+3`, `GMT-03:30`, `+0545`. Nothing when it is no offset.
[[nodiscard]] std::optional<Seconds> parse_offset(std::string_view text);

}  // namespace belfry::spec
