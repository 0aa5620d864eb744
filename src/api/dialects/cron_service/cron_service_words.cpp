#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/cron_service/cron_service.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/time/duration.hpp"
#include "model/run/run_key.hpp"

namespace belfry::api::cron_service {

namespace {

using boost::json::object;
using std::chrono::milliseconds;

constexpr std::int64_t kJitterMax = 24LL * 60 * 60 * 1000;  // milliseconds: one day

// Policies without a name in the cron service keep the native one.
std::string_view overlap_word(model::OverlapPolicy policy) {
    switch (policy) {
        case model::OverlapPolicy::allow_all: return "allow";
        case model::OverlapPolicy::buffer_all: return "queue";
        default: return name_of(policy);
    }
}

std::string_view catchup_word(model::MissedPolicy policy) {
    switch (policy) {
        case model::MissedPolicy::skip: return "none";
        case model::MissedPolicy::fire_all: return "fire_immediately";
        default: return name_of(policy);
    }
}

std::string_view status_word(store::RunState state) {
    using enum store::RunState;
    switch (state) {
        case awaiting_approval:
        case queued:
        case buffered: return "ENQUEUED";
        case running: return "STARTED";
        case succeeded: return "SUCCESS";
        case skipped: return "SKIPPED";
        case failed:
        case cancelled:
        case terminated:
        case timed_out: break;
    }
    return "FAILED";
}

Json jitter_of(const Values& values) {
    const auto jitter = values.integer("jitter_ms").value_or(0);
    if (jitter == 0) return nullptr;
    const auto text = format_duration(milliseconds{jitter});
    return object{{"before", text}, {"after", text}};
}

// The cron service has one symmetric value; other values are shown as the larger of the two.
std::int64_t jitter_ms(const spec::JitterText& jitter) {
    Micros most{0};
    for (const auto& text : {jitter.before, jitter.after}) {
        if (const auto time = parse_duration(text)) most = std::max(most, *time);
    }
    return std::chrono::duration_cast<milliseconds>(most).count();
}

}  // namespace

Result<Instant> parse_their_instant(std::string_view text) {
    auto instant = parse_instant(text);
    if (instant) return instant;
    const auto in_utc = parse_instant(std::string(text) + "Z");
    return in_utc ? in_utc : instant;
}

ShapePtr their_instant() { return checked_text("date-time", &parses<&parse_their_instant>); }

std::vector<Member> upsert_members() {
    return {{"schedule_id", name_text(), "Name of the schedule. Generated if omitted."},
            {"workflow_id", name_text(), "Name of the workflow that the schedule starts.", Presence::required},
            {"version", integer(1, 1'000'000'000), "Version of the workflow.", Presence::required},
            {"user_id", text(255), "User on whose behalf the schedule runs.", Presence::required},
            {"cron_expr", text(), "Cron expression with five fields, or six with seconds first.", Presence::required},
            {"timezone", text(), "IANA time zone.", Presence::required},
            {"start_at", their_instant(), "Start of the window. UTC if it has no offset."},
            {"end_at", their_instant(), "End of the window. UTC if it has no offset."},
            {"jitter_ms", integer(0, kJitterMax), "Maximum jitter in both directions, in milliseconds. Defaults to 0."},
            {"overlap_policy", one_of({"allow", "skip", "queue"}),
             "What happens while an earlier run is in flight. Defaults to `skip`."},
            {"catchup_policy", one_of({"none", "fire_immediately", "spread"}),
             "What happens to missed occurrences. Defaults to `none`."}};
}

Json definition_of(const Json& upsert) {
    const Values values(upsert);
    const auto text = [&](const char* name, const char* otherwise = "") {
        return values.text(name).value_or(otherwise);
    };
    object definition{{"spec", object{{"cron", boost::json::array{Json(text("cron_expr"))}},
                                      {"intervals", nullptr},
                                      {"at", nullptr},
                                      {"timezone", text("timezone")},
                                      {"startAt", or_null(values.parsed("start_at", &parse_their_instant))},
                                      {"endAt", or_null(values.parsed("end_at", &parse_their_instant))},
                                      {"jitter", jitter_of(values)}}},
                      {"target", object{{"type", "workflow"},
                                        {"workflowKind", text("workflow_id")},
                                        {"version", *values.integer("version")},
                                        {"metadata", object{{model::kUserId, text("user_id")}}}}},
                      {"overlapPolicy", text("overlap_policy", "skip")},
                      {"missedRunPolicy", text("catchup_policy", "none")}};
    return definition;
}

boost::json::object schedule_json(const store::ScheduleRecord& record) {
    const auto& definition = record.definition;
    const auto& state = record.state;
    const auto& spec = definition.spec;
    const bool one_cron = spec.cron.size() == 1 && spec.intervals.empty() && spec.at.empty();
    return object{{"schedule_id", definition.name},
                  {"workflow_id", definition.target.kind},
                  {"version", or_null(definition.target.version)},
                  {"user_id", or_null(user_of(definition))},
                  {"cron_expr", one_cron ? Json(spec.cron.front()) : Json(nullptr)},
                  {"timezone", spec.timezone},
                  {"start_at", or_null(spec.start_at)},
                  {"end_at", or_null(spec.end_at)},
                  {"next_run_at", or_null(state.next_occurrence)},
                  {"paused", state.status == model::ScheduleStatus::paused},
                  {"jitter_ms", jitter_ms(spec.jitter)},
                  {"overlap_policy", overlap_word(definition.overlap.policy)},
                  {"catchup_policy", catchup_word(definition.missed.policy)},
                  {"updated_at", format_instant(definition.updated_at)}};
}

std::optional<std::string> user_of(const model::Schedule& definition) {
    const auto user = definition.target.metadata.find(model::kUserId);
    const auto& named = user == definition.target.metadata.end() ? definition.created_by : user->second;
    return named.empty() ? std::nullopt : std::optional(named);
}

// Clients of the specification read the members at the top, clients of the service inside `schedule`.
Json schedule_json(const store::ScheduleRecord& record, const std::vector<Instant>& next) {
    auto json = schedule_json(record);
    boost::json::array times;
    for (const auto time : next) times.push_back(Json(format_instant(time)));
    auto inside = json;
    json["schedule"] = std::move(inside);
    json["next_fire_times"] = std::move(times);
    return json;
}

namespace {

std::vector<Member> schedule_members() {
    return {{"schedule_id", text(), "Name of the schedule."},
            {"workflow_id", text(), "Name of the workflow that the schedule starts."},
            {"version", or_null(integer()), "Version of the workflow. Null means the newest."},
            {"user_id", or_null(text()), "User on whose behalf the schedule runs, or who created it."},
            {"cron_expr", or_null(text()),
             "Cron expression. Null if the schedule has more than one, or other kinds of times."},
            {"timezone", text(), "IANA time zone."},
            {"start_at", or_null(instant()), "Start of the window."},
            {"end_at", or_null(instant()), "End of the window."},
            {"next_run_at", or_null(instant()),
             "Time of the next run. Null if the schedule is paused or has no more runs."},
            {"paused", boolean(), "Whether the schedule is paused."},
            {"jitter_ms", integer(), "Maximum jitter in both directions, in milliseconds."},
            {"overlap_policy", text(), "`allow`, `skip`, `queue`, or the native name of another policy."},
            {"catchup_policy", text(), "`none`, `fire_immediately`, `spread`, or the native name of another policy."},
            {"updated_at", instant(), "Time at which the definition last changed."}};
}

}  // namespace

ShapePtr schedule_row_answer() {
    static const auto shape = answer_record("CronServiceScheduleRow", schedule_members());
    return shape;
}

ShapePtr schedule_answer() {
    static const auto shape = [] {
        auto members = schedule_members();
        members.push_back({"schedule", schedule_row_answer(), "The same members once more, as the service has them."});
        members.push_back(
            {"next_fire_times", list_of(instant()), "Next five fire times. Empty while the schedule is paused."});
        return answer_record("CronServiceSchedule", std::move(members));
    }();
    return shape;
}

std::optional<std::string> launched_run(const boost::json::object& receipt) {
    const auto* const id = receipt.if_contains("launchedRunId");
    // The result of a worker may have any members.
    if (id == nullptr || !id->is_string() || !receipt.contains("messageId")) return std::nullopt;
    return std::string(std::string_view(id->get_string()));
}

Json run_json(const model::Run& run, const model::Schedule& schedule, const std::optional<std::string>& launched) {
    const auto state = store::state_of(run);
    const auto changed = run.completed_at ? run.completed_at : run.started_at;
    return object{{"idempotency_key", model::idempotency_key(schedule, run.slot)},
                  {"schedule_id", schedule.name},
                  {"run_at", format_instant(run.slot.occurrence)},
                  {"status", status_word(state)},
                  {"run_id", launched.value_or(run.id)},
                  {"created_at", format_instant(run.decided_at)},
                  {"updated_at", format_instant(changed.value_or(run.decided_at))}};
}

ShapePtr run_answer() {
    static const auto shape = answer_record(
        "CronServiceRun",
        {{"idempotency_key", text(),
          "Key with which the run was launched: SHA-256 of `schedule_id`, a colon and the planned time in seconds."},
         {"schedule_id", text(), "Name of the schedule."},
         {"run_at", instant(), "Planned time of the run."},
         {"status", one_of({"ENQUEUED", "STARTED", "SUCCESS", "FAILED", "SKIPPED"}), "Status of the run."},
         {"run_id", text(), "Identifier that the launcher gave the run, or else the one of the native API."},
         {"created_at", instant(), "Time at which the run was decided."},
         {"updated_at", instant(), "Time at which the run last changed."}});
    return shape;
}

// The service answers 400 where the native API has 422, and its clients read `detail`.
Response refusal(const Problem& problem) {
    auto field = problem.field;
    if (!field.empty() && (field.front() == '/' || field.front() == '?')) field.erase(0, 1);
    auto theirs = problem;
    if (theirs.status == 422) theirs.status = 400;
    return error_response(theirs, object{{"detail", problem.detail},
                                         {"error", problem.code},
                                         {"message", problem.detail},
                                         {"field", or_null(field)}});
}

ShapePtr refusal_answer() {
    static const auto shape =
        answer_record("CronServiceError", {{"detail", text(), "What went wrong, and how to fix it."},
                                           {"error", text(), "Machine-readable error code."},
                                           {"message", text(), "The same text as `detail`."},
                                           {"field", or_null(text()), "Member or parameter that the error is about."}});
    return shape;
}

Error in_their_words(Error error) {
    static constexpr std::array kNames{
        FieldName{"/spec/timezone", "/timezone"},
        FieldName{"/spec/startAt", "/start_at"},
        FieldName{"/spec/endAt", "/end_at"},
        FieldName{"/spec/jitter", "/jitter_ms"},
        FieldName{"/spec", "/cron_expr"},
        FieldName{"/target/version", "/version"},
        FieldName{"/target/metadata", "/user_id"},
        FieldName{"/target", "/workflow_id"},
        FieldName{"/overlapPolicy", "/overlap_policy"},
        FieldName{"/missedRunPolicy", "/catchup_policy"},
        FieldName{"/name", "/schedule_id"},
    };
    return renamed(std::move(error), kNames);
}

}  // namespace belfry::api::cron_service
