// Everything that a decision may read. The store reads it in the transaction that will apply the plan. Plain data.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "decide/schedule/compiled_schedule.hpp"
#include "decide/schedule/limits.hpp"
#include "model/run/approval.hpp"
#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::decide {

struct InFlightRun {
    std::string id;
    model::RunSlot slot;
    friend bool operator==(const InFlightRun&, const InFlightRun&) = default;
};

// A buffered run.
struct BufferedRun {
    model::RunSlot slot;
    Json input = nullptr;  // from the caller; null: the schedule's, chosen at dispatch
    friend bool operator==(const BufferedRun&, const BufferedRun&) = default;
};

// Dispatch can be switched off for the whole server, a tenant or a queue.
struct DispatchSwitches {
    bool server = true;
    bool tenant = true;
    bool queue = true;
    [[nodiscard]] bool all() const { return server && tenant && queue; }
};

// The daily limits of the schedule's assignee, and today's usage.
struct AssigneeBudget {
    std::string id;
    model::AssigneePolicies policies = {};
    model::BudgetDay today = {};
};

// The remaining budget; an empty member means no limit.
struct Budget {
    // The tenant has dispatched so many of so many runs on that day.
    void limit_runs(std::int64_t most, std::int64_t used, Instant now) {
        runs_left_today = std::max<std::int64_t>(0, most - used);
        runs_per_day = most;
        runs_today = used;
        runs_reset_at = std::chrono::floor<std::chrono::days>(now) + std::chrono::days{1};
    }

    std::optional<std::int64_t> runs_left_today = {};  // of the tenant
    std::int64_t runs_per_day = 0;                     // the limit
    std::int64_t runs_today = 0;                       // used of it
    Instant runs_reset_at = {};                        // when the day ends, by UTC
    std::optional<AssigneeBudget> assignee = {};       // if the schedule names a registered one
};

// Whether the target can be started.
struct TargetCheck {
    enum class Verdict : std::uint8_t { ok, not_found, cycle };
    Verdict verdict = Verdict::ok;
    std::string detail = {};  // the missing name, or the path of the cycle
};

struct Facts {
    CompiledPtr schedule;
    model::ScheduleState state;
    std::vector<InFlightRun> in_flight = {};  // oldest first; only cancel_other and terminate_other read it
    std::vector<BufferedRun> buffered = {};   // all of them, oldest first
    // Slots of this schedule with a row: from the cursor on for a tick, in its range for a backfill.
    std::vector<model::RunSlot> taken = {};
    std::vector<model::RunSlot> skipped = {};                      // of `taken`: a backfill may still run them
    std::vector<model::RunSlot> failed = {};                       // of `taken`: the runs failed or timed out
    std::optional<model::Run> run = {};                            // the run of the request
    model::DefinitionPtr run_definition = {};                      // that decided it; null: the current one
    std::optional<model::WorkflowAssignment> run_assignment = {};  // that `run_definition` names
    model::WorkflowPtr run_workflow = {};                          // the workflow of `run` when it is approved
    TargetCheck run_target = {};                                   // whether that still exists
    std::optional<model::WorkflowRun> workflow_run = {};           // the nodes of `run`, if it has any
    std::vector<model::Approval> approvals = {};                   // of `run`, oldest first, if the request needs them
    // The node whose attempt has ended: it is running and counts that attempt.
    std::string node = {};
    bool handed_over = false;          // the attempt was delivered, or was about to be
    model::WorkflowPtr workflow = {};  // of a new run; null: a single task
    // Of the run of the same target that ended last, for any cause.
    Json prior_run_result = nullptr;
    RunStats last_24h = {};  // of the same target, with this schedule's runs in flight
    Json signal_result = nullptr;
    DispatchSwitches switches = {};
    Budget budget = {};
    Spending spending = {};  // of `run`
    RunCaps caps = {};
    TargetCheck target = {};
    std::string default_connection = {};  // the server's default destination for tasks

    // A run keeps the definition that decided it: everything about `run` uses this one.
    [[nodiscard]] const model::Schedule& definition_of_run() const {
        return run_definition ? *run_definition : schedule->definition;
    }
};

// Bounds of one decision. The settings of the same names set the first two.
struct Limits {
    int catchup_per_tick = 100;      // MAX_CATCHUP_PER_TICK: delays, never drops
    Micros lookahead = Seconds{60};  // LOOKAHEAD_MS: the time over which `spread` distributes
};

inline constexpr int kMaxBackfillMax = 10'000;          // the maximum of maxBackfill
inline constexpr std::int64_t kRangeCountMax = 10'000;  // the maximum count of a skipped range's occurrences
inline constexpr std::size_t kLastErrorMax = 1'000;     // bytes of an error: every fire writes the schedule's row
inline constexpr int kBufferMax = 10'000;               // buffer_all has no limit of its own

}  // namespace belfry::decide
