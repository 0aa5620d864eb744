// The arguments of fn_upsert_workflow_schedule, and their native meaning.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"
#include "api/resources/schedules/schedule_shape.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;

constexpr const char* kEveryMinute = "* * * * *";
constexpr std::size_t kCronFields = 5;
constexpr const char* kParallel = "parallel";

bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

std::optional<Error> check_five_fields(std::string_view text) {
    std::size_t fields = 0;
    bool inside = false;
    for (const char c : text) {
        if (!is_space(c) && !inside) ++fields;
        inside = !is_space(c);
    }
    if (fields == kCronFields) return std::nullopt;
    return invalid("has " + std::to_string(fields) +
                   " fields; a cron expression has exactly five: minute, hour, day, month, weekday");
}

// The shape of a member of a native schedule.
ShapePtr native_part(std::string_view name) {
    const auto& members = schedule_request_shape()->members;
    return std::ranges::find(members, name, &Member::name)->shape;
}

ShapePtr native_part_of(std::string_view part, std::string_view name) {
    const auto whole = native_part(part);
    return std::ranges::find(whole->members, name, &Member::name)->shape;
}

ShapePtr queue_policy() {
    return record(
        "RpcQueuePolicy",
        {{"mode",
          one_of({"parallel", "serial", "buffer_one", "buffer_all", "cancel_other", "terminate_other"},
                 &parses<&model::parse_overlap_policy>),
          "Whether a run may overlap its predecessor. The other values are native overlap policies."},
         {"maxConcurrency", native_part("maxConcurrency"), "Maximum number of runs in flight at once."},
         {"priority", native_part_of("target", "priority"),
          "Priority in the queue of the workers. The highest comes first."},
         {"onMissed", one_of({"skip", "run_once", "backfill", "spread"}, &parses<&model::parse_missed_policy>),
          "What happens to missed occurrences, including those during a pause."},
         {"maxBackfill", native_part("maxBackfill"),
          "Maximum number of missed occurrences that `backfill` runs. The newest ones count."}});
}

// A policy that is given replaces the stored one: members that it omits have their defaults. A policy that is not given
// is removed, so that a default can apply.
void put_policy(const Values& arguments, const char* argument, object& native, const char* name) {
    native.erase(name);
    if (arguments.has(argument)) native[name] = *arguments.any(argument);
}

object& part(object& native, std::string_view name) {
    auto& value = native[name];
    return value.is_object() ? value.get_object() : value.emplace_object();
}

void put_times(const Values& arguments, object& native) {
    native.erase("scheduleType");
    auto& spec = part(native, "spec");
    spec["cron"] = boost::json::array{Json(arguments.text("p_cron_expr").value_or(kEveryMinute))};
    spec["intervals"] = boost::json::array();
    spec["at"] = boost::json::array();
    const auto zone = arguments.text("p_timezone").value_or("");
    spec["timezone"] = std::ranges::all_of(zone, is_space) ? std::string("UTC") : zone;
}

void put_target(const Values& arguments, object& native) {
    auto& target = part(native, "target");
    const auto workflow = arguments.text("p_workflow_id").value_or("");
    const auto* const before = target.if_contains("workflowKind");
    if (before == nullptr || *before != Json(workflow)) target.erase("version");
    target.erase("taskKind");
    target["type"] = "workflow";
    target["workflowKind"] = workflow;
    auto& metadata = part(target, "metadata");
    if (const auto model = arguments.text("p_global_model_id")) {
        metadata["global_model_id"] = *model;
    } else {
        metadata.erase("global_model_id");
    }
}

void put_queue(const Values& arguments, object& native) {
    for (const auto* const name : {"overlapPolicy", "maxConcurrency", "missedRunPolicy", "maxBackfill"})
        native.erase(name);
    auto& target = part(native, "target");
    target.erase("priority");
    if (!arguments.has("p_queue_policy")) return;
    const Values given(*arguments.any("p_queue_policy"));
    native["overlapPolicy"] = given.text("mode").value_or(kParallel);
    target["priority"] = given.integer("priority").value_or(0);
    if (given.has("maxConcurrency")) native["maxConcurrency"] = *given.any("maxConcurrency");
    if (given.has("onMissed")) native["missedRunPolicy"] = *given.any("onMissed");
    if (given.has("maxBackfill")) native["maxBackfill"] = *given.any("maxBackfill");
}

void fill(object& into, std::string_view name, const Json& usual) {
    auto& value = into[name];
    if (value.is_null()) value = usual;
}

