// A schedule: when (spec), what (target), how (policies) and its guards. Plain data.
//
// The definition is what a person writes; it changes rarely and has a version. The state is what firing changes; it
// is kept small because it is written at every fire.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/json.hpp"
#include "model/schedule/policy.hpp"
#include "spec/spec.hpp"

namespace belfry::model {

// Label that marks the hidden schedule of an immediate start (docs/adr/0015-immediate-starts.md). Its value is
// `workflow` or `task`.
inline constexpr const char* kImmediateLabel = "belfry.immediate";

enum class ScheduleStatus : std::uint8_t {
    active,
    paused,
    completed,  // no occurrence is left: the instants have fired, or the window or the years have ended
    deleted,    // soft: the name is free again, and the history stays readable
};
[[nodiscard]] std::string_view name_of(ScheduleStatus status);
[[nodiscard]] Result<ScheduleStatus> parse_schedule_status(std::string_view text);

enum class TargetType : std::uint8_t { workflow, task };
[[nodiscard]] std::string_view name_of(TargetType type);
[[nodiscard]] Result<TargetType> parse_target_type(std::string_view text);

// Metadata key of a target: the user on whose behalf it runs.
inline constexpr const char* kUserId = "user_id";

// Identifies what a run starts. Several schedules can share it: conditions look at the results of all its runs.
struct TargetName {
    TargetType type = TargetType::workflow;
    std::string kind;
    friend auto operator<=>(const TargetName&, const TargetName&) = default;
};

struct Target {
    TargetType type = TargetType::workflow;
    std::string kind;                          // workflowKind or taskKind
    std::optional<std::int64_t> version = {};  // of a workflow; empty: the newest
    Json input = nullptr;
    std::map<std::string, std::string> metadata = {};
    std::string queue = "default";
    std::optional<std::string> connection = {};  // empty: Belfry's own queue
    int priority = 0;
    [[nodiscard]] TargetName name() const { return {type, kind}; }
    friend bool operator==(const Target&, const Target&) = default;
};

struct Assignee {
    std::string type;  // agent or team
    std::string id;
    friend bool operator==(const Assignee&, const Assignee&) = default;
};

// A URL whose response becomes `signal_rpc_result` in the condition's context.
struct Signal {
    std::string url;
    std::chrono::milliseconds timeout{500};
    friend bool operator==(const Signal&, const Signal&) = default;
};

struct Schedule {
    std::string id;      // internal, never reused
    std::string tenant;  // unit of isolation; names are unique within it
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
    Json inputs_template = nullptr;          // null: use the target's input
    std::vector<Json> inputs_rotation = {};  // if not empty, runs use its entries in turn instead of the template
    std::optional<Signal> signal = {};
    std::optional<int> breaker_failures = {};        // breaker.maxConsecutiveFailures
    std::optional<Micros> breaker_retry_after = {};  // breaker.retryAfter; empty: open until an operator resumes
    std::string assignment = {};                     // id of the schedule's workflow assignment; empty: none
    std::string created_by = {};
    Instant created_at = {};
    Instant updated_at = {};
    std::int64_t version = 1;
    std::string run_key_name = {};  // the keys of its runs are made of this name; empty: of its id (run/run_key.hpp)
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

using DefinitionPtr = std::shared_ptr<const Schedule>;

// The part of a schedule that firing changes. A plan replaces all of it, if `revision` has not changed since the
// decision.
struct ScheduleState {
    std::int64_t revision = 1;
    ScheduleStatus status = ScheduleStatus::active;

    // The cursor: the first undecided occurrence and its fire time. Empty if none is left or while the schedule is
    // paused.
    std::optional<Instant> next_occurrence = {};
    std::optional<Instant> next_fire = {};
    std::optional<Instant> newest_decided = {};  // ticks have decided no occurrence after this one
    std::optional<Instant> spread_until = {};    // missed ones up to here are spread; `next_fire` is the first's time

    std::int64_t runs = 0;  // dispatched until now; also the trigger number of the latest one
    std::int64_t skips = 0;
    std::int64_t failures = 0;
    int consecutive_failures = 0;
    std::optional<Instant> breaker_opened_at = {};  // or allowed its latest trial run; empty: closed
    int in_flight = 0;                              // runs whose execution is not terminal
    int buffered = 0;
    std::optional<std::int64_t> remaining_actions = {};
    std::int64_t rotation_index = 0;  // the entry for the next dispatch, before the modulo

    std::optional<Instant> last_fired_at = {};
    std::optional<Instant> last_skipped_at = {};
    std::optional<Instant> last_completed_at = {};
    std::optional<Instant> last_error_at = {};
    std::string last_skip_reason = {};
    std::string last_error = {};
    std::string last_run_id = {};
    std::string last_completed_run = {};  // its result is the schedule's last result

    std::optional<Instant> paused_at = {};
    std::optional<Instant> paused_until = {};
    std::string pause_reason = {};
    std::optional<Instant> deleted_at = {};

    std::int64_t events = 0;  // the sequence of the newest audit event
    friend bool operator==(const ScheduleState&, const ScheduleState&) = default;
};

// Whether the breaker is open, because too many runs failed in a row.
[[nodiscard]] inline bool is_breaker_open(const Schedule& definition, const ScheduleState& state) {
    return definition.breaker_failures && state.consecutive_failures >= *definition.breaker_failures;
}

// Whether the schedule itself would allow a buffered run to start: no run is in flight, and it is not paused or
// deleted.
[[nodiscard]] inline bool waits_for_release(const ScheduleState& state) {
    const bool lives = state.status == ScheduleStatus::active || state.status == ScheduleStatus::completed;
    return state.buffered > 0 && state.in_flight == 0 && lives;
}

}  // namespace belfry::model
