// Everything a decision may know. The store gathers it in the transaction that will apply the plan. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/compiled_schedule.hpp"
#include "decide/limits.hpp"
#include "model/approval.hpp"
#include "model/node.hpp"
#include "model/run.hpp"
#include "model/schedule.hpp"

namespace belfry::decide {

struct InFlightRun {
    std::string id;
    model::RunSlot slot;
    friend bool operator==(const InFlightRun&, const InFlightRun&) = default;
};

// A row that waits for its turn.
struct BufferedRun {
    model::RunSlot slot;
    Json input = nullptr;  // what its caller gave; null: the schedule's, chosen when it is dispatched
    friend bool operator==(const BufferedRun&, const BufferedRun&) = default;
};

// Dispatch can be switched off for the whole server, a tenant or a queue.
struct DispatchSwitches {
    bool server = true;
    bool tenant = true;
    bool queue = true;
    [[nodiscard]] bool all() const { return server && tenant && queue; }
};

// What the schedule's assignee may use in a day, and what of it is taken.
struct AssigneeBudget {
    std::string id;
    model::AssigneePolicies policies = {};
    model::BudgetDay today = {};
};

// What is left to spend; nothing means no limit.
struct Budget {
    std::optional<std::int64_t> runs_left_today = {};  // of the tenant
    std::optional<AssigneeBudget> assignee = {};       // when the schedule names one that is registered
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
    std::vector<InFlightRun> in_flight = {};   // oldest first; only cancel_other and terminate_other look at it
    std::vector<BufferedRun> buffered = {};    // all of them, oldest first
    std::vector<model::RunSlot> taken = {};    // slots of this schedule with a row: from the cursor on for a tick, in its range for a backfill
    std::vector<model::RunSlot> skipped = {};  // those of `taken` that were skipped: a backfill may still run their occurrences
    std::vector<model::RunSlot> failed = {};   // those of `taken` whose runs have failed or timed out
    std::optional<model::Run> run = {};        // the one that the request is about
    model::DefinitionPtr run_definition = {};  // by which that one was decided; null: by the one in force
    std::optional<model::WorkflowAssignment> run_assignment = {};  // that `run_definition` names
    model::WorkflowPtr run_workflow = {};                          // what that one walks when it is approved
    TargetCheck run_target = {};                                   // whether that is still there
    std::optional<model::Walk> walk = {};                          // its nodes, when it has any
    std::vector<model::Approval> approvals = {};                   // of that run, when the request is about it: oldest first
    std::string node = {};                                         // the one whose attempt has ended: it is running, and counts that attempt
    bool handed_over = false;                                      // that attempt was another system's, or on its way there
    model::WorkflowPtr workflow = {};                              // what a new run would walk; null: a single task
    Json prior_run_result = nullptr;                               // of the run of the same target that ended last, whatever started it
    RunStats last_24h = {};                                        // of the same target, with the schedule's own runs in flight
    Json signal_result = nullptr;
    DispatchSwitches switches = {};
    Budget budget = {};
    Spending spending = {};  // of `run`
    RunCaps caps = {};
    TargetCheck target = {};
    std::string default_connection = {};  // of the server: where tasks go when nobody says it

    // A run keeps what it was decided by: all that concerns `run` is looked up here.
    [[nodiscard]] const model::Schedule& definition_of_run() const { return run_definition ? *run_definition : schedule->definition; }
};

// Bounds on one decision. The settings of the same names set the first two.
struct Limits {
    int catchup_per_tick = 100;      // MAX_CATCHUP_PER_TICK: paces, never drops
    Micros lookahead = Seconds{60};  // LOOKAHEAD_MS: what `spread` spreads over
};

inline constexpr int kMaxBackfillMax = 10'000;          // the most that maxBackfill may say
inline constexpr std::int64_t kRangeCountMax = 10'000;  // how far the occurrences of a skipped range are counted
inline constexpr std::size_t kLastErrorMax = 1'000;     // of an error's text, in the row that every fire writes
inline constexpr int kBufferMax = 10'000;               // buffer_all has no cap of its own

}  // namespace belfry::decide
