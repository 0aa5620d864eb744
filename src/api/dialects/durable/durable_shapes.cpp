#include "api/dialects/durable/durable_shapes.hpp"

#include <algorithm>

#include "api/dialects/durable/durable_reading.hpp"
#include "model/limits.hpp"

namespace belfry::api::durable {

namespace {

constexpr std::int64_t kSpecTextMax = 64;    // bytes of a zone or a duration
constexpr std::int64_t kSpecPartsMax = 100;  // expressions, and intervals
constexpr std::int64_t kLabelsMost = 100;
constexpr std::int64_t kClassMax = 255;
constexpr std::int64_t kRunsMax = 1'000'000'000;
constexpr std::int64_t kTimeoutSecondsMax = model::kMillisecondsMax / 1'000;

std::int64_t characters(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}
Error too_long(std::int64_t count, std::int64_t most) {
    return invalid("has " + std::to_string(count) + " characters; use at most " + std::to_string(most));
}
std::optional<Error> check_note(std::string_view text) {
    const auto count = characters(text);
    return count > kNoteMax ? std::optional(too_long(count, kNoteMax)) : std::nullopt;
}
std::optional<Error> check_schedule_id(std::string_view text) {
    if (const auto count = characters(text); count > kScheduleIdMax) return too_long(count, kScheduleIdMax);
    return check_name(text);
}

ShapePtr bounded(TextCheck check, std::int64_t least, std::int64_t most) {
    return std::make_shared<const Shape>(
        Shape{.kind = Shape::Kind::text, .check = check, .least = least, .most = most});
}
ShapePtr note() { return bounded(&check_note, 0, kNoteMax); }
ShapePtr when() { return or_null(instant()); }

ShapePtr spec_shape_said() {
    const auto interval =
        record("DurableInterval",
               {{"every", text(kSpecTextMax), "Length of the interval as an ISO 8601 duration, for example `PT30M`.",
                 Presence::required},
                {"offset", or_null(text(kSpecTextMax)), "Duration that shifts the interval from the Unix epoch."}});
    return record("DurableSpec", {{"cron_expressions", list_of(text(), kSpecPartsMax),
                                   "Cron expressions with five fields, or any form that the native API accepts."},
                                  {"intervals", list_of(interval, kSpecPartsMax),
                                   "Fixed intervals, in addition to the expressions. The earliest time counts."},
                                  {"timezone", text(kSpecTextMax),
                                   "IANA time zone. Defaults to UTC, or in an update to the current one."}});
}

std::vector<Member> action_members(Presence type) {
    const auto seconds = integer(1, kTimeoutSecondsMax);
    return {{"workflow_type", name_text(), "Kind of the workflow to start.", type},
            {"workflow_class", text(kClassMax), "Class of the workflow. Stored and passed to every task."},
            {"task_queue", name_text(), "Queue that workers claim the tasks from. Defaults to `default`."},
            {"input", anything(), "Input of every run. Defaults to no arguments."},
            {"execution_timeout_seconds", seconds, "Timeout of the execution. Stored and passed to every task."},
            {"run_timeout_seconds", seconds, "Maximum duration of an attempt, in seconds."},
            {"workflow_execution_timeout", seconds, "Deprecated alias of `execution_timeout_seconds`."},
            {"workflow_run_timeout", seconds, "Deprecated alias of `run_timeout_seconds`."}};
}

std::vector<Member> shared_members() {
    return {
        {"overlap_policy", policies(), "What happens while an earlier run is in flight. Defaults to `skip`."},
        {"jitter_seconds", integer(0, kJitterSecondsMax), "Maximum shift of each fire time, in seconds."},
        {"max_runs", integer(1, kRunsMax), "Number of runs after which the schedule deletes itself."},
        {"memo", map_of(anything()), "Arbitrary data that Belfry stores and returns, at most 256 KiB."},
        {"search_attributes", map_of(anything()), "Attributes to filter by in the `query` of a list."},
        {"labels", map_of(text(model::kTextBytesMax), kLabelsMost), "Labels of the schedule, as in the native API."},
        {"connection", name_text(), "Connection to deliver the tasks to."},
        {"queue", name_text(), "Queue of the tasks. Takes precedence over `action.task_queue`."},
        {"note", note(), "Free-form note."}};
}

std::vector<Member> skip_members_shape() {
    return all_required({{"skipped_trigger_count", integer(), "Number of triggers that were skipped."},
                         {"last_skip_reason", or_null(text()), "Reason of the last skip."},
                         {"last_skipped_at", when(), "Time of the last skip."}});
}

ShapePtr info_shape() {
    const auto recent =
        record("", all_required({{"workflow_id", or_null(text()), "Identifier of the workflow instance."},
                                 {"run_id", or_null(text()), "Unique identifier of the run."},
                                 {"outcome", one_of({"scheduled", "backfilled"}), "How the run was started."},
                                 {"fired_at", instant(), "Time at which the run was started."},
                                 {"occurrence_time", when(), "Time of the occurrence."}}));
    const auto buffered = record("", all_required({{"buffered_at", instant(), "Time since which the run waits."},
                                                   {"occurrence_time", instant(), "Time of the occurrence."}}));
    return record("DurableInfo",
                  both(all_required({{"next_fire", when(), "Next fire time."},
                                     {"last_fire", when(), "Time at which the schedule last started a run."},
                                     {"fires_count", integer(), "Number of runs that the schedule has started."},
                                     {"failures_count", integer(), "Number of those runs that failed."},
                                     {"recent_actions", list_of(recent), "Last ten runs, newest last."},
                                     {"buffered_actions", list_of(buffered), "Buffered runs, oldest first."},
                                     {"buffer_depth", integer(), "Number of buffered runs."}}),
                       skip_members_shape()));
}

}  // namespace

ShapePtr moment() { return checked_text("date-time", &parses<&parse_moment>); }
ShapePtr policies() {
    return one_of({"skip", "buffer_one", "buffer_all", "allow_all", "cancel_other", "terminate_other"});
}

std::vector<Member> all_required(std::vector<Member> members) {
    for (auto& member : members) member.presence = Presence::required;
    return members;
}
std::vector<Member> both(std::vector<Member> first, std::vector<Member> second) {
    std::ranges::move(second, std::back_inserter(first));
    return first;
}

std::vector<Member> item_members() {
    const auto offset = or_null(text());
    const auto spec = record(
        "DurableScheduleSpec",
        both(all_required({{"cron_expressions", list_of(text()), "Cron expressions, as written."},
                           {"intervals",
                            list_of(record("", all_required({{"every", text(), "Length of the interval."},
                                                             {"offset", offset, "Shift from the Unix epoch."}}))),
                            "Intervals, as written."},
                           {"timezone", text(), "Time zone of the schedule."}}),
             {{"at", list_of(text()), "Single points in time. Only the native API can set them."},
              {"start_at", text(), "Start of the window. Only the native API can set it."},
              {"end_at", text(), "End of the window. Only the native API can set it."}}));
    const auto action =
        record("DurableScheduleAction",
               both(all_required({{"workflow_type", text(), "Kind of the workflow to start."},
                                  {"task_queue", text(), "Queue that workers claim the tasks from."},
                                  {"input", anything(), "Input of every run."}}),
                    {{"workflow_class", text(), "Class of the workflow, if set."},
                     {"execution_timeout_seconds", integer(), "Timeout of the execution in seconds, if set."},
                     {"run_timeout_seconds", integer(), "Maximum duration of an attempt in seconds, if set."}}));
    return all_required(
        {{"schedule_id", text(), "Identifier of the schedule, which is its name in the native API."},
         {"namespace", text(), "Tenant that the schedule belongs to."},
         {"workflow_type", text(), "Kind of the workflow that the schedule starts."},
         {"status", one_of({"active", "paused", "completed", "deleted"}),
          "Status of the schedule. Only an `active` schedule fires."},
         {"paused", boolean(), "Whether the schedule is paused."},
         {"spec", spec, "Times at which the schedule fires."},
         {"action", action, "Workflow that the schedule starts."},
         {"overlap_policy", policies(), "What happens when an occurrence is due while earlier runs are in flight."},
         {"jitter_seconds", integer(), "Maximum shift of each fire time, in seconds."},
         {"max_runs", or_null(integer()), "Maximum number of runs."},
         {"remaining_actions", or_null(integer()), "Number of runs left of `max_runs`."},
         {"fires_count", integer(), "Number of runs that the schedule has started."},
         {"next_fire", when(), "Alias of `next_fire_at`."},
         {"next_fire_at", when(), "Next fire time. Null unless the schedule is active."},
         {"last_fire", when(), "Alias of `last_fired_at`."},
         {"last_fired_at", when(), "Time at which the schedule last started a run."},
         {"note", or_null(text()), "Free-form note."},
         {"search_attributes", map_of(anything()), "Attributes to filter by."},
         {"created_at", instant(), "Time at which the schedule was created."},
         {"updated_at", instant(), "Time at which the definition last changed."},
         {"paused_at", when(), "Time at which the schedule was paused."},
         {"deleted_at", when(), "Time at which the schedule was deleted."}});
}

ShapePtr creation_shape() {
    static const auto shape = with_example(
        record("DurableScheduleRequest",
               both({{"schedule_id", bounded(&check_schedule_id, 1, kScheduleIdMax),
                      "Identifier of the schedule, 1 to 128 characters. Generated from the workflow if omitted."},
                     {"spec", spec_shape_said(), "Times at which the schedule fires.", Presence::required},
                     {"action", record("DurableAction", action_members(Presence::required)),
                      "Workflow that the schedule starts.", Presence::required},
                     {"paused", boolean(), "Whether the schedule starts paused."}},
                    shared_members())),
        Json{{"schedule_id", "daily-invoice-sync"},
             {"spec", {{"cron_expressions", {"0 2 * * *"}}, {"timezone", "America/New_York"}}},
             {"action", {{"workflow_type", "invoice-sync"}, {"task_queue", "billing"}}}});
    return shape;
}

ShapePtr update_shape() {
    static const auto shape = record("DurableScheduleUpdate",
                                     both({{"spec", spec_shape_said(),
                                            "Times at which the schedule fires. Replaces the stored spec, but the time "
                                            "zone stays if the new spec names none."},
                                           {"action", record("DurableActionUpdate", action_members(Presence::optional)),
                                            "Workflow that the schedule starts. Omitted members stay as they are."}},
                                          shared_members()));
    return shape;
}

ShapePtr note_shape() {
    static const auto shape =
        record("DurableNote", {{"note", note(), "Reason for the request. Recorded in the history."},
                               {"reason", note(), "Alias of `note`, which takes precedence."}});
    return shape;
}
ShapePtr trigger_shape() {
    static const auto shape =
        record("DurableTrigger",
               {{"overlap_policy", policies(), "Overlap policy for this run. Defaults to the schedule's policy."}});
    return shape;
}
ShapePtr backfill_shape() {
    static const auto shape = record(
        "DurableBackfill",
        {{"start_time", moment(), "First occurrence of the range, inclusive.", Presence::required},
         {"end_time", moment(), "End of the range, exclusive.", Presence::required},
         {"overlap_policy", policies(),
          "Overlap policy of the runs. Defaults to the schedule's policy. Buffering policies act like `allow_all`."}});
    return shape;
}

ShapePtr outcome_shape() {
    static const auto shape =
        record("DurableOutcome",
               both(all_required({{"schedule_id", text(), "Identifier of the schedule."},
                                  {"outcome", one_of({"created", "updated", "deleted", "paused", "resumed"}),
                                   "Action that was performed."},
                                  {"namespace", text(), "Tenant that the schedule belongs to."},
                                  {"status", text(), "Status of the schedule."},
                                  {"paused", boolean(), "Whether the schedule is paused."},
                                  {"note", or_null(text()), "Reason for the pause, or the note of the schedule."},
                                  {"paused_at", when(), "Time at which the schedule was paused."},
                                  {"updated_at", instant(), "Time at which the definition last changed."},
                                  {"deleted_at", when(), "Time at which the schedule was deleted."}}),
                    {{"resumed_at", when(), "Time at which the schedule was resumed, if the outcome is `resumed`."}}));
    return shape;
}
ShapePtr trigger_outcome_shape() {
    static const auto shape = record(
        "DurableTriggerOutcome",
        both(all_required(
                 {{"schedule_id", text(), "Identifier of the schedule."},
                  {"outcome", one_of({"triggered", "buffered", "buffer_full", "skipped"}), "Outcome of the trigger."}}),
             {{"workflow_id", text(), "Workflow instance, if the outcome is `triggered`."},
              {"run_id", text(), "Run, if the outcome is `triggered`."},
              {"buffer_depth", integer(), "Number of buffered runs, if the outcome is `buffered`."},
              {"reason", text(), "Reason, if the outcome is `skipped` or `buffer_full`."}}));
    return shape;
}
ShapePtr backfill_outcome_shape() {
    const auto instance = or_null(text());
    static const auto row =
        record("DurableBackfillRow",
               both(all_required({{"schedule_id", text(), "Identifier of the schedule."},
                                  {"fire_time", instant(), "Time of the occurrence."},
                                  {"cron_time", instant(), "Alias of `fire_time`."},
                                  {"workflow_id", instance, "Workflow instance that was started."},
                                  {"instance_id", instance, "Alias of `workflow_id`."},
                                  {"outcome", one_of({"started", "skipped"}), "Outcome of the occurrence."}}),
                    {{"reason", text(), "Reason, if the outcome is `skipped`."}}));
    static const auto shape = record(
        "DurableBackfillOutcome",
        all_required({{"schedule_id", text(), "Identifier of the schedule."},
                      {"outcome", one_of({"backfill_started"}), "Always `backfill_started`. The backfill is complete."},
                      {"fires_attempted", integer(), "Number of occurrences in the range."},
                      {"results", list_of(row), "Outcome of each occurrence, oldest first."}}));
    return shape;
}

ShapePtr list_shape() {
    static const auto shape = record(
        "DurableScheduleList",
        all_required({{"schedules", list_of(record("DurableScheduleItem", item_members())), "Schedules, newest first."},
                      {"schedule_count", integer(), "Number of schedules on this page."},
                      {"next_page_token", or_null(text()),
                       "Token for the next page, to send with the same filter. Null if this is the last page."}}));
    return shape;
}

std::vector<Member> description_members() {
    const auto state =
        record("DurableState",
               all_required({{"status", text(), "Status of the schedule."},
                             {"paused", boolean(), "Whether the schedule is paused."},
                             {"note", or_null(text()), "Reason for the pause, or the note of the schedule."}}));
    auto members =
        both(item_members(),
             all_required({{"id", text(), "Unique identifier of the schedule in the native API."},
                           {"labels", map_of(text()), "Labels of the schedule."},
                           {"memo", map_of(anything()), "Memo of the schedule."},
                           {"connection", or_null(text()), "Connection to deliver the tasks to."},
                           {"queue", text(), "Queue that workers claim the tasks from."},
                           {"failures_count", integer(), "Number of runs that failed."},
                           {"latest_instance_id", or_null(text()), "Workflow instance that the schedule started last."},
                           {"latest_workflow_instance_id", or_null(text()), "Alias of `latest_instance_id`."},
                           {"resumed_at", when(), "Time at which the schedule was last resumed, in its newest events."},
                           {"state", state, "Current state of the schedule."},
                           {"info", info_shape(), "Past and pending runs of the schedule."}}));
    return both(std::move(members), skip_members_shape());
}

ShapePtr description_shape() {
    static const auto shape = record("DurableSchedule", description_members());
    return shape;
}

ShapePtr history_shape() {
    static const auto event = record(
        "DurableEvent",
        all_required({{"id", text(), "Unique identifier of the event."},
                      {"sequence", integer(1), "Position in the history of the schedule: 1, 2, 3…"},
                      {"event_type", text(), "Type of the event, for example `ScheduleCreated` or `SchedulePaused`."},
                      {"recorded_at", instant(), "Time of the event."},
                      {"workflow_instance_id", or_null(text()), "Workflow instance that was started."},
                      {"workflow_run_id", or_null(text()), "Run of that instance."},
                      {"payload", map_of(anything()), "Details of the event, in the words of this dialect."}}));
    static const auto shape = record(
        "DurableHistory", all_required({{"schedule_id", text(), "Identifier of the schedule."},
                                        {"namespace", text(), "Tenant that the schedule belongs to."},
                                        {"events", list_of(event), "Events, oldest first."},
                                        {"next_cursor", or_null(integer()),
                                         "Value of `after_sequence` for the next page. Null if this is the last page."},
                                        {"has_more", boolean(), "Whether there is a next page."}}));
    return shape;
}

std::vector<Member> list_parameters(std::vector<std::string> states) {
    return {{"status", one_of(std::move(states)),
             "Return only schedules with this status. By default, all but deleted ones."},
            {"workflow_type", text(), "Return only schedules that start exactly this workflow type."},
            {"query", text(kQueryMax),
             "Filter of the form `Field = literal`, joined by AND, over ScheduleId, Status, WorkflowType, TaskQueue, "
             "Note and search attributes."},
            {"page_size", integer(1, kPageRowsMax), "Maximum number of schedules to return. Defaults to 50."},
            {"next_page_token", text(kTokenMax), "`next_page_token` of the previous page."}};
}

std::vector<Member> history_parameters() {
    return {{"limit", integer(std::numeric_limits<std::int64_t>::min()),
             "Maximum number of events to return. Defaults to 100. Values outside 1 to 500 are clamped."},
            {"after_sequence", integer(), "Return only events after this one: `next_cursor` of the previous page."}};
}

}  // namespace belfry::api::durable
