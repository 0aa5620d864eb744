// The functions that read the dispatched runs of a schedule or of a workflow.
#include <algorithm>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/run_search.hpp"
#include "api/resources/runs/run_shapes.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;

constexpr std::int64_t kWorkflowRunRows = 50;

// The search for the runs of the schedule of the call.
Result<RunSearch> search_schedule(store::StoreReader& reader, const Call& call, std::int64_t usual, std::int64_t most) {
    const auto record = schedule_of(reader, call, Deleted::shown);
    if (!record) return record.error();
    return RunSearch{.filter = {.tenant = call.tenant(), .schedule_id = record->definition.id},
                     .limit = read_limit(Values(call.body), usual, most)};
}

Result<void> history(store::StoreReader& reader, const Call& call, RowSink& sink) {
    auto search = search_schedule(reader, call, kRunRows, kRunRowsMax);
    if (!search) return search.error();
    search->with_input = true;
    return add_runs(reader, *search, sink, [](const Json& run, const model::Schedule&) {
        return run_row(run, {{"run_id", "id"},
                             {"scheduled_at", "scheduledAt"},
                             {"dispatched_at", "decidedAt"},
                             {"started_at", "startedAt"},
                             {"completed_at", "completedAt"},
                             {"status", "status"},
                             {"cost", "cost"},
                             {"approval_status", "approvalStatus"},
                             {"error", "error"},
                             {"attempts", "attempts"},
                             {"trigger", "cause"},
                             {"context_inputs", "input"},
                             {"rotation_index_used", "rotationIndex"}});
    });
}

// A row of workflow_runs.
object workflow_run_row(const Json& run, const model::Schedule& definition) {
    auto row = run_row(run, {{"id", "id"},
                             {"schedule_id", "scheduleId"},
                             {"status", "status"},
                             {"scheduled_for", "scheduledAt"},
                             {"started_at", "startedAt"},
                             {"completed_at", "completedAt"},
                             {"error_message", "error"},
                             {"created_at", "decidedAt"}});
    row["workflow_id"] = definition.target.kind;
    return row;
}

Result<void> schedule_history(store::StoreReader& reader, const Call& call, RowSink& sink) {
    const auto search = search_schedule(reader, call, kWorkflowRunRows, kRunRowsMax);
    if (!search) return search.error();
    return add_runs(reader, *search, sink, &workflow_run_row);
}

Result<void> run_history(store::StoreReader& reader, const Call& call, RowSink& sink) {
    const Values arguments(call.body);
    RunSearch search{.filter = {.tenant = call.tenant()}, .limit = read_limit(arguments, kRunRows, kRunRowsMax)};
    if (arguments.has("p_schedule_id")) {
        const auto of_schedule = search_schedule(reader, call, kRunRows, kRunRowsMax);
        if (!of_schedule) return of_schedule.error();
        search = *of_schedule;
    }
    search.workflow = arguments.text("p_workflow_id").value_or("");
    if (arguments.has("p_workflow_id") && search.workflow.empty()) return {};  // no workflow has this name
    search.decided_before = arguments.instant("p_cursor");
    return add_runs(reader, search, sink, &workflow_run_row);
}

ShapePtr history_shape() {
    return answer_record(
        "ScheduleHistoryRow",
        {{"run_id", text(), "Unique identifier of the run."},
         {"scheduled_at", instant(), "Time of the occurrence."},
         {"dispatched_at", instant(), "Time at which the run was dispatched."},
         {"started_at", or_null(instant()), "Time at which a worker first claimed the run."},
         {"completed_at", or_null(instant()), "Time at which the run ended."},
         {"status", member_of_run("status"), "Current state of the run, or how it ended."},
         {"cost", member_of_run("cost"), "Usage that the workers of the run reported. Null if they reported none."},
         {"approval_status", member_of_run("approvalStatus"), "Combined status of the run's approvals."},
         {"error", or_null(text()), "Error message of a failed run."},
         {"attempts", integer(), "Number of attempts."},
         {"trigger", member_of_run("cause"), "What started the run."},
         {"context_inputs", anything(), "Input of the run."},
         {"rotation_index_used", or_null(integer()), "Index of the rotation entry that the run used."}});
}

ShapePtr workflow_run_shape() {
    return answer_record("WorkflowRunRow",
                         {{"id", text(), "Unique identifier of the run."},
                          {"workflow_id", text(), "Name of the workflow, or kind of the task, that the run started."},
                          {"schedule_id", uuid(), "Unique identifier of the schedule."},
                          {"status", member_of_run("status"), "Current state of the run, or how it ended."},
                          {"scheduled_for", instant(), "Time of the occurrence."},
                          {"started_at", or_null(instant()), "Time at which a worker first claimed the run."},
                          {"completed_at", or_null(instant()), "Time at which the run ended."},
                          {"error_message", or_null(text()), "Error message of a failed run."},
                          {"created_at", instant(), "Time at which the run was dispatched."}});
}

}  // namespace

void add_run_functions(std::vector<Function>& functions, store::StoreReader& reader) {
    functions.push_back(
        run_function(reader, "fn_workflow_schedule_history",
                     "List the last dispatched runs of a schedule, with their cost and approvals.",
                     record("WorkflowScheduleHistory", {schedule_argument(), limit_argument(kRunRows, kRunRowsMax)}),
                     history_shape(), &history));
    functions.push_back(run_function(
        reader, "fn_get_workflow_schedule_history", "List the last dispatched runs of a schedule.",
        record("GetWorkflowScheduleHistory", {schedule_argument(), limit_argument(kWorkflowRunRows, kRunRowsMax)}),
        workflow_run_shape(), &schedule_history));
    functions.push_back(run_function(
        reader, "fn_get_schedule_run_history", "List the last dispatched runs of a schedule or of a workflow.",
        with_needed(record("GetScheduleRunHistory",
                           {{"p_schedule_id", uuid(), "Unique identifier of the schedule."},
                            {"p_workflow_id", text(), "Name of the workflow."},
                            limit_argument(kRunRows, kRunRowsMax),
                            {"p_cursor", instant(), "Returns only runs with an earlier `created_at`."}}),
                    {{"p_schedule_id", "p_workflow_id"}, "a schedule is missing; add p_schedule_id or p_workflow_id"}),
        workflow_run_shape(), &run_history));
}

}  // namespace belfry::api::rpc
