#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/cron_service.hpp"
#include "api/json_values.hpp"
#include "api/run_shapes.hpp"
#include "base/duration.hpp"

namespace belfry::api::cron_service {

namespace {

using boost::json::object;
using std::chrono::milliseconds;

constexpr std::int64_t kJitterMax = 24LL * 60 * 60 * 1000;  // milliseconds: a day

// Policies that the cron service has no word for keep ours.
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

// Both ways alike, as the cron service has it; anything else is the larger of the two.
std::int64_t jitter_ms(const spec::JitterText& jitter) {
    Micros most{0};
    for (const auto& text : {jitter.before, jitter.after}) {
        if (const auto time = parse_duration(text)) most = std::max(most, *time);
    }
    return std::chrono::duration_cast<milliseconds>(most).count();
}

}  // namespace

std::vector<Member> upsert_members() {
    return {{"schedule_id", name_text(), "Which one; made up when absent."},
            {"workflow_id", name_text(), "The workflow that it starts.", Presence::required},
            {"version", integer(1, 1'000'000'000), "The version of the workflow.", Presence::required},
            {"user_id", text(255), "On whose behalf it runs.", Presence::required},
            {"cron_expr", text(), "Five fields, or six with seconds first.", Presence::required},
            {"timezone", text(), "The IANA name of a zone.", Presence::required},
            {"start_at", instant(), "Nothing before this."},
            {"end_at", instant(), "Nothing after this."},
            {"jitter_ms", integer(0, kJitterMax), "How far a run may be moved, both ways; 0 when absent."},
            {"overlap_policy", one_of({"allow", "skip", "queue"}), "`skip` when absent."},
            {"catchup_policy", one_of({"none", "fire_immediately", "spread"}), "`none` when absent."}};
}

Json definition_of(const Json& upsert) {
    const Values values(upsert);
    const auto text = [&](const char* name, const char* otherwise = "") { return values.text(name).value_or(otherwise); };
    object definition{{"spec", object{{"cron", boost::json::array{Json(text("cron_expr"))}},
                                      {"intervals", nullptr},
                                      {"at", nullptr},
                                      {"timezone", text("timezone")},
                                      {"startAt", or_null(values.text("start_at"))},
                                      {"endAt", or_null(values.text("end_at"))},
                                      {"jitter", jitter_of(values)}}},
                      {"target", object{{"type", "workflow"},
                                        {"workflowKind", text("workflow_id")},
                                        {"version", *values.integer("version")},
                                        {"metadata", object{{model::kUserId, text("user_id")}}}}},
                      {"overlapPolicy", text("overlap_policy", "skip")},
                      {"missedRunPolicy", text("catchup_policy", "none")}};
    return definition;
}

Json schedule_json(const store::ScheduleRecord& record, const std::vector<Instant>& next) {
    const auto& definition = record.definition;
    const auto& state = record.state;
    const auto& spec = definition.spec;
    const bool one_cron = spec.cron.size() == 1 && spec.intervals.empty() && spec.at.empty();
    const auto user = definition.target.metadata.find(model::kUserId);
    boost::json::array times;
    for (const auto time : next) times.push_back(Json(format_instant(time)));
    return object{{"schedule_id", definition.name},
                  {"workflow_id", definition.target.kind},
                  {"version", or_null(definition.target.version)},
                  {"user_id", or_null(user == definition.target.metadata.end() ? definition.created_by : user->second)},
                  {"cron_expr", one_cron ? Json(spec.cron.front()) : Json(nullptr)},
                  {"timezone", spec.timezone},
                  {"start_at", or_null(spec.start_at)},
                  {"end_at", or_null(spec.end_at)},
                  {"next_run_at", or_null(state.next_occurrence)},
                  {"paused", state.status == model::ScheduleStatus::paused},
                  {"jitter_ms", jitter_ms(spec.jitter)},
                  {"overlap_policy", overlap_word(definition.overlap.policy)},
                  {"catchup_policy", catchup_word(definition.missed.policy)},
                  {"updated_at", format_instant(definition.updated_at)},
                  {"next_fire_times", std::move(times)}};
}

ShapePtr schedule_answer() {
    static const auto shape =
        answer_record("CronServiceSchedule",
                      {{"schedule_id", text(), "Its name."},
                       {"workflow_id", text(), "The workflow that it starts."},
                       {"version", or_null(integer()), "Its version; null: the newest."},
                       {"user_id", or_null(text()), "On whose behalf it runs, or who made it."},
                       {"cron_expr", or_null(text()), "Null: it is more or other than one cron expression."},
                       {"timezone", text(), "The IANA name of its zone."},
                       {"start_at", or_null(instant()), "Nothing before this."},
                       {"end_at", or_null(instant()), "Nothing after this."},
                       {"next_run_at", or_null(instant()), "Null: it is paused, or will not run any more."},
                       {"paused", boolean(), "Whether it is paused."},
                       {"jitter_ms", integer(), "How far a run may be moved, both ways."},
                       {"overlap_policy", text(), "`allow`, `skip`, `queue`, or a word of the native API that has no other here."},
                       {"catchup_policy", text(), "`none`, `fire_immediately`, `spread`, or a word of the native API that has no other here."},
                       {"updated_at", instant(), "When its definition was changed last."},
                       {"next_fire_times", list_of(instant()), "The next five times; none while it is paused."}});
    return shape;
}

Json run_json(const model::Run& run, const model::Schedule& schedule) {
    const auto state = store::state_of(run);
    const auto changed = run.completed_at ? run.completed_at : run.started_at;
    return object{{"idempotency_key", model::idempotency_key(schedule.id, run.slot)},
                  {"schedule_id", schedule.name},
                  {"run_at", format_instant(run.slot.occurrence)},
                  {"status", status_word(state)},
                  {"run_id", run.id},
                  {"created_at", format_instant(run.decided_at)},
                  {"updated_at", format_instant(changed.value_or(run.decided_at))}};
}

ShapePtr run_answer() {
    static const auto shape =
        answer_record("CronServiceRun", {{"idempotency_key", text(), "What the run was launched with."},
                                         {"schedule_id", text(), "The name of its schedule."},
                                         {"run_at", instant(), "The planned time."},
                                         {"status", one_of({"ENQUEUED", "STARTED", "SUCCESS", "FAILED", "SKIPPED"}), "How it stands."},
                                         {"run_id", text(), "Its id in the native API."},
                                         {"created_at", instant(), "When it was decided."},
                                         {"updated_at", instant(), "When it changed last."}});
    return shape;
}

Response refusal(const Problem& problem) {
    auto field = problem.field;
    if (!field.empty() && (field.front() == '/' || field.front() == '?')) field.erase(0, 1);
    return told(problem, object{{"error", problem.code}, {"message", problem.detail}, {"field", or_null(field)}});
}

ShapePtr refusal_answer() {
    static const auto shape = answer_record("CronServiceError", {{"error", text(), "For programs."},
                                                                 {"message", text(), "What was wrong, and how to mend it."},
                                                                 {"field", or_null(text()), "Which member or parameter is meant."}});
    return shape;
}

Error in_their_words(Error error) {
    return renamed(std::move(error), {{"/spec/timezone", "/timezone"},
                                      {"/spec/startAt", "/start_at"},
                                      {"/spec/endAt", "/end_at"},
                                      {"/spec/jitter", "/jitter_ms"},
                                      {"/spec", "/cron_expr"},
                                      {"/target/version", "/version"},
                                      {"/target/metadata", "/user_id"},
                                      {"/target", "/workflow_id"},
                                      {"/overlapPolicy", "/overlap_policy"},
                                      {"/missedRunPolicy", "/catchup_policy"},
                                      {"/name", "/schedule_id"}});
}

}  // namespace belfry::api::cron_service
