// What a run may use, and the first limit that it goes beyond. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/instant.hpp"
#include "model/assignee.hpp"
#include "model/usage.hpp"

namespace belfry::decide {

// Of every run of the server, by its settings.
struct RunCaps {
    Micros timeout = std::chrono::hours{7 * 24};  // of a run whose workflow says nothing
    std::optional<std::int64_t> tokens = {};
    std::optional<std::int64_t> tool_calls = {};
    std::optional<std::chrono::milliseconds> task_timeout = {};  // of an attempt whose node, retry policy and schedule say nothing
    friend bool operator==(const RunCaps&, const RunCaps&) = default;
};

// What a run has used, and whose limits count. Gathered when an attempt ends or reports.
struct Spending {
    model::Usage others = {};                            // of the run, without the attempt
    model::Usage attempt = {};                           // with what it reports now
    std::optional<model::AssigneeRecord> assignee = {};  // who has the attempt, when it is registered
    std::optional<model::Reservation> reservation = {};  // of the run
    [[nodiscard]] model::Usage used() const;             // by the whole run
};

struct TrippedLimit {
    std::string limit;          // by the name of the policy or the setting: `spendingLimitCredits`, `run_tokens_max`
    std::string assignee = {};  // whose it is; empty: the server's
    Json allowed = nullptr;
    Json used = nullptr;
    std::string tool = {};  // the first that is not allowed
    friend bool operator==(const TrippedLimit&, const TrippedLimit&) = default;
};

// In this order: credits, tokens, tool calls, tools; the assignee's before the server's. Using all of it is allowed.
[[nodiscard]] std::optional<TrippedLimit> first_tripped(const Spending& spending, const RunCaps& caps);

// For events and answers, and in words.
[[nodiscard]] Json to_json(const TrippedLimit& tripped);
[[nodiscard]] std::string describe(const TrippedLimit& tripped);

}  // namespace belfry::decide