// The native locations of the arguments, the longest prefix first.
constexpr std::array kOrigins{
    FieldName{"/spec/timezone", "/p_timezone"},
    FieldName{"/spec", "/p_cron_expr"},
    FieldName{"/target/priority", "/p_queue_policy/priority"},
    FieldName{"/target/metadata", "/p_global_model_id"},
    FieldName{"/target", "/p_workflow_id"},
    FieldName{"/assignee/type", "/p_assignee_type"},
    FieldName{"/assignee", "/p_assignee_id"},
    FieldName{"/workflowAssignmentId", "/p_workflow_assignment_id"},
    FieldName{"/overlapPolicy", "/p_queue_policy/mode"},
    FieldName{"/maxConcurrency", "/p_queue_policy/maxConcurrency"},
    FieldName{"/missedRunPolicy", "/p_queue_policy/onMissed"},
    FieldName{"/maxBackfill", "/p_queue_policy/maxBackfill"},
    FieldName{"/retryPolicy", "/p_retry_policy", true},
    FieldName{"/failurePolicy", "/p_failure_policy", true},
    FieldName{"/approvalPolicy", "/p_approval_policy", true},
    FieldName{"/inputsTemplate", "/p_inputs_template"},
    FieldName{"/description", "/p_description"},
    FieldName{"/preDispatchCondition", "/p_condition", true},
    FieldName{"/inputsRotation", "/p_rotation", true},
    FieldName{"/calendars", "/p_calendar_id"},
};

}  // namespace

ShapePtr upsert_arguments() {
    static const auto shape = record(
        "UpsertWorkflowSchedule",
        {{"p_workflow_id", text(), "Name of a workflow of the workspace.", Presence::required},
         {"p_schedule_id", uuid(), "Schedule to change. Null creates a new one."},
         {"p_cron_expr", checked_text("cron", &check_five_fields),
          "Cron expression with five fields. Defaults to `* * * * *`."},
         {"p_timezone", text(), "IANA time zone. Defaults to UTC if omitted or blank."},
         {"p_description", native_part("description"),
          "Description of the schedule. Null keeps the stored one, an empty text removes it."},
         {"p_global_model_id", text(),
          "Model identifier. It reaches every task of the runs as `global_model_id` in the metadata."},
         {"p_inputs_template", anything(), "Input of each run. Defaults to {}."},
         {"p_is_active", boolean(), "Whether the schedule is active. False pauses it. Defaults to true."},
         {"p_assignee_type", one_of({"agent", "team"}), "Type of the assignee. Defaults to `agent`."},
         {"p_assignee_id", name_text(), "Assignee that does the work."},
         {"p_workflow_assignment_id", text(),
          "Workflow assignment that the schedule belongs to. Omitted policies and an omitted assignee take its "
          "values."},
         {"p_approval_policy", native_part("approvalPolicy"),
          "Approval policy. Defaults to `{\"requiresApproval\": true}`."},
         {"p_retry_policy", native_part("retryPolicy"), "Retry policy. Defaults to `{\"maxRetries\": 1}`."},
         {"p_failure_policy", native_part("failurePolicy"), "Failure policy. Defaults to `{\"mode\": \"isolate\"}`."},
         {"p_queue_policy", queue_policy(), "Queue policy. Defaults to `{\"mode\": \"parallel\"}`."}});
    return shape;
}

void put_arguments(const Values& arguments, object& native) {
    put_times(arguments, native);
    put_target(arguments, native);
    put_queue(arguments, native);
    if (const auto description = arguments.text("p_description")) native["description"] = *description;
    native.erase("assignee");
    if (const auto id = arguments.text("p_assignee_id")) {
        native["assignee"] = object{{"type", arguments.text("p_assignee_type").value_or("agent")}, {"id", *id}};
    }
    native.erase("workflowAssignmentId");
    if (const auto id = arguments.text("p_workflow_assignment_id")) native["workflowAssignmentId"] = *id;
    put_policy(arguments, "p_approval_policy", native, "approvalPolicy");
    put_policy(arguments, "p_retry_policy", native, "retryPolicy");
    put_policy(arguments, "p_failure_policy", native, "failurePolicy");
    const auto* const inputs = arguments.any("p_inputs_template");
    native["inputsTemplate"] = inputs == nullptr || inputs->is_null() ? Json(object()) : *inputs;
}

void put_defaults(object& native) {
    fill(part(native, "approvalPolicy"), "requiresApproval", true);
    fill(part(native, "retryPolicy"), "maxRetries", 1);
    fill(part(native, "failurePolicy"), "mode", "isolate");
    fill(native, "overlapPolicy", kParallel);
    fill(native, "missedRunPolicy", "skip");
    fill(native, "missedGrace", "PT1M");
    native["missedWhilePaused"] = true;
}

Error in_arguments(Error error) { return renamed(std::move(error), kOrigins); }

}  // namespace belfry::api::rpc
