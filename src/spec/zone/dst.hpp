// What a cron expression does at clock changes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::spec {

// For a local time that does not exist.
enum class GapRule : std::uint8_t {
    shift,  // runs once, at the first instant after the gap
    skip,   // does not run
};

// For a local time that happens twice.
enum class RepeatRule : std::uint8_t {
    automatic,  // `auto`: both times for a wildcard expression, the first time for any other
    first,
    last,
    both,
};

struct DstRules {
    GapRule gap = GapRule::shift;
    RepeatRule repeat = RepeatRule::automatic;
    friend bool operator==(const DstRules&, const DstRules&) = default;
};

[[nodiscard]] std::string_view name_of(GapRule rule);
[[nodiscard]] std::string_view name_of(RepeatRule rule);
[[nodiscard]] Result<GapRule> parse_gap_rule(std::string_view text);
[[nodiscard]] Result<RepeatRule> parse_repeat_rule(std::string_view text);

}  // namespace belfry::spec
