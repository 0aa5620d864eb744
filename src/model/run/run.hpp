// A run: the ledger row of one occurrence, trigger, event or backfill slot, dispatched or not, with its reason. Plain
// data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/json.hpp"
#include "model/run/usage.hpp"
#include "model/schedule/policy.hpp"

namespace belfry::model {

// What caused the run. Cause, schedule and occurrence together identify it.
enum class RunCause : std::uint8_t { tick, backfill, trigger, event };  // the numbers are stored in two bits

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

// Why an occurrence was not dispatched, in the order of the guards.
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
[[nodiscard]] Result<DispatchStatus> parse_dispatch_status(std::string_view text);
[[nodiscard]] Result<ExecutionStatus> parse_execution_status(std::string_view text);
[[nodiscard]] Result<SkipReason> parse_skip_reason(std::string_view text);

// A terminal status is final.
[[nodiscard]] constexpr bool is_terminal(ExecutionStatus status) { return status >= ExecutionStatus::succeeded; }
[[nodiscard]] constexpr bool is_failure(ExecutionStatus status) {
    return status == ExecutionStatus::failed || status == ExecutionStatus::timed_out;
}
[[nodiscard]] constexpr bool is_in_flight(ExecutionStatus status) {
    return status != ExecutionStatus::none && !is_terminal(status);
}

// The valid transitions of an execution.
[[nodiscard]] bool may_become(ExecutionStatus from, ExecutionStatus to);

// Identifies a run within its schedule. An occurrence has one slot for the tick and one for a backfill, plus one for
// each further backfill of the same occurrence. A trigger and an event are their own occurrences, in milliseconds.
struct RunSlot {
    RunCause cause = RunCause::tick;
    Instant occurrence = {};
    int rerun = 0;  // backfill: how many backfills ran this occurrence before; at most kRerunsMax
    // The position in the schedule's order. Occurrences are whole seconds, so the milliseconds distinguish reruns.
    [[nodiscard]] Instant place() const { return occurrence + std::chrono::milliseconds{rerun}; }
    friend bool operator==(const RunSlot&, const RunSlot&) = default;
    friend auto operator<=>(const RunSlot&, const RunSlot&) = default;
};

inline constexpr int kRerunsMax = 999;
inline constexpr Micros kRerunSpan = std::chrono::milliseconds{kRerunsMax};  // of all slots of an occurrence

// A range of skipped occurrences in one record, so that a long outage does not write a million rows.
struct SkippedRange {
    Instant last = {};
    std::int64_t count = 0;
    bool at_least = false;  // counting stopped at a limit
    friend bool operator==(const SkippedRange&, const SkippedRange&) = default;
};

// One row of the ledger.
struct Run {
    std::string id;
    std::string schedule_id;
    RunSlot slot;
    std::int64_t version = 0;  // of the definition that decided it
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
    std::optional<Usage> used = {};  // by all attempts; set only in reads for people
    friend bool operator==(const Run&, const Run&) = default;
};

// The text that is hashed into the idempotency key: `1767225600`, `backfill:1767225600`, `backfill:1767225600:1` for
// the first rerun, `trigger:1767225600123`, `event:1767225600123`.
[[nodiscard]] std::string slot_text(const RunSlot& slot);

// sha256hex(schedule_id + ":" + slot_text). Every message that leaves the server carries it, so that the receiver can
// drop repeats.
[[nodiscard]] std::string idempotency_key(std::string_view schedule_id, const RunSlot& slot);

// `schedule:{name}:{epoch_s}`, `schedule:{name}:backfill:{epoch_s}` and `…:{rerun}`, `schedule:{name}:{epoch_ms}` for
// a trigger, `schedule:{name}:event:{epoch_ms}`.
[[nodiscard]] std::string instance_id(std::string_view schedule_name, const RunSlot& slot);

}  // namespace belfry::model
