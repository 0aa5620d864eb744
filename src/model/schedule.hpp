// A schedule: when (spec), what (target), how (policies) and its gates. Plain data.
//
// The definition is what people write; it changes rarely and carries a version. The state is what firing changes; it is
// narrow on purpose, because it is written at every fire.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/policy.hpp"
#include "spec/spec.hpp"

namespace belfry::model {

// Marks the schedule of a start without one (docs/adr/0015-immediate-starts.md): the value is `workflow` or `task`.
inline constexpr const char* kImmediateLabel = "belfry.immediate";

enum class ScheduleStatus : std::uint8_t {
    active,
    paused,
    completed,  // no occurrence is left: the instants have fired, or the window or the years are over
    deleted,    // soft: the name is free again, the history stays readable
};
[[nodiscard]] std::string_view name_of(ScheduleStatus status);
[[nodiscard]] Result<ScheduleStatus> parse_schedule_status(std::string_view text);

enum class TargetType : std::uint8_t { workflow, task };
[[nodiscard]] std::string_view name_of(TargetType type);
[[nodiscard]] Result<TargetType> parse_target_type(std::string_view text);

// The metadata of a target that says on whose behalf it runs.
inline constexpr const char* kUserId = "user_id";

// What a run starts.
// What several schedules may have in common: conditions look at the ends of all its runs.
struct TargetName {
    TargetType type = TargetType::workflow;
    std::string kind;
    friend auto operator<=>(const TargetName&, const TargetName&) = default;
};

struct Target {
    TargetType type = TargetType::workflow;
    std::string kind;                          // workflowKind or taskKind
    std::optional<std::int64_t> version = {};  // of a workflow; nothing means the newest
    Json input = nullptr;
    std::map<std::string, std::string> metadata = {};
    std::string queue = "default";
    std::optional<std::string> connection = {};  // nothing: the built-in queue
    int priority = 0;
    [[nodiscard]] TargetName name() const { return {type, kind}; }
    friend bool operator==(const Target&, const Target&) = default;
};

struct Assignee {
    std::string type;  // agent or team
    std::string id;
    friend bool operator==(const Assignee&, const Assignee&) = default;
};

// A URL whose answer becomes `signal_rpc_result` in the condition's context.
struct Signal {
    std::string url;
    std::chrono::milliseconds timeout{500};
    friend bool operator==(const Signal&, const Signal&) = default;
};

struct Schedule {
    std::string id;      // internal, never reused
    std::string tenant;  // isolates; names are unique inside it
    std::string name;
    std::string description = {};
    std::string notes = {};
    std::map<std::string, std::string> labels = {};
    Json memo = Json(boost::json::object_kind);
    Json search_attributes = Json(boost::json::object_kind);
    spec::SpecText spec = {};
    Target target = {};
    std::optional<Assignee> assignee = {};
    OverlapRules overlap = {};
    MissedRules missed = {};
    WorkerLostPolicy worker_lost = WorkerLostPolicy::redeliver;
    RetryPolicy retry = {};
    FailurePolicy failure = {};
    ApprovalPolicy approval = {};
    std::optional<std::int64_t> max_runs = {};
    std::vector<std::string> calendars = {};
    Json condition = nullptr;                // preDispatchCondition; null: none
    Json inputs_template = nullptr;          // null: the target's input
    std::vector<Json> inputs_rotation = {};  // not empty: taken in turn instead of the template
    std::optional<Signal> signal = {};
    std::optional<int> breaker_failures = {};        // breaker.maxConsecutiveFailures
    std::optional<Micros> breaker_retry_after = {};  // breaker.retryAfter; nothing: it stays open until it is resumed
    std::string assignment = {};                     // id of the workflow assignment that it is on; empty: none
    std::string created_by = {};
    Instant created_at = {};
    Instant updated_at = {};
    std::int64_t version = 1;
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

using DefinitionPtr = std::shared_ptr<const Schedule>;

// What firing changes. A plan replaces it as a whole, when `revision` is still the one it was decided on.
struct ScheduleState {
    std::int64_t revision = 1;
    ScheduleStatus status = ScheduleStatus::active;

    // The cursor: the first occurrence without an outcome and when it fires; nothing when none is left or while paused.
    std::optional<Instant> next_occurrence = {};
    std::optional<Instant> next_fire = {};
    std::optional<Instant> newest_decided = {};  // no tick has decided an occurrence after this one
    std::optional<Instant> spread_until = {};  // the occurrences at the cursor are missed and spread up to here; `next_fire` is the time of the first

    std::int64_t runs = 0;  // dispatched so far; the last one has this trigger number
    std::int64_t skips = 0;
    std::int64_t failures = 0;
    int consecutive_failures = 0;
    std::optional<Instant> breaker_opened_at = {};  // or let its last trial through; nothing while it is closed
    int in_flight = 0;                              // runs whose execution is not terminal
    int buffered = 0;
    std::optional<std::int64_t> remaining_actions = {};
    std::int64_t rotation_index = 0;  // the entry that the next dispatch takes, before the modulo

    std::optional<Instant> last_fired_at = {};
    std::optional<Instant> last_skipped_at = {};
    std::optional<Instant> last_completed_at = {};
    std::optional<Instant> last_error_at = {};
    std::string last_skip_reason = {};
    std::string last_error = {};
    std::string last_run_id = {};
    std::string last_completed_run = {};  // whose result is the schedule's last result

    std::optional<Instant> paused_at = {};
    std::optional<Instant> paused_until = {};
    std::string pause_reason = {};
    std::optional<Instant> deleted_at = {};

    std::int64_t events = 0;  // the sequence of the newest audit event
    friend bool operator==(const ScheduleState&, const ScheduleState&) = default;
};

// Whether so many runs failed in a row that the breaker of the definition is open.
[[nodiscard]] inline bool is_breaker_open(const Schedule& definition, const ScheduleState& state) {
    return definition.breaker_failures && state.consecutive_failures >= *definition.breaker_failures;
}

// Whether buffered runs could start now as far as the schedule itself goes: none is in flight, and it is neither paused nor deleted.
[[nodiscard]] inline bool waits_for_release(const ScheduleState& state) {
    const bool lives = state.status == ScheduleStatus::active || state.status == ScheduleStatus::completed;
    return state.buffered > 0 && state.in_flight == 0 && lives;
}

}  // namespace belfry::model
