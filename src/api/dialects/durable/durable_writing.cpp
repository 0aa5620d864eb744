#include "api/dialects/durable/durable_writing.hpp"

#include <algorithm>
#include <boost/json/array.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/durable/durable_history.hpp"
#include "api/dialects/durable/durable_texts.hpp"
#include "base/text/parse_integer.hpp"
#include "base/time/duration.hpp"
#include "engine/explain/run_definitions.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::array;
using boost::json::object;
using model::ScheduleStatus;

constexpr std::size_t kRecentActions = 10;
constexpr std::int64_t kRecentEvents = 500;    // the newest events, in which recent actions are searched
constexpr std::size_t kBufferedActions = 100;  // that are listed individually

Json action_json(const model::Schedule& schedule) {
    const auto& target = schedule.target;
    object out{{"workflow_type", target.kind}, {"task_queue", target.queue}, {"input", target.input}};
    if (const auto found = target.metadata.find(kWorkflowClassKey); found != target.metadata.end())
        out["workflow_class"] = found->second;
    if (const auto found = target.metadata.find(kExecutionTimeoutKey); found != target.metadata.end()) {
        if (const auto seconds = parse_integer(found->second)) out["execution_timeout_seconds"] = *seconds;
    }
    if (schedule.retry.timeout)
        out["run_timeout_seconds"] = std::chrono::ceil<Seconds>(*schedule.retry.timeout).count();
    return out;
}

std::int64_t jitter_seconds(const spec::JitterText& jitter) {
    if (jitter.after.empty()) return 0;
    const auto after = parse_duration(jitter.after);
    return after ? std::chrono::ceil<Seconds>(*after).count() : 0;
}

Json next_fire(const model::ScheduleState& state) {
    return or_null(state.status == ScheduleStatus::active ? state.next_fire : std::nullopt);
}

// The reason of a pause, while it lasts.
std::string standing_note(const store::ScheduleRecord& record) {
    const bool paused = record.state.status == ScheduleStatus::paused && !record.state.pause_reason.empty();
    return paused ? record.state.pause_reason : record.definition.notes;
}

object skip_members(const model::ScheduleState& state) {
    return {{"skipped_trigger_count", state.skips},
            {"last_skip_reason", or_null(std::string(reason_text(state.last_skip_reason)))},
            {"last_skipped_at", or_null(state.last_skipped_at)}};
}

Json recent_action(const model::Event& event) {
    return object{{"workflow_id", member_or_null(event.payload, "workflow_instance_id")},
                  {"run_id", member_or_null(event.payload, "workflow_run_id")},
                  {"outcome", member_or_null(event.payload, "cause") == Json("backfill") ? "backfilled" : "scheduled"},
                  {"fired_at", format_instant(event.recorded_at)},
                  {"occurrence_time", member_or_null(event.payload, "occurrence_time")}};
}

Result<std::vector<store::EventRecord>> newest_events(store::StoreReader& reader, const store::ScheduleRecord& record,
                                                      std::int64_t count) {
    const store::ScheduleRef ref{.tenant = record.definition.tenant, .id = record.definition.id};
    return reader.events(ref, std::max<std::int64_t>(0, record.state.events - count), static_cast<std::size_t>(count));
}

// Newest last. Read from the events, because runs are listed by occurrence, and those of a backfill are old.
array recent_actions(const std::vector<store::EventRecord>& events) {
    array actions;
    for (auto it = events.rbegin(); it != events.rend() && actions.size() < kRecentActions; ++it) {
        if (it->event.type == model::EventType::schedule_triggered) actions.push_back(recent_action(it->event));
    }
    std::ranges::reverse(actions);
    return actions;
}

Result<array> buffered_actions(store::StoreReader& reader, const store::ScheduleRecord& record) {
    if (record.state.buffered == 0) return array();
    const auto runs = reader.runs(
        {.tenant = record.definition.tenant, .schedule_id = record.definition.id, .state = store::RunState::buffered},
        {.limit = kBufferedActions});
    if (!runs) return runs.error();
    array actions;
    for (auto run = runs->items.rbegin(); run != runs->items.rend(); ++run) {
        actions.push_back(object{{"buffered_at", format_instant(run->decided_at)},
                                 {"occurrence_time", format_instant(run->slot.occurrence)}});
    }
    return actions;
}

Result<Json> latest_instance(store::StoreReader& reader, const store::ScheduleRecord& record) {
    if (record.state.last_run_id.empty()) return Json(nullptr);
    const auto run = reader.run(record.definition.tenant, record.state.last_run_id);
    if (!run) return run.error().code == ErrorCode::not_found ? Result<Json>(nullptr) : run.error();
    const auto definition = engine::definition_of(reader, record.definition.tenant, *run);
    if (!definition) return definition.error();
    return Json(model::instance_id((*definition)->name, run->slot));
}

Result<object> progress(store::StoreReader& reader, const store::ScheduleRecord& record,
                        const std::vector<store::EventRecord>& events) {
    const auto& state = record.state;
    auto buffered = buffered_actions(reader, record);
    if (!buffered) return buffered.error();
    object info{{"next_fire", next_fire(state)},
                {"last_fire", or_null(state.last_fired_at)},
                {"fires_count", state.runs},
                {"failures_count", state.failures},
                {"recent_actions", recent_actions(events)},
                {"buffered_actions", std::move(*buffered)},
                {"buffer_depth", state.buffered}};
    for (auto& member : skip_members(state)) info[member.key()] = member.value();
    return info;
}

// When the schedule was last resumed, as far as the newest events show it.
Json resumed_at(const std::vector<store::EventRecord>& events) {
    for (auto it = events.rbegin(); it != events.rend(); ++it) {
        if (it->event.type == model::EventType::schedule_resumed) return Json(format_instant(it->event.recorded_at));
    }
    return nullptr;
}

}  // namespace

