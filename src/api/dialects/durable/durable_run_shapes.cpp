// The shapes of workflow runs in the durable dialect.
#include "api/dialects/durable/durable_run_writing.hpp"
#include "api/dialects/durable/durable_shapes.hpp"

namespace belfry::api::durable {

namespace {

Member contract_member() {
    return {"control_plane", map_of(anything()), "Contract of the response, which the `dw` command checks."};
}
Member workflow_member() { return {"workflow_id", text(), "Identifier of the workflow: `schedule:{name}:{time}`."}; }
Member run_member() { return {"run_id", text(), "Unique identifier of the run, as in the native API."}; }
Member namespace_member() { return {"namespace", text(), "Tenant that the run belongs to."}; }

std::vector<Member> run_item_members() {
    return {workflow_member(),
            run_member(),
            {"run_number", integer(), "Always 1: a workflow id has one run."},
            {"is_current_run", boolean(), "Always true."},
            namespace_member(),
            {"workflow_type", text(), "Kind of the workflow."},
            {"schedule_id", text(), "Schedule that started the run."},
            {"business_key", or_null(text()), "Always null."},
            {"status",
             one_of({"pending", "waiting", "running", "completed", "failed", "timed_out", "cancelled", "terminated"}),
             "Status of the run."},
            {"status_bucket", one_of({"running", "completed", "failed"}), "Whether the run has ended, and how."},
            {"is_terminal", boolean(), "Whether the run has ended."},
            {"task_queue", text(), "Queue that workers claim the tasks from."},
            {"started_at", instant(), "Time at which the run started."},
            {"closed_at", or_null(instant()), "Time at which the run ended."},
            {"search_attributes", map_of(anything()), "Attributes of the schedule."}};
}

ShapePtr run_item_shape() {
    static const auto shape = record("DurableRunItem", all_required(run_item_members()));
    return shape;
}

}  // namespace

ShapePtr run_list_shape() {
    static const auto shape = record(
        "DurableRunList", all_required({{"workflows", list_of(run_item_shape()), "Runs, the newest occurrence first."},
                                        {"workflow_count", integer(), "Number of runs on this page."},
                                        {"next_page_token", or_null(text()),
                                         "Token for the next page, to send with the same filter. Null at the end."},
                                        contract_member()}));
    return shape;
}

ShapePtr run_description_shape() {
    static const auto shape =
        record("DurableRun",
               all_required(
                   both(run_item_members(),
                        {{"run_count", integer(), "Always 1."},
                         {"compatibility", or_null(text()), "Always null."},
                         {"payload_codec", text(), "Codec of the input."},
                         {"execution_timeout_seconds", or_null(integer()), "Timeout of the execution, in seconds."},
                         {"run_timeout_seconds", or_null(integer()), "Maximum duration of an attempt, in seconds."},
                         {"last_progress_at", instant(), "Time of the last change."},
                         {"closed_reason", or_null(text()), "How the run ended."},
                         {"wait_kind", or_null(text()), "What the run waits for: `approval`, or null."},
                         {"wait_reason", or_null(text()), "What the run waits for, as a sentence."},
                         {"error", or_null(text()), "Why the run failed or was stopped."},
                         {"memo", map_of(anything()), "Memo of the schedule."},
                         {"input_envelope", anything(), "The input, if it is encoded with a codec other than JSON."},
                         {"input", anything(), "Input of the run, decoded if its codec is JSON."},
                         {"output_envelope", anything(), "The output, if it is encoded with a codec other than JSON."},
                         {"output", anything(), "Output of the run, decoded if its codec is JSON."},
                         {"actions", map_of(boolean()), "Which actions the run allows."},
                         contract_member()})));
    return shape;
}

ShapePtr runs_of_workflow_shape() {
    static const auto shape =
        record("DurableRunsOfWorkflow", all_required({workflow_member(),
                                                      namespace_member(),
                                                      {"run_count", integer(), "Always 1."},
                                                      {"runs", list_of(run_item_shape()), "The run."},
                                                      contract_member()}));
    return shape;
}

ShapePtr run_history_shape() {
    static const auto shape = [] {
        const auto event =
            record("DurableRunEvent",
                   all_required({{"sequence", integer(), "Position in the history of the run."},
                                 {"event_type", text(), "Type of the event, for example `WorkflowStarted`."},
                                 {"timestamp", instant(), "Time of the event."},
                                 {"principal", or_null(text()), "Always null."},
                                 {"payload", map_of(anything()), "Details of the event."}}));
        return record("DurableRunHistory",
                      all_required({workflow_member(),
                                    run_member(),
                                    namespace_member(),
                                    {"events", list_of(event), "Events, oldest first."},
                                    {"next_page_token", or_null(text()), "Token for the next page, or null."},
                                    contract_member()}));
    }();
    return shape;
}

ShapePtr run_outcome_shape() {
    static const auto shape =
        record("DurableRunOutcome",
               all_required({workflow_member(),
                             run_member(),
                             namespace_member(),
                             {"outcome", one_of({"cancelled", "terminated"}), "What happened to the run."},
                             {"command_status", one_of({"accepted"}), "Always `accepted`."},
                             {"status", text(), "Status of the run."},
                             {"reason", or_null(text()), "Reason of the request."},
                             contract_member()}));
    return shape;
}

}  // namespace belfry::api::durable
