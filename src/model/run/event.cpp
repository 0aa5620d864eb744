#include "model/run/event.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kTypeNames{
    EnumName{EventType::schedule_created, "ScheduleCreated"},
    EnumName{EventType::schedule_paused, "SchedulePaused"},
    EnumName{EventType::schedule_resumed, "ScheduleResumed"},
    EnumName{EventType::schedule_updated, "ScheduleUpdated"},
    EnumName{EventType::schedule_triggered, "ScheduleTriggered"},
    EnumName{EventType::schedule_trigger_skipped, "ScheduleTriggerSkipped"},
    EnumName{EventType::schedule_trigger_buffered, "ScheduleTriggerBuffered"},
    EnumName{EventType::schedule_completed, "ScheduleCompleted"},
    EnumName{EventType::schedule_deleted, "ScheduleDeleted"},
    EnumName{EventType::approval_bypass_attempt, "approval_bypass_attempt"},
    EnumName{EventType::schedule_breaker_opened, "ScheduleBreakerOpened"},
    EnumName{EventType::schedule_breaker_closed, "ScheduleBreakerClosed"},
    EnumName{EventType::run_started, "run.started"},
    EnumName{EventType::run_succeeded, "run.succeeded"},
    EnumName{EventType::run_failed, "run.failed"},
    EnumName{EventType::run_cancelled, "run.cancelled"},
    EnumName{EventType::run_terminated, "run.terminated"},
    EnumName{EventType::run_timed_out, "run.timed_out"},
    EnumName{EventType::node_ready, "node.ready"},
    EnumName{EventType::node_started, "node.started"},
    EnumName{EventType::node_handed_over, "node.handed_over"},
    EnumName{EventType::node_succeeded, "node.succeeded"},
    EnumName{EventType::node_failed, "node.failed"},
    EnumName{EventType::node_put_back, "node.put_back"},
    EnumName{EventType::node_redelivered, "node.redelivered"},
    EnumName{EventType::node_reassigned, "node.reassigned"},
    EnumName{EventType::node_skipped, "node.skipped"},
    EnumName{EventType::approval_requested, "approval.requested"},
    EnumName{EventType::approval_decided, "approval.decided"},
};

using Keys = std::string_view;

constexpr std::array<Keys, 4> kCreated{"spec", "action", "overlap_policy", "next_fire_at"};
constexpr std::array<Keys, 1> kContext{"command_context"};
constexpr std::array<Keys, 2> kPaused{"reason", "paused_at"};
constexpr std::array<Keys, 2> kPausedOptional{"paused_until", "command_context"};
constexpr std::array<Keys, 1> kResumed{"next_fire_at"};
constexpr std::array<Keys, 5> kUpdated{"changed_fields", "spec", "action", "overlap_policy", "next_fire_at"};
constexpr std::array<Keys, 6> kTriggered{"workflow_instance_id",     "workflow_run_id", "outcome",
                                         "effective_overlap_policy", "trigger_number",  "occurrence_time"};
constexpr std::array<Keys, 4> kTriggeredOptional{"cause", "rotation_index_used", "scheduled_at", "command_context"};
constexpr std::array<Keys, 3> kSkipped{"reason", "skipped_trigger_count", "last_skipped_at"};
constexpr std::array<Keys, 7> kSkippedOptional{
    "occurrence_time", "occurrence_until", "occurrence_count", "occurrence_count_at_least",
    "cause",           "detail",           "command_context"};
constexpr std::array<Keys, 3> kBuffered{"occurrence_time", "effective_overlap_policy", "buffered_count"};
constexpr std::array<Keys, 2> kBufferedOptional{"cause", "command_context"};
constexpr std::array<Keys, 1> kCompleted{"reason"};
constexpr std::array<Keys, 2> kDeleted{"reason", "deleted_at"};
constexpr std::array<Keys, 4> kBypass{"principal", "run", "node", "how"};
constexpr std::array<Keys, 2> kBypassOptional{"subject", "command_context"};
constexpr std::array<Keys, 2> kBreakerOpened{"consecutive_failures", "opened_at"};
constexpr std::array<Keys, 2> kBreakerOpenedOptional{"retry_at", "command_context"};
constexpr std::array<Keys, 1> kBreakerClosed{"reason"};

