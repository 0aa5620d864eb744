#include "api/resources/schedules/schedule_members.hpp"

#include <boost/json/array.hpp>

#include "api/contract/json_values.hpp"
#include "api/resources/schedules/schedule_type.hpp"
#include "base/time/duration.hpp"
#include "decide/explain/schedule_health.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::ScheduleStatus;

void add_policies(object& out, const model::Schedule& schedule) {
    out["assignee"] = schedule.assignee ? Json(object{{"type", schedule.assignee->type}, {"id", schedule.assignee->id}})
                                        : Json(nullptr);
    out["overlapPolicy"] = name_of(schedule.overlap.policy);
    out["maxConcurrency"] = or_null(schedule.overlap.max_concurrency);
    out["missedRunPolicy"] = name_of(schedule.missed.policy);
    out["maxBackfill"] = schedule.missed.max_backfill;
    out["missedGrace"] = schedule.missed.grace ? format_duration(*schedule.missed.grace) : "auto";
    out["missedWhilePaused"] = schedule.missed.while_paused;
    out["workerLostPolicy"] = name_of(schedule.worker_lost);
    out["retryPolicy"] = policy_json(schedule.retry);
    out["failurePolicy"] = policy_json(schedule.failure);
    out["approvalPolicy"] = policy_json(schedule.approval);
    out["maxRuns"] = or_null(schedule.max_runs);
}

Json breaker_json(const model::Schedule& schedule) {
    if (!schedule.breaker_failures) return nullptr;
    const auto& wait = schedule.breaker_retry_after;
    return object{{"maxConsecutiveFailures", *schedule.breaker_failures},
                  {"retryAfter", wait ? Json(format_duration(*wait)) : Json(nullptr)}};
}

void add_gates(object& out, const model::Schedule& schedule) {
    out["calendars"] = array_of(schedule.calendars);
    out["preDispatchCondition"] = schedule.condition;
    out["inputsTemplate"] = schedule.inputs_template;
    out["inputsRotation"] = array_of(schedule.inputs_rotation);
    out["signal"] = schedule.signal
                        ? Json(object{{"url", schedule.signal->url}, {"timeoutMs", schedule.signal->timeout.count()}})
                        : Json(nullptr);
    out["breaker"] = breaker_json(schedule);
    out["workflowAssignmentId"] = or_null(schedule.assignment);
}

// An update of the zone data may remove a zone. All other members were validated before they were stored.
std::string why_unreadable(const store::ScheduleRecord& record, const spec::ZoneDatabase& zones) {
    if (!record.unreadable.empty()) return record.unreadable;
    const auto zone = zones.find(record.definition.spec.timezone);
    return zone ? std::string() : "spec.timezone: " + zone.error().message;
}

// Only an active schedule has a next time. A paused one may keep the time at which its pause ends.
void add_next(StateMembers& out, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones) {
    const bool active = record.state.status == ScheduleStatus::active;
    const auto next = active ? record.state.next_fire : std::nullopt;
    const auto zone = zones.find(record.definition.spec.timezone);
    out.instant("nextRunAt", next);
    next&& zone ? out.word("nextRunAtLocal", format_local((*zone)->to_local(*next))) : out.null("nextRunAtLocal");
    out.instant("nextOccurrence", active ? record.state.next_occurrence : std::nullopt);
}

// Returns the newer of the two outcomes in the state.
std::optional<model::DispatchStatus> last_dispatch_status(const model::ScheduleState& state) {
    if (!state.last_fired_at && !state.last_skipped_at) return std::nullopt;
    const bool skipped =
        !state.last_fired_at || (state.last_skipped_at && *state.last_skipped_at > *state.last_fired_at);
    return skipped ? model::DispatchStatus::skipped : model::DispatchStatus::dispatched;
}

std::optional<std::int64_t> last_rotation_index(const store::ScheduleRecord& record) {
    const auto entries = static_cast<std::int64_t>(record.definition.inputs_rotation.size());
    const auto next = record.state.rotation_index;
    return entries > 0 && next > 0 ? std::optional((next - 1) % entries) : std::nullopt;
}

