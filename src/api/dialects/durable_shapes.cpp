#include "api/dialects/durable_shapes.hpp"

#include <algorithm>

#include "api/dialects/durable_reading.hpp"
#include "model/limits.hpp"

namespace belfry::api::durable {

namespace {

constexpr std::int64_t kSpecTextMax = 64;    // bytes of a zone or a duration
constexpr std::int64_t kSpecPartsMax = 100;  // expressions, and intervals
constexpr std::int64_t kLabelsMost = 100;
constexpr std::int64_t kClassMax = 255;
constexpr std::int64_t kQueryMax = 2'048;  // bytes
constexpr std::int64_t kTokenMax = 8'192;  // bytes
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
    return std::make_shared<const Shape>(Shape{.kind = Shape::Kind::text, .check = check, .least = least, .most = most});
}
ShapePtr note() { return bounded(&check_note, 0, kNoteMax); }
ShapePtr moment() { return checked_text("date-time", &parses<&parse_moment>); }
ShapePtr policies() { return one_of({"skip", "buffer_one", "buffer_all", "allow_all", "cancel_other", "terminate_other"}); }
ShapePtr when() { return or_null(instant()); }

std::vector<Member> all_required(std::vector<Member> members) {
    for (auto& member : members) member.presence = Presence::required;
    return members;
}
std::vector<Member> both(std::vector<Member> first, std::vector<Member> second) {
    std::ranges::move(second, std::back_inserter(first));
    return first;
}

ShapePtr spec_shape_said() {
    const auto interval = record("DurableInterval", {{"every", text(kSpecTextMax), "An ISO 8601 duration: `PT30M`.", Presence::required},
                                                     {"offset", or_null(text(kSpecTextMax)), "Moves its beats away from the epoch's."}});
    return record("DurableSpec", {{"cron_expressions", list_of(text(), kSpecPartsMax), "Five fields, or what else the native API takes."},
                                  {"intervals", list_of(interval, kSpecPartsMax), "Beside the expressions; the earliest time counts."},
                                  {"timezone", text(kSpecTextMax), "An IANA zone; UTC, or in an update the one it has, when absent."}});
}

std::vector<Member> action_members(Presence type) {
    const auto seconds = integer(1, kTimeoutSecondsMax);
    return {{"workflow_type", name_text(), "What is started.", type},
            {"workflow_class", text(kClassMax), "Kept, and passed on with every task."},
            {"task_queue", name_text(), "Where workers look for it; `default` when absent."},
            {"input", anything(), "What every run is given; no arguments when absent."},
            {"execution_timeout_seconds", seconds, "Kept, and passed on with every task."},
            {"run_timeout_seconds", seconds, "How long an attempt may take."},
            {"workflow_execution_timeout", seconds, "The older name of execution_timeout_seconds."},
            {"workflow_run_timeout", seconds, "The older name of run_timeout_seconds."}};
}

std::vector<Member> shared_members() {
    return {{"overlap_policy", policies(), "`skip` when nothing was said."},
            {"jitter_seconds", integer(0, kJitterSecondsMax), "Each fire time is moved by up to so much."},
            {"max_runs", integer(1, kRunsMax), "The schedule deletes itself after so many runs."},
            {"memo", map_of(anything()), "Kept and answered; at most 256 KiB."},
            {"search_attributes", map_of(anything()), "To find it by in a list's `query`."},
            {"labels", map_of(text(model::kTextBytesMax), kLabelsMost), "Labels of the native API."},
            {"connection", name_text(), "Where tasks are handed over."},
            {"queue", name_text(), "Comes before `action.task_queue`."},
            {"note", note(), "For whoever looks at it."}};
}

std::vector<Member> item_members() {
    const auto offset = or_null(text());
    const auto spec = record(
        "DurableScheduleSpec",
        both(all_required({{"cron_expressions", list_of(text()), "As they were written."},
                           {"intervals", list_of(record("", all_required({{"every", text(), "A duration."}, {"offset", offset, "Its phase."}}))),
                            "As they were written."},
                           {"timezone", text(), "Its zone."}}),
             {{"at", list_of(text()), "Single instants; only the native API makes them."},
              {"start_at", text(), "The same for the beginning of a window."},
              {"end_at", text(), "And for its end."}}));
    const auto action =
        record("DurableScheduleAction", both(all_required({{"workflow_type", text(), "What is started."},
                                                           {"task_queue", text(), "Where workers look for it."},
                                                           {"input", anything(), "What every run is given."}}),
                                             {{"workflow_class", text(), "When it was said."},
                                              {"execution_timeout_seconds", integer(), "When it was said."},
                                              {"run_timeout_seconds", integer(), "How long an attempt may take, when there is a limit."}}));
    return all_required({{"schedule_id", text(), "Its name in the native API."},
                         {"namespace", text(), "Its tenant."},
                         {"workflow_type", text(), "What it starts."},
                         {"status", one_of({"active", "paused", "completed", "deleted"}), "Only an active one fires."},
                         {"paused", boolean(), "Whether it is paused."},
                         {"spec", spec, "When it fires."},
                         {"action", action, "What it starts, and how."},
                         {"overlap_policy", policies(), "What happens when it is due while earlier runs go on."},
                         {"jitter_seconds", integer(), "How far a fire time may be moved."},
                         {"max_runs", or_null(integer()), "How many runs it may have."},
                         {"remaining_actions", or_null(integer()), "How many of them are left."},
                         {"fires_count", integer(), "Runs that it has started."},
                         {"next_fire", when(), "The same as next_fire_at."},
                         {"next_fire_at", when(), "When it fires next; null while it is not active."},
                         {"last_fire", when(), "The same as last_fired_at."},
                         {"last_fired_at", when(), "When it last started a run."},
                         {"note", or_null(text()), "For whoever looks at it."},
                         {"search_attributes", map_of(anything()), "To find it by."},
                         {"created_at", instant(), "When it was made."},
                         {"updated_at", instant(), "When its definition last changed."}});
}

std::vector<Member> skip_members_shape() {
    return all_required({{"skipped_trigger_count", integer(), "Triggers that were skipped, all in all."},
                         {"last_skip_reason", or_null(text()), "Why the last one was."},
                         {"last_skipped_at", when(), "When that was."}});
}

ShapePtr info_shape() {
    const auto recent = record("", all_required({{"workflow_id", or_null(text()), "The instance."},
                                                 {"run_id", or_null(text()), "Its run."},
                                                 {"outcome", one_of({"scheduled", "backfilled"}), "How it came about."},
                                                 {"fired_at", instant(), "When it was started."},
                                                 {"occurrence_time", when(), "For which time."}}));
    const auto buffered =
        record("", all_required({{"buffered_at", instant(), "Since when it waits."}, {"occurrence_time", instant(), "For which time."}}));
    return record("DurableInfo", both(all_required({{"next_fire", when(), "When it fires next."},
                                                    {"last_fire", when(), "When it last started a run."},
                                                    {"fires_count", integer(), "Runs that it has started."},
                                                    {"failures_count", integer(), "Of them, those that failed."},
                                                    {"recent_actions", list_of(recent), "The last ten runs, the newest last."},
                                                    {"buffered_actions", list_of(buffered), "What waits for a run to end, the oldest first."},
                                                    {"buffer_depth", integer(), "How many wait."}}),
                                      skip_members_shape()));
}

}  // namespace