constexpr std::array<Keys, 3> kRunEndOptional{"error", "cause", "limit"};
constexpr std::array<Keys, 2> kNodeStarted{"attempt", "worker"};
constexpr std::array<Keys, 1> kAttempt{"attempt"};
constexpr std::array<Keys, 3> kHandedOverOptional{"connection", "messageId", "launchedRunId"};
constexpr std::array<Keys, 4> kNodeFailed{"attempt", "cause", "error", "retryAt"};
constexpr std::array<Keys, 3> kNodeFailedOptional{"startedAt", "assignee", "limit"};
constexpr std::array<Keys, 2> kNodePutBack{"attempt", "reason"};
constexpr std::array<Keys, 3> kNodeRedelivered{"attempt", "reason", "redeliveries"};
constexpr std::array<Keys, 1> kStartedAt{"startedAt"};
constexpr std::array<Keys, 1> kNodeReassigned{"assignee"};
constexpr std::array<Keys, 1> kNodeSkipped{"because"};
constexpr std::array<Keys, 3> kApprovalRequested{"why", "action", "expiresAt"};
constexpr std::array<Keys, 3> kApprovalDecided{"outcome", "by", "comment"};

bool contains(std::span<const std::string_view> keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

std::string_view name_of(EventType type) { return canonical_name<EventType>(kTypeNames, type); }
bool is_event_type(EventType type) {
    return std::ranges::find(kTypeNames, type, &EnumName<EventType>::value) != std::end(kTypeNames);
}
Result<EventType> parse_event_type(std::string_view text) {
    return parse_name<EventType>(kTypeNames, "event type", text);
}

PayloadKeys payload_keys(EventType type) {
    switch (type) {
        case EventType::schedule_created: return {kCreated, kContext};
        case EventType::schedule_paused: return {kPaused, kPausedOptional};
        case EventType::schedule_resumed: return {kResumed, kContext};
        case EventType::schedule_updated: return {kUpdated, kContext};
        case EventType::schedule_triggered: return {kTriggered, kTriggeredOptional};
        case EventType::schedule_trigger_skipped: return {kSkipped, kSkippedOptional};
        case EventType::schedule_trigger_buffered: return {kBuffered, kBufferedOptional};
        case EventType::schedule_completed: return {kCompleted, kContext};
        case EventType::schedule_deleted: return {kDeleted, kContext};
        case EventType::approval_bypass_attempt: return {kBypass, kBypassOptional};
        case EventType::schedule_breaker_opened: return {kBreakerOpened, kBreakerOpenedOptional};
        case EventType::schedule_breaker_closed: return {kBreakerClosed, kContext};
        case EventType::run_started:
        case EventType::node_ready: return {};
        case EventType::run_succeeded:
        case EventType::run_failed:
        case EventType::run_cancelled:
        case EventType::run_terminated:
        case EventType::run_timed_out: return {{}, kRunEndOptional};
        case EventType::node_started: return {kNodeStarted, {}};
        case EventType::node_handed_over: return {kAttempt, kHandedOverOptional};
        case EventType::node_succeeded: return {kAttempt, {}};
        case EventType::node_failed: return {kNodeFailed, kNodeFailedOptional};
        case EventType::node_put_back: return {kNodePutBack, kStartedAt};
        case EventType::node_redelivered: return {kNodeRedelivered, kStartedAt};
        case EventType::node_reassigned: return {kNodeReassigned, {}};
        case EventType::node_skipped: return {kNodeSkipped, {}};
        case EventType::approval_requested: return {kApprovalRequested, {}};
        case EventType::approval_decided: return {kApprovalDecided, {}};
    }
    return {};
}

std::optional<Error> check_payload(EventType type, const Json& payload) {
    const auto refuse = [type](std::string_view what, std::string_view key) {
        return invalid(std::string(name_of(type)) + " payload: " + std::string(what) + " key " + in_quotes(key));
    };
    const auto* const object = payload.if_object();
    if (object == nullptr) return invalid(std::string(name_of(type)) + " payload: not an object");
    const auto keys = payload_keys(type);
    for (const auto key : keys.required) {
        if (!object->contains(key)) return refuse("missing", key);
    }
    for (const auto& member : *object) {
        if (!contains(keys.required, member.key()) && !contains(keys.optional, member.key()))
            return refuse("unknown", member.key());
    }
    return std::nullopt;
}

Json to_json(const CommandContext& context) {
    boost::json::object object;
    const auto add = [&object](const char* key, const std::string& value) {
        if (!value.empty()) object[key] = value;
    };
    add("principal", context.principal);
    add("request_id", context.request_id);
    add("source", context.source);
    add("reason", context.reason);
    if (object.empty()) return nullptr;
    return object;
}

}  // namespace belfry::model
