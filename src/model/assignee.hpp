// A registered assignee: an agent or a team, by the name that schedules and nodes use, with what it may use. One that nobody
// has registered has no limits. Plain data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.hpp"
#include "base/result.hpp"
#include "model/credits.hpp"

namespace belfry::model {

enum class AssigneeType : std::uint8_t { agent, team };
[[nodiscard]] std::string_view name_of(AssigneeType type);
[[nodiscard]] Result<AssigneeType> parse_assignee_type(std::string_view text);

// Nothing means no limit.
struct AssigneePolicies {
    std::optional<Credits> spending_limit = {};  // in one run
    std::optional<Credits> credits_per_day = {};
    std::optional<std::int64_t> max_runs_per_day = {};
    std::optional<std::int64_t> max_tokens = {};               // in one run
    std::optional<std::int64_t> max_tool_calls = {};           // in one run
    std::optional<std::vector<std::string>> allow_tools = {};  // nothing: all of them
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

// A day of UTC.
using Day = std::chrono::sys_days;
[[nodiscard]] inline Day day_of(Instant instant) { return std::chrono::floor<std::chrono::days>(instant); }

// What the runs of one day have taken of an assignee's budget. A run counts on the day that it was dispatched.
struct BudgetDay {
    std::int64_t runs = 0;
    Credits reserved = {};  // for runs in flight
    Credits spent = {};     // by runs that have ended
    friend bool operator==(const BudgetDay&, const BudgetDay&) = default;
};

// What a run in flight holds of a budget. Its end gives back what was reserved and charges what was used.
struct Reservation {
    std::string assignee;
    Day day = {};
    std::optional<Credits> cap = {};  // nothing: the run may use what it likes, and nothing was reserved
    [[nodiscard]] Credits reserved() const { return cap.value_or(Credits{}); }
    friend bool operator==(const Reservation&, const Reservation&) = default;
};

}  // namespace belfry::model