ShapePtr creation_shape() {
    static const auto shape = with_example(
        record("DurableScheduleRequest",
               both({{"schedule_id", bounded(&check_schedule_id, 1, kScheduleIdMax), "1 to 128 characters; made from the workflow when absent."},
                     {"spec", spec_shape_said(), "When it fires.", Presence::required},
                     {"action", record("DurableAction", action_members(Presence::required)), "What it starts.", Presence::required},
                     {"paused", boolean(), "Whether it begins paused."}},
                    shared_members())),
        Json{{"schedule_id", "daily-invoice-sync"},
             {"spec", {{"cron_expressions", {"0 2 * * *"}}, {"timezone", "America/New_York"}}},
             {"action", {{"workflow_type", "invoice-sync"}, {"task_queue", "billing"}}}});
    return shape;
}

ShapePtr update_shape() {
    static const auto shape =
        record("DurableScheduleUpdate", both({{"spec", spec_shape_said(), "Replaces the old one; the zone stays when it names none."},
                                              {"action", record("DurableActionUpdate", action_members(Presence::optional)), "What is absent stays."}},
                                             shared_members()));
    return shape;
}

ShapePtr note_shape() {
    static const auto shape =
        record("DurableNote", {{"note", note(), "Why; kept in the history."}, {"reason", note(), "The same; the note counts."}});
    return shape;
}
ShapePtr trigger_shape() {
    static const auto shape = record("DurableTrigger", {{"overlap_policy", policies(), "Instead of the schedule's own, for this run."}});
    return shape;
}
ShapePtr backfill_shape() {
    static const auto shape = record("DurableBackfill", {{"start_time", moment(), "The first occurrence, included.", Presence::required},
                                                         {"end_time", moment(), "Occurrences before this one.", Presence::required},
                                                         {"overlap_policy", policies(), "Instead of the schedule's own; buffering allows all."}});
    return shape;
}