void add_state(StateMembers& out, const store::ScheduleRecord& record) {
    const auto& state = record.state;
    out.instant("lastRunAt", state.last_fired_at);
    out.text_or_null("lastRunId", state.last_run_id);
    out.number("runCount", state.runs);
    out.number("failuresCount", state.failures);
    out.number_or_null("remainingActions", state.remaining_actions);
    out.number("skippedTriggerCount", state.skips);
    out.text_or_null("lastSkipReason", state.last_skip_reason);
    out.instant("lastSkippedAt", state.last_skipped_at);
    const auto dispatched = last_dispatch_status(state);
    dispatched ? out.word("lastDispatchStatus", name_of(*dispatched)) : out.null("lastDispatchStatus");
    out.instant("lastErrorAt", state.last_error_at);
    out.text_or_null("lastErrorMessage", state.last_error);
    out.instant("lastCompletedAt", state.last_completed_at);
    out.number_or_null("lastRotationIndex", last_rotation_index(record));
    out.number("inFlightCount", state.in_flight);
    out.number("bufferedCount", state.buffered);
    // Evaluated without the current time: the breaker stays open until a run closes it.
    out.word("breakerState", decide::name_of(decide::breaker_of(record.definition, state, kInstantMin)));
    out.instant("breakerOpenedAt", state.breaker_opened_at);
    out.instant("pausedAt", state.paused_at);
    out.instant("pausedUntil", state.paused_until);
    out.text_or_null("pauseReason", state.pause_reason);
    out.instant("deletedAt", state.deleted_at);
}

}  // namespace

Json policy_json(const model::RetryPolicy& retry) {
    boost::json::array retry_on;
    for (const auto category : retry.retry_on) retry_on.push_back(Json(name_of(category)));
    return object{{"maxRetries", retry.max_retries},
                  {"backoffMs", retry.backoff.count()},
                  {"retryOn", std::move(retry_on)},
                  {"timeoutMs", retry.timeout ? Json(retry.timeout->count()) : Json(nullptr)}};
}

Json policy_json(const model::FailurePolicy& failure) {
    return object{{"mode", name_of(failure.mode)}, {"fallbackAssigneeId", or_null(failure.fallback_assignee_id)}};
}

Json policy_json(const model::ApprovalPolicy& approval) {
    return object{{"requiresApproval", approval.requires_approval},
                  {"mode", approval.mode ? Json(name_of(*approval.mode)) : Json(nullptr)},
                  {"gates", array_of(approval.gates)},
                  {"expiresAfterMs", approval.expires_after ? Json(approval.expires_after->count()) : Json(nullptr)}};
}

void add_identity(object& out, const model::Schedule& schedule) {
    out["id"] = schedule.id;
    out["tenant"] = schedule.tenant;
    out["name"] = schedule.name;
    out["description"] = schedule.description;
    out["notes"] = schedule.notes;
    out["labels"] = object_of(schedule.labels);
    out["memo"] = schedule.memo;
    out["searchAttributes"] = schedule.search_attributes;
}

void add_rules(object& out, const model::Schedule& schedule, const spec::ZoneDatabase& zones) {
    out["spec"] = model::to_json(schedule.spec);
    out["scheduleType"] = type_from_spec(schedule.spec, zones);
    out["target"] = model::to_json(schedule.target);
    add_policies(out, schedule);
    add_gates(out, schedule);
}

void add_origin(object& out, const model::Schedule& schedule) {
    out["createdBy"] = or_null(schedule.created_by);
    out["createdAt"] = format_instant(schedule.created_at);
    out["updatedAt"] = format_instant(schedule.updated_at);
    out["version"] = schedule.version;
}

void add_standing(StateMembers& out, const store::ScheduleRecord& record) {
    out.word("status", name_of(record.state.status));
    out.flag("enabled", record.state.status == ScheduleStatus::active);
}

void add_progress(StateMembers& out, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones,
                  const std::optional<Json>& last_result) {
    out.text_or_null("unreadable", why_unreadable(record, zones));
    add_next(out, record, zones);
    add_state(out, record);
    if (last_result) out.json("lastResult", *last_result);
}

}  // namespace belfry::api
