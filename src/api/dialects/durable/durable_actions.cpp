// Actions on a schedule in the durable dialect: pause, resume, trigger, backfill.
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable.hpp"
#include "api/dialects/durable/durable_reading.hpp"
#include "api/dialects/durable/durable_shapes.hpp"
#include "api/dialects/durable/durable_writing.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;
using model::Permission;

// An error because the state of the schedule does not allow the action.
Result<Response> refused_state(const Error& error, const char* reason) {
    if (error.code != ErrorCode::invalid_argument) return error;
    return refused({problem_of(error), reason});
}

std::string said_why(const Call& call) {
    const Values said(call.body);
    return said.text("note").value_or(said.text("reason").value_or(""));
}

}  // namespace

Result<Response> pause_schedule(engine::Schedules& schedules, store::StoreReader& reader, const Call& call,
                                const Written& written) {
    const auto record = live_schedule(reader, call);
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    const auto paused = schedules.pause(ref, {.reason = said_why(call)}, call.context());
    return paused ? written(*paused) : refused_state(paused.error(), "schedule_not_pausable");
}

Result<Response> resume_schedule(engine::Schedules& schedules, store::StoreReader& reader, const Call& call,
                                 const Written& written) {
    const auto record = live_schedule(reader, call);
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    const auto resumed = schedules.resume(ref, call.context(said_why(call)));
    return resumed ? written(*resumed) : refused_state(resumed.error(), "schedule_not_paused");
}

// Accepts a deleted schedule, too: the skip is recorded and returned.
Result<object> triggered(engine::Schedules& schedules, store::StoreReader& reader, const Call& call) {
    auto record = schedule_asked_for(reader, call);
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    const decide::TriggerRequest request{.overlap =
                                             Values(call.body).parsed("overlap_policy", &model::parse_overlap_policy)};
    const auto run = schedules.trigger(ref, request, call.context());
    if (!run) return run.error();
    if (run->dispatch == model::DispatchStatus::buffered) {
        // The number of buffered runs. The trigger has already taken effect, so an error of this read must not fail the
        // request.
        if (auto now = reader.schedule(ref)) record = std::move(now);
    }
    return trigger_outcome(*record, *run);
}

Result<Response> backfill_schedule(const DurableServices& services, const Call& call, const RangeNames& names) {
    auto& schedules = services.schedules;
    const auto record = live_schedule(services.reader, call);
    if (!record) return record.error();
    const Values said(call.body);
    const auto start = *said.parsed(names.start, &parse_moment);
    const auto end = *said.parsed(names.end, &parse_moment);
    if (end <= start)
        return refused_range(in_field(invalid(std::string(names.end) + " must be after " + names.start), "/to"));
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    // Due occurrences belong to the ticks. Settle them first, so that the range leaves nothing to them.
    if (const auto settled = schedules.settle(ref); !settled) return settled.error();
    // The engine includes both ends. Occurrences are whole seconds.
    const decide::BackfillRequest request{.from = start,
                                          .to = end - Micros{1},
                                          .overlap = said.parsed("overlap_policy", &model::parse_overlap_policy),
                                          .of_paused = false};
    const auto occurrences = services.backfills.run_at_once(ref, request, call.context());
    if (!occurrences) return refused_range(occurrences.error());
    boost::json::array results;
    for (const auto& occurrence : *occurrences) results.push_back(backfill_row(record->definition, occurrence));
    const auto count = results.size();
    return json_response(object{{"schedule_id", record->definition.name},
                                {"outcome", "backfill_started"},
                                {"fires_attempted", count},
                                {"results", std::move(results)}});
}

void add_action_routes(Routes& routes, const DurableServices& services, const DialectOptions& options) {
    auto& schedules = services.schedules;
    auto& reader = services.reader;
    const std::string one = "/api/schedules/{schedule_id}";
    const auto dialect = make_dialect(options);
    routes.push_back({.method = "POST",
                      .pattern = one + "/pause",
                      .operation = "durablePauseSchedule",
                      .summary = "Pause a schedule. Pausing it again has no effect.",
                      .permission = Permission::operate,
                      .headers = {version_header()},
                      .body = note_shape(),
                      .body_presence = Presence::optional,
                      .answers = {{200, outcome_shape()},
                                  {422, refusal_shape(), "The schedule never fires again: `schedule_not_pausable`."}},
                      .handler =
                          [&schedules, &reader](const Call& call) {
                              return pause_schedule(schedules, reader, call, [](const store::ScheduleRecord& record) {
                                  return json_response(outcome_json(record, "paused"));
                              });
                          },
                      .dialect = dialect});
    routes.push_back({.method = "POST",
                      .pattern = one + "/resume",
                      .operation = "durableResumeSchedule",
                      .summary = "Resume a paused schedule.",
                      .permission = Permission::operate,
                      .headers = {version_header()},
                      .body = note_shape(),
                      .body_presence = Presence::optional,
                      .answers = {{200, outcome_shape()},
                                  {422, refusal_shape(), "The schedule is not paused: `schedule_not_paused`."}},
                      .handler =
                          [&schedules, &reader](const Call& call) {
                              return resume_schedule(schedules, reader, call, [&](const store::ScheduleRecord& record) {
                                  return json_response(resumed_json(reader, record));
                              });
                          },
                      .dialect = dialect});
    routes.push_back({.method = "POST",
                      .pattern = one + "/trigger",
                      .operation = "durableTriggerSchedule",
                      .summary = "Start a run of a schedule now.",
                      .details = "The run is additional to the schedule's own times. For a paused or deleted schedule, "
                                 "the outcome is `skipped` with "
                                 "the reason `status_not_triggerable`.",
                      .permission = Permission::operate,
                      .headers = {version_header()},
                      .body = trigger_shape(),
                      .body_presence = Presence::optional,
                      .answers = {{200, trigger_outcome_shape()}},
                      .handler = [&schedules, &reader](const Call& call) -> Result<Response> {
                          const auto outcome = triggered(schedules, reader, call);
                          if (!outcome) return outcome.error();
                          return json_response(*outcome);
                      },
                      .dialect = dialect});
    routes.push_back({.method = "POST",
                      .pattern = one + "/backfill",
                      .operation = "durableBackfillSchedule",
                      .summary = "Run the past occurrences of a range now.",
                      .details = "All occurrences, at most 1000, run in one transaction. An occurrence that has "
                                 "already run is `skipped` with the "
                                 "reason `schedule_slot_exists`.",
                      .permission = Permission::operate,
                      .headers = {version_header()},
                      .body = backfill_shape(),
                      .answers = {{200, backfill_outcome_shape()},
                                  {422, refusal_shape(),
                                   "The range is invalid (`invalid_time_range`), or the schedule is not active "
                                   "(`status_not_triggerable`)."}},
                      .handler = [services](const Call& call) { return backfill_schedule(services, call, {}); },
                      .dialect = dialect});
}

}  // namespace belfry::api::durable
