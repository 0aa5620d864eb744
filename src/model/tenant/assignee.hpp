// A registered assignee: an agent or a team with its limits. Schedules and nodes refer to it by name. An unregistered
// assignee has no limits. Plain data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time/instant.hpp"
#include "model/schedule/credits.hpp"

namespace belfry::model {

enum class AssigneeType : std::uint8_t { agent, team };
[[nodiscard]] std::string_view name_of(AssigneeType type);
[[nodiscard]] Result<AssigneeType> parse_assignee_type(std::string_view text);

// Empty means unlimited.
struct AssigneePolicies {
    std::optional<Credits> spending_limit = {};  // in one run
    std::optional<Credits> credits_per_day = {};
    std::optional<std::int64_t> max_runs_per_day = {};
    std::optional<std::int64_t> max_tokens = {};               // in one run
    std::optional<std::int64_t> max_tool_calls = {};           // in one run
    std::optional<std::vector<std::string>> allow_tools = {};  // empty: all tools
    friend bool operator==(const AssigneePolicies&, const AssigneePolicies&) = default;
};

struct AssigneeRecord {
    std::string id;
    AssigneeType type = AssigneeType::agent;
    std::string display_name = {};
    AssigneePolicies policies = {};
    Instant created_at = {};
    std::int64_t version = 1;
    friend bool operator==(const AssigneeRecord&, const AssigneeRecord&) = default;
};

// A day in UTC.
using Day = std::chrono::sys_days;
[[nodiscard]] inline Day day_of(Instant instant) { return std::chrono::floor<std::chrono::days>(instant); }

// How much of an assignee's budget the runs of one day have taken. A run counts on the day of its dispatch.
struct BudgetDay {
    std::int64_t runs = 0;
    Credits reserved = {};  // for runs in flight
    Credits spent = {};     // by runs that have ended
    friend bool operator==(const BudgetDay&, const BudgetDay&) = default;
};

// A run's reservation of a budget. When the run ends, the store releases the reservation and charges the actual
// usage.
struct Reservation {
    std::string assignee;
    Day day = {};
    std::optional<Credits> cap = {};  // empty: the run is unlimited, and nothing is reserved
    [[nodiscard]] Credits reserved() const { return cap.value_or(Credits{}); }
    friend bool operator==(const Reservation&, const Reservation&) = default;
};

}  // namespace belfry::model