ShapePtr outcome_shape() {
    static const auto shape =
        record("DurableOutcome", all_required({{"schedule_id", text(), "The schedule."},
                                               {"outcome", one_of({"created", "updated", "deleted", "paused", "resumed"}), "What was done."}}));
    return shape;
}
ShapePtr trigger_outcome_shape() {
    static const auto shape = record(
        "DurableTriggerOutcome", both(all_required({{"schedule_id", text(), "The schedule."},
                                                    {"outcome", one_of({"triggered", "buffered", "buffer_full", "skipped"}), "What it came to."}}),
                                      {{"workflow_id", text(), "Of `triggered`: the instance."},
                                       {"run_id", text(), "Of `triggered`: its run."},
                                       {"buffer_depth", integer(), "Of `buffered`: how many wait."},
                                       {"reason", text(), "Of `skipped` and `buffer_full`: why."}}));
    return shape;
}
ShapePtr backfill_outcome_shape() {
    const auto instance = or_null(text());
    static const auto row = record("DurableBackfillRow", both(all_required({{"schedule_id", text(), "The schedule."},
                                                                            {"fire_time", instant(), "The occurrence."},
                                                                            {"cron_time", instant(), "The same."},
                                                                            {"workflow_id", instance, "The instance that was started."},
                                                                            {"instance_id", instance, "The same."},
                                                                            {"outcome", one_of({"started", "skipped"}), "What it came to."}}),
                                                              {{"reason", text(), "Of `skipped`: why."}}));
    static const auto shape = record("DurableBackfillOutcome", all_required({{"schedule_id", text(), "The schedule."},
                                                                             {"outcome", one_of({"backfill_started"}), "It is done."},
                                                                             {"fires_attempted", integer(), "How many occurrences there were."},
                                                                             {"results", list_of(row), "What each came to, from the oldest."}}));
    return shape;
}

ShapePtr list_shape() {
    static const auto shape =
        record("DurableScheduleList",
               all_required({{"schedules", list_of(record("DurableScheduleItem", item_members())), "The newest first."},
                             {"schedule_count", integer(), "How many are in this page."},
                             {"next_page_token", or_null(text()), "Send it with the same filter for the next page; null: that was the last."}}));
    return shape;
}

ShapePtr description_shape() {
    static const auto shape = [] {
        const auto state = record("DurableState", all_required({{"status", text(), "The same as outside."},
                                                                {"paused", boolean(), "Whether it is paused."},
                                                                {"note", or_null(text()), "Why it is paused, or its note."}}));
        auto members = both(item_members(), all_required({{"id", text(), "Its id in the native API."},
                                                          {"labels", map_of(text()), "Its labels."},
                                                          {"memo", map_of(anything()), "As it was given."},
                                                          {"connection", or_null(text()), "Where tasks are handed over."},
                                                          {"queue", text(), "Where workers look for it."},
                                                          {"failures_count", integer(), "Runs that failed."},
                                                          {"latest_instance_id", or_null(text()), "The instance that it started last."},
                                                          {"latest_workflow_instance_id", or_null(text()), "The same."},
                                                          {"paused_at", when(), "Since when it is paused."},
                                                          {"deleted_at", when(), "When it was deleted."},
                                                          {"state", state, "How it stands."},
                                                          {"info", info_shape(), "What it did."}}));
        return record("DurableSchedule", both(std::move(members), skip_members_shape()));
    }();
    return shape;
}

ShapePtr history_shape() {
    static const auto event = record("DurableEvent", all_required({{"id", text(), "Never changes."},
                                                                   {"sequence", integer(1), "1, 2, 3… for each schedule."},
                                                                   {"event_type", text(), "`ScheduleCreated`, `SchedulePaused`…"},
                                                                   {"recorded_at", instant(), "When it happened."},
                                                                   {"workflow_instance_id", or_null(text()), "The instance that was started."},
                                                                   {"workflow_run_id", or_null(text()), "Its run."},
                                                                   {"payload", map_of(anything()), "The same as in the native history."}}));
    static const auto shape =
        record("DurableHistory", all_required({{"schedule_id", text(), "The schedule."},
                                               {"namespace", text(), "Its tenant."},
                                               {"events", list_of(event), "From the oldest."},
                                               {"next_cursor", or_null(integer()), "Send it as `after_sequence` for the next page."},
                                               {"has_more", boolean(), "Whether there is a next page."}}));
    return shape;
}

std::vector<Member> list_parameters(std::vector<std::string> states) {
    return {
        {"status", one_of(std::move(states)), "Only these; without it all but the deleted ones."},
        {"workflow_type", text(), "Only those that start exactly this."},
        {"query", text(kQueryMax), "`Field = literal`, joined by AND, over ScheduleId, Status, WorkflowType, TaskQueue, Note and search attributes."},
        {"page_size", integer(1, kPageRowsMax), "How many at most; 50 when absent."},
        {"next_page_token", text(kTokenMax), "Of the page before."}};
}

std::vector<Member> history_parameters() {
    return {
        {"limit", integer(std::numeric_limits<std::int64_t>::min()), "How many at most; 100 when absent, and never less than 1 or more than 500."},
        {"after_sequence", integer(), "Only events after this one: `next_cursor` of the page before."}};
}

}  // namespace belfry::api::durable
