// What a run may use, and the first limit that it exceeds. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/time/instant.hpp"
#include "model/run/usage.hpp"
#include "model/tenant/assignee.hpp"

namespace belfry::decide {

// Limits of every run of the server, from its settings.
struct RunCaps {
    Micros timeout = std::chrono::hours{7 * 24};  // of a run whose workflow sets none
    std::optional<std::int64_t> tokens = {};
    std::optional<std::int64_t> tool_calls = {};
    // Of an attempt without a timeout in its node, retry policy and schedule.
    std::optional<std::chrono::milliseconds> task_timeout = {};
    friend bool operator==(const RunCaps&, const RunCaps&) = default;
};

// What a run has used, and whose limits apply. Read when an attempt ends or reports.
struct Spending {
    model::Usage others = {};                            // of the run, without the attempt
    model::Usage attempt = {};                           // including the current report
    std::optional<model::AssigneeRecord> assignee = {};  // of the attempt, if registered
    std::optional<model::Reservation> reservation = {};  // of the run
    [[nodiscard]] model::Usage used() const;             // by the whole run
};

struct TrippedLimit {
    std::string limit;          // the policy or setting: `spendingLimitCredits`, `run_tokens_max`
    std::string assignee = {};  // the owner; empty: the server
    Json allowed = nullptr;
    Json used = nullptr;
    std::string tool = {};  // the first that is not allowed
    friend bool operator==(const TrippedLimit&, const TrippedLimit&) = default;
};

// In this order: credits, tokens, tool calls, tools; the assignee's before the server's. Reaching a limit exactly is
// allowed.
[[nodiscard]] std::optional<TrippedLimit> first_tripped(const Spending& spending, const RunCaps& caps);

// For events and responses, and as text.
[[nodiscard]] Json to_json(const TrippedLimit& tripped);
[[nodiscard]] std::string describe(const TrippedLimit& tripped);

}  // namespace belfry::decide
