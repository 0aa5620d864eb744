// Usage of an attempt, a node or a run, as workers report it. Plain data.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "model/schedule/credits.hpp"

namespace belfry::model {

inline constexpr std::size_t kToolsMax = 100;                     // names in one report
inline constexpr std::int64_t kUsageMax = 1'000'000'000'000'000;  // tokens or tool calls in one report

struct Usage {
    Credits credits = {};
    std::int64_t tokens = 0;
    std::int64_t tool_calls = 0;
    std::set<std::string> tools = {};  // names of the called tools

    // Adds the usage of another attempt.
    Usage& operator+=(const Usage& other);
    friend bool operator==(const Usage&, const Usage&) = default;
};

// An attempt's usage after a report. Reports are cumulative: a late report with lower numbers does not reduce the
// usage.
[[nodiscard]] Usage raised(Usage known, const Usage& report);

}  // namespace belfry::model
