// What an attempt, a node or a run has used, as its workers report it. Plain data.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "model/credits.hpp"

namespace belfry::model {

inline constexpr std::size_t kToolsMax = 100;                     // names in one report
inline constexpr std::int64_t kUsageMax = 1'000'000'000'000'000;  // tokens or tool calls in one report

struct Usage {
    Credits credits = {};
    std::int64_t tokens = 0;
    std::int64_t tool_calls = 0;
    std::set<std::string> tools = {};  // names of those that were called

    // Adds what somebody else has used.
    Usage& operator+=(const Usage& other);
    friend bool operator==(const Usage&, const Usage&) = default;
};

// What an attempt has used after a report. Reports are cumulative, and one that comes late or says less takes nothing back.
[[nodiscard]] Usage raised(Usage known, const Usage& report);

}  // namespace belfry::model
