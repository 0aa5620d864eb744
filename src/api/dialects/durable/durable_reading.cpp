#include "api/dialects/durable/durable_reading.hpp"

#include "api/contract/values.hpp"
#include "api/dialects/durable/durable_texts.hpp"
#include "base/time/duration.hpp"

namespace belfry::api::durable {

namespace {

std::string text_of(const Json& json) { return std::string(std::string_view(json.get_string())); }

void set_spec(model::Schedule& schedule, const Values& said) {
    spec::SpecText spec{.timezone = said.text("timezone").value_or(schedule.spec.timezone),
                        .jitter = schedule.spec.jitter};
    for (const auto& expression : said.array("cron_expressions")) spec.cron.push_back(text_of(expression));
    for (const auto& interval : said.array("intervals")) {
        const Values values(interval);
        spec.intervals.push_back({*values.text("every"), values.text("offset").value_or("")});
    }
    schedule.spec = std::move(spec);
}

void set_timeouts(model::Schedule& schedule, const Values& said) {
    const auto either = [&](const char* name, const char* older) {
        const auto value = said.integer(name);
        return value ? value : said.integer(older);
    };
    if (const auto run = either("run_timeout_seconds", "workflow_run_timeout")) schedule.retry.timeout = Seconds{*run};
    if (const auto all = either("execution_timeout_seconds", "workflow_execution_timeout")) {
        schedule.target.metadata[kExecutionTimeoutKey] = std::to_string(*all);
    }
}

void set_action(model::Schedule& schedule, const Values& said) {
    auto& target = schedule.target;
    if (const auto type = said.text("workflow_type"); type && *type != target.kind) {
        target.type = model::TargetType::workflow;
        target.kind = *type;
        target.version.reset();
    }
    if (const auto name = said.text("workflow_class")) target.metadata[kWorkflowClassKey] = *name;
    if (const auto queue = said.text("task_queue")) target.queue = *queue;
    if (said.has("input")) target.input = *said.any("input");
    set_timeouts(schedule, said);
}

void set_labels(model::Schedule& schedule, const Json& said) {
    schedule.labels.clear();
    for (const auto& label : said.get_object()) {
        if (!label.value().is_null()) schedule.labels[label.key()] = text_of(label.value());
    }
}

void set_jitter(model::Schedule& schedule, std::int64_t seconds) {
    schedule.spec.jitter = {};
    if (seconds > 0) schedule.spec.jitter.after = format_duration(Seconds{seconds});
}

}  // namespace

model::Schedule updated(model::Schedule schedule, const Json& body) {
    const Values said(body);
    if (said.has("spec")) set_spec(schedule, Values(*said.any("spec")));
    if (said.has("action")) set_action(schedule, Values(*said.any("action")));
    // The routing of the schedule takes precedence over that of its action.
    if (const auto queue = said.text("queue")) schedule.target.queue = *queue;
    if (const auto connection = said.text("connection")) schedule.target.connection = *connection;
    if (const auto policy = said.parsed("overlap_policy", &model::parse_overlap_policy))
        schedule.overlap.policy = *policy;
    if (const auto seconds = said.integer("jitter_seconds")) set_jitter(schedule, *seconds);
    if (const auto runs = said.integer("max_runs")) schedule.max_runs = *runs;
    if (said.has("memo")) schedule.memo = *said.any("memo");
    if (said.has("search_attributes")) schedule.search_attributes = *said.any("search_attributes");
    if (said.has("labels")) set_labels(schedule, *said.any("labels"));
    if (const auto note = said.text("note")) schedule.notes = *note;
    return schedule;
}

model::Schedule new_schedule(const Json& body, const std::string& tenant) {
    model::Schedule fresh;
    fresh.tenant = tenant;
    fresh.missed.policy = model::MissedPolicy::fire_once;
    fresh.target.input = boost::json::array();  // no arguments
    auto schedule = updated(std::move(fresh), body);
    schedule.name = Values(body).text("schedule_id").value_or("");
    if (schedule.name.empty()) schedule.name = made_up_name(schedule.target.kind);
    return schedule;
}

std::optional<Response> refuse_memo(const Json& body) {
    const Values said(body);
    if (!said.has("memo")) return std::nullopt;
    const auto size = to_text(*said.any("memo")).size();
    if (size <= kMemoMax) return std::nullopt;
    const auto message = "the memo has " + std::to_string(size) + " bytes; use at most " + std::to_string(kMemoMax);
    return refused({problem_of(in_field(invalid(message), "/memo")), "memo_too_large", {{"limit", kMemoMax}}});
}

Result<Instant> parse_moment(std::string_view text) {
    constexpr std::size_t kDateLength = 10;    // 2026-04-10
    constexpr std::size_t kMinuteLength = 16;  // 2026-04-10T00:00
    std::string whole(text);
    if (whole.size() == kDateLength) whole += "T00:00:00";
    if (whole.size() > kDateLength && whole[kDateLength] == ' ') whole[kDateLength] = 'T';
    if (whole.size() == kMinuteLength) whole += ":00";
    if (auto instant = parse_instant(whole)) return instant;
    if (auto instant = parse_instant(whole + 'Z')) return instant;
    return invalid("must be an instant, for example 2026-04-10T00:00:00Z");
}

}  // namespace belfry::api::durable
