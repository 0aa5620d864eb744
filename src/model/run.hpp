// A run: the ledger row of one occurrence, manual trigger or backfill slot, dispatched or not, with its reason. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "model/policy.hpp"
#include "model/usage.hpp"

namespace belfry::model {

// What asked for the run. With the schedule and the occurrence it is the run's identity.
enum class RunCause : std::uint8_t { tick, backfill, trigger, event };  // the numbers are stored, in two bits

enum class DispatchStatus : std::uint8_t { pending, dispatched, skipped, buffered, failed };

enum class ExecutionStatus : std::uint8_t {
    none,  // never dispatched
    awaiting_approval,
    queued,
    running,
    succeeded,
    failed,
    cancelled,
    terminated,
    timed_out,
};

// Why an occurrence was not dispatched. In the order of the guards.
enum class SkipReason : std::uint8_t {
    dispatch_disabled,
    status_not_triggerable,
    outside_window,
    remaining_actions_exhausted,
    schedule_slot_exists,
    missed_run,
    budget_exceeded,
    validation_failed,
    cycle_detected,
    overlap_in_flight,
    max_concurrency_reached,
    calendar,
    condition_failed,
    breaker_open,
    buffer_full,
};

[[nodiscard]] std::string_view name_of(RunCause cause);
[[nodiscard]] std::string_view name_of(DispatchStatus status);
[[nodiscard]] std::string_view name_of(ExecutionStatus status);
[[nodiscard]] std::string_view name_of(SkipReason reason);
[[nodiscard]] Result<RunCause> parse_run_cause(std::string_view text);
[[nodiscard]] Result<DispatchStatus> parse_dispatch_status(std::string_view text);
[[nodiscard]] Result<ExecutionStatus> parse_execution_status(std::string_view text);
[[nodiscard]] Result<SkipReason> parse_skip_reason(std::string_view text);

// A terminal status is final: nothing leaves it.
[[nodiscard]] constexpr bool is_terminal(ExecutionStatus status) { return status >= ExecutionStatus::succeeded; }
[[nodiscard]] constexpr bool is_failure(ExecutionStatus status) { return status == ExecutionStatus::failed || status == ExecutionStatus::timed_out; }
[[nodiscard]] constexpr bool is_in_flight(ExecutionStatus status) { return status != ExecutionStatus::none && !is_terminal(status); }

// The steps that an execution may take.
[[nodiscard]] bool may_become(ExecutionStatus from, ExecutionStatus to);

// How a run is told apart inside its schedule. An occurrence has one slot for the tick and one for a backfill, and more of them when
// backfills run it again; a manual trigger and an event are their own occurrences, in milliseconds.
struct RunSlot {
    RunCause cause = RunCause::tick;
    Instant occurrence = {};
    int rerun = 0;  // of a backfill: how often one had run the occurrence before, at most kRerunsMax
    // Where it stands among others. Occurrences are whole seconds, so the milliseconds tell reruns apart.
    [[nodiscard]] Instant place() const { return occurrence + std::chrono::milliseconds{rerun}; }
    friend bool operator==(const RunSlot&, const RunSlot&) = default;
    friend auto operator<=>(const RunSlot&, const RunSlot&) = default;
};

inline constexpr int kRerunsMax = 999;
inline constexpr Micros kRerunSpan = std::chrono::milliseconds{kRerunsMax};  // all slots of an occurrence stand within this of it

// A stretch of skipped occurrences in one record: a long outage must not write a million rows.
struct SkippedRange {
    Instant last = {};
    std::int64_t count = 0;
    bool at_least = false;  // counted up to a bound only
    friend bool operator==(const SkippedRange&, const SkippedRange&) = default;
};

// One row of the ledger, as it is read back.
struct Run {
    std::string id;
    std::string schedule_id;
    RunSlot slot;
    std::int64_t version = 0;  // of the definition that it was decided by
    Instant fire_at = {};
    Instant decided_at = {};
    DispatchStatus dispatch = DispatchStatus::pending;
    ExecutionStatus execution = ExecutionStatus::none;
    std::optional<SkipReason> reason = {};
    std::string detail = {};
    Json input = nullptr;
    std::int64_t trigger_number = 0;
    std::optional<std::int64_t> rotation_index_used = {};
    OverlapPolicy overlap = OverlapPolicy::skip;
    std::optional<SkippedRange> range = {};

    std::optional<Instant> started_at = {};  // of the newest attempt
    std::optional<Instant> completed_at = {};
    int attempts = 0;
    Json result = nullptr;
    std::string error = {};
    std::optional<Usage> used = {};  // by all its attempts; only where people read it
    friend bool operator==(const Run&, const Run&) = default;
};

// `1767225600`, `backfill:1767225600`, `backfill:1767225600:1` for the first rerun, `trigger:1767225600123`, `event:1767225600123`: what is
// hashed into the idempotency key.
[[nodiscard]] std::string slot_text(const RunSlot& slot);

// sha256hex(schedule_id + ":" + slot_text). What leaves the process carries it, so that a receiver can drop a repeat.
[[nodiscard]] std::string idempotency_key(std::string_view schedule_id, const RunSlot& slot);

// `schedule:{name}:{epoch_s}`, `schedule:{name}:backfill:{epoch_s}` and `…:{rerun}`, `schedule:{name}:{epoch_ms}` for a manual
// trigger, `schedule:{name}:event:{epoch_ms}`.
[[nodiscard]] std::string instance_id(std::string_view schedule_name, const RunSlot& slot);

}  // namespace belfry::model
