#include "model/run/run.hpp"

#include <array>

#include "base/crypto/sha256.hpp"
#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kCauseNames{EnumName{RunCause::tick, "tick"}, EnumName{RunCause::backfill, "backfill"},
                                 EnumName{RunCause::trigger, "trigger"}, EnumName{RunCause::event, "event"}};

constexpr std::array kDispatchNames{
    EnumName{DispatchStatus::pending, "pending"}, EnumName{DispatchStatus::dispatched, "dispatched"},
    EnumName{DispatchStatus::skipped, "skipped"}, EnumName{DispatchStatus::buffered, "buffered"},
    EnumName{DispatchStatus::failed, "failed"}};

constexpr std::array kExecutionNames{EnumName{ExecutionStatus::none, "none"},
                                     EnumName{ExecutionStatus::awaiting_approval, "awaiting_approval"},
                                     EnumName{ExecutionStatus::queued, "queued"},
                                     EnumName{ExecutionStatus::running, "running"},
                                     EnumName{ExecutionStatus::succeeded, "succeeded"},
                                     EnumName{ExecutionStatus::failed, "failed"},
                                     EnumName{ExecutionStatus::cancelled, "cancelled"},
                                     EnumName{ExecutionStatus::terminated, "terminated"},
                                     EnumName{ExecutionStatus::timed_out, "timed_out"}};

constexpr std::array kReasonNames{
    EnumName{SkipReason::dispatch_disabled, "dispatch_disabled"},
    EnumName{SkipReason::status_not_triggerable, "status_not_triggerable"},
    EnumName{SkipReason::outside_window, "outside_window"},
    EnumName{SkipReason::remaining_actions_exhausted, "remaining_actions_exhausted"},
    EnumName{SkipReason::schedule_slot_exists, "schedule_slot_exists"},
    EnumName{SkipReason::missed_run, "missed_run"},
    EnumName{SkipReason::budget_exceeded, "budget_exceeded"},
    EnumName{SkipReason::validation_failed, "validation_failed"},
    EnumName{SkipReason::cycle_detected, "cycle_detected"},
    EnumName{SkipReason::overlap_in_flight, "overlap_in_flight"},
    EnumName{SkipReason::overlap_in_flight, "overlap_policy_skip"},
    EnumName{SkipReason::max_concurrency_reached, "max_concurrency_reached"},
    EnumName{SkipReason::calendar, "calendar"},
    EnumName{SkipReason::condition_failed, "condition_failed"},
    EnumName{SkipReason::breaker_open, "breaker_open"},
    EnumName{SkipReason::breaker_open, "max_attempts_exhausted"},
    EnumName{SkipReason::buffer_full, "buffer_full"},
};

}  // namespace

std::string_view name_of(RunCause cause) { return canonical_name<RunCause>(kCauseNames, cause); }
std::string_view name_of(DispatchStatus status) { return canonical_name<DispatchStatus>(kDispatchNames, status); }
std::string_view name_of(ExecutionStatus status) { return canonical_name<ExecutionStatus>(kExecutionNames, status); }
std::string_view name_of(SkipReason reason) { return canonical_name<SkipReason>(kReasonNames, reason); }
Result<DispatchStatus> parse_dispatch_status(std::string_view text) {
    return parse_name<DispatchStatus>(kDispatchNames, "dispatch status", text);
}
Result<ExecutionStatus> parse_execution_status(std::string_view text) {
    return parse_name<ExecutionStatus>(kExecutionNames, "status", text);
}
Result<SkipReason> parse_skip_reason(std::string_view text) {
    return parse_name<SkipReason>(kReasonNames, "reason", text);
}

bool may_become(ExecutionStatus from, ExecutionStatus to) {
    using enum ExecutionStatus;
    if (from == to || is_terminal(from) || to == none) return false;
    switch (to) {
        case awaiting_approval: return from == none;
        case queued: return from == none || from == awaiting_approval || from == running;  // running: a retry
        case running: return from == queued;
        case succeeded: return from == running || from == queued;  // only approved work can succeed
        default: return from != none;                              // any run in flight may end in another way
    }
}

std::string slot_text(const RunSlot& slot) {
    switch (slot.cause) {
        case RunCause::backfill:
            return "backfill:" + std::to_string(epoch_s(slot.occurrence)) +
                   (slot.rerun > 0 ? ":" + std::to_string(slot.rerun) : std::string());
        case RunCause::trigger: return "trigger:" + std::to_string(epoch_ms(slot.occurrence));
        case RunCause::event: return "event:" + std::to_string(epoch_ms(slot.occurrence));
        default: return std::to_string(epoch_s(slot.occurrence));
    }
}

std::string idempotency_key(std::string_view schedule_id, const RunSlot& slot) {
    return sha256_hex(std::string(schedule_id) + ":" + slot_text(slot));
}

std::string instance_id(std::string_view schedule_name, const RunSlot& slot) {
    const auto suffix = slot.cause == RunCause::trigger ? std::to_string(epoch_ms(slot.occurrence)) : slot_text(slot);
    return "schedule:" + std::string(schedule_name) + ":" + suffix;
}

}  // namespace belfry::model
