#include "api/resources/schedules/schedule_members.hpp"

#include "api/resources/schedules/schedule_type.hpp"
#include "decide/explain/schedule_health.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using model::ScheduleStatus;

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

// The table of the model has the members in the order of a response. `scheduleType` follows from the spec, so it is
// not stored.
DefinitionMembers definition_members(const model::Schedule& schedule, const spec::ZoneDatabase& zones) {
    DefinitionMembers members;
    auto* part = &members.identity;
    auto whole = model::complete_json(schedule);
    for (auto& member : whole.get_object()) {
        const auto name = member.key();
        if (name == "spec") part = &members.rules;
        if (name == "createdBy") part = &members.origin;
        part->emplace(name, std::move(member.value()));
        if (name == "spec") part->emplace("scheduleType", type_from_spec(schedule.spec, zones));
    }
    return members;
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