Json spec_json(const spec::SpecText& spec) {
    array intervals;
    for (const auto& interval : spec.intervals)
        intervals.push_back(object{{"every", interval.every}, {"offset", or_null(interval.offset)}});
    object out{
        {"cron_expressions", array_of(spec.cron)}, {"intervals", std::move(intervals)}, {"timezone", spec.timezone}};
    // Members that only the native API can set.
    if (!spec.at.empty()) out["at"] = array_of(spec.at);
    if (spec.start_at) out["start_at"] = *spec.start_at;
    if (spec.end_at) out["end_at"] = *spec.end_at;
    return out;
}

object list_item(const store::ScheduleRecord& record) {
    const auto& schedule = record.definition;
    const auto& state = record.state;
    return {{"schedule_id", schedule.name},
            {"namespace", schedule.tenant},
            {"workflow_type", schedule.target.kind},
            {"status", name_of(state.status)},
            {"paused", state.status == ScheduleStatus::paused},
            {"spec", spec_json(schedule.spec)},
            {"action", action_json(schedule)},
            {"overlap_policy", name_of(schedule.overlap.policy)},
            {"jitter_seconds", jitter_seconds(schedule.spec.jitter)},
            {"max_runs", or_null(schedule.max_runs)},
            {"remaining_actions", or_null(state.remaining_actions)},
            {"fires_count", state.runs},
            {"next_fire", next_fire(state)},
            {"next_fire_at", next_fire(state)},
            {"last_fire", or_null(state.last_fired_at)},
            {"last_fired_at", or_null(state.last_fired_at)},
            {"note", or_null(schedule.notes)},
            {"search_attributes", schedule.search_attributes},
            {"created_at", format_instant(schedule.created_at)},
            {"updated_at", format_instant(schedule.updated_at)},
            {"paused_at", or_null(state.paused_at)},
            {"deleted_at", or_null(state.deleted_at)}};
}

object outcome_json(const store::ScheduleRecord& record, const char* outcome) {
    const auto& schedule = record.definition;
    const auto& state = record.state;
    return {{"schedule_id", schedule.name},
            {"outcome", outcome},
            {"namespace", schedule.tenant},
            {"status", name_of(state.status)},
            {"paused", state.status == ScheduleStatus::paused},
            {"note", or_null(standing_note(record))},
            {"paused_at", or_null(state.paused_at)},
            {"updated_at", format_instant(schedule.updated_at)},
            {"deleted_at", or_null(state.deleted_at)}};
}

object resumed_json(store::StoreReader& reader, const store::ScheduleRecord& record) {
    auto out = outcome_json(record, "resumed");
    // The schedule is resumed, so an error of this read must not fail the request.
    const auto events = newest_events(reader, record, 1);
    out["resumed_at"] = events ? resumed_at(*events) : Json(nullptr);
    return out;
}

Result<object> described(store::StoreReader& reader, const store::ScheduleRecord& record) {
    const auto& schedule = record.definition;
    const auto& state = record.state;
    const auto events = newest_events(reader, record, kRecentEvents);
    if (!events) return events.error();
    auto info = progress(reader, record, *events);
    if (!info) return info.error();
    const auto latest = latest_instance(reader, record);
    if (!latest) return latest.error();
    auto out = list_item(record);
    out["id"] = schedule.id;
    out["labels"] = object_of(schedule.labels);
    out["memo"] = schedule.memo;
    out["connection"] = or_null(schedule.target.connection);
    out["queue"] = schedule.target.queue;
    out["failures_count"] = state.failures;
    out["latest_instance_id"] = *latest;
    out["latest_workflow_instance_id"] = *latest;
    out["resumed_at"] = resumed_at(*events);
    for (auto& member : skip_members(state)) out[member.key()] = member.value();
    out["state"] = object{{"status", name_of(state.status)},
                          {"paused", state.status == ScheduleStatus::paused},
                          {"note", or_null(standing_note(record))}};
    out["info"] = std::move(*info);
    return out;
}

object trigger_outcome(const store::ScheduleRecord& record, const model::Run& run) {
    object out{{"schedule_id", record.definition.name}};
    if (run.dispatch == model::DispatchStatus::dispatched) {
        out["outcome"] = "triggered";
        out["workflow_id"] = model::instance_id(record.definition.name, run.slot);
        out["run_id"] = run.id;
    } else if (run.dispatch == model::DispatchStatus::buffered) {
        out["outcome"] = "buffered";
        out["buffer_depth"] = record.state.buffered;
    } else if (run.reason == model::SkipReason::buffer_full) {
        out["outcome"] = "buffer_full";
        out["reason"] = "an earlier run goes on, and the buffer has no room left";
    } else {
        out["outcome"] = "skipped";
        out["reason"] = run.reason ? Json(reason_text(name_of(*run.reason))) : Json(nullptr);
    }
    return out;
}

object backfill_row(const model::Schedule& schedule, const engine::Backfills::Occurrence& occurrence) {
    const auto& run = occurrence.run;
    const bool started = run && run->dispatch == model::DispatchStatus::dispatched;
    const auto instance = started ? Json(model::instance_id(schedule.name, run->slot)) : Json(nullptr);
    const auto at = format_instant(occurrence.at);
    object out{{"schedule_id", schedule.name}, {"fire_time", at},         {"cron_time", at},
               {"workflow_id", instance},      {"instance_id", instance}, {"outcome", started ? "started" : "skipped"}};
    if (!started) {
        const auto reason = run && run->reason ? *run->reason : model::SkipReason::schedule_slot_exists;
        out["reason"] = reason_text(name_of(reason));
    }
    return out;
}

}  // namespace belfry::api::durable
