// The functions that pause, resume, switch and delete a schedule.
#include "api/dialects/rpc/rpc.hpp"

namespace belfry::api::rpc {

namespace {

using model::Permission;
using Record = store::ScheduleRecord;
using Change = std::function<Result<Record>(const Record&, const Call&)>;

// A function that changes one schedule and returns its row.
Function change_function(const RpcServices& services, std::string name, std::string summary, ShapePtr arguments,
                         Permission permission, Change change) {
    return {.name = std::move(name),
            .summary = std::move(summary),
            .permission = permission,
            .arguments = std::move(arguments),
            .answer = schedule_row_shape(),
            .says = "The row after the change.",
            .rows = [services, change = std::move(change)](const Call& call, RowSink& sink) -> Result<void> {
                const auto stored = schedule_of(services.reader, call);
                if (!stored) return stored.error();
                return add_row(services, change(*stored, call), sink);
            }};
}

Result<Record> pause(const RpcServices& services, const Record& stored, const Call& call) {
    return services.schedules.pause(ref_of(stored), {}, call.context());
}

Result<Record> resume(const RpcServices& services, const Record& stored, const Call& call) {
    if (auto allowed = services.approval_requirement.check_activation(stored.definition, call.context()); !allowed)
        return allowed.error();
    return services.schedules.resume(ref_of(stored), call.context());
}

// A schedule that already is as the client wants it stays as it is.
Result<Record> toggle(const RpcServices& services, const Record& stored, const Call& call) {
    const auto active = Values(call.body).boolean("p_is_active");
    if (!active) return in_field(invalid("must be true or false"), "/p_is_active");
    if (!*active) return pause(services, stored, call);
    if (stored.state.status == model::ScheduleStatus::active) return stored;
    return resume(services, stored, call);
}

}  // namespace

void add_change_functions(std::vector<Function>& functions, const RpcServices& services) {
    functions.push_back(
        change_function(services, "fn_pause_workflow_schedule", "Pause a schedule. Pausing it again has no effect.",
                        record("PauseWorkflowSchedule", {schedule_argument()}), Permission::operate,
                        [services](const Record& stored, const Call& call) { return pause(services, stored, call); }));
    functions.push_back(
        change_function(services, "fn_resume_workflow_schedule", "Resume a paused schedule.",
                        record("ResumeWorkflowSchedule", {schedule_argument()}), Permission::operate,
                        [services](const Record& stored, const Call& call) { return resume(services, stored, call); }));
    functions.push_back(change_function(
        services, "fn_toggle_workflow_schedule", "Pause or resume a schedule. Repeating it has no effect.",
        record("ToggleWorkflowSchedule",
               {schedule_argument(),
                {"p_is_active", boolean(), "True resumes the schedule, false pauses it.", Presence::required}}),
        Permission::operate,
        [services](const Record& stored, const Call& call) { return toggle(services, stored, call); }));
    functions.push_back(change_function(services, "fn_delete_workflow_schedule",
                                        "Delete a schedule. Its history stays readable.",
                                        record("DeleteWorkflowSchedule", {schedule_argument()}), Permission::write,
                                        [services](const Record& stored, const Call& call) {
                                            return services.schedules.remove(ref_of(stored), {}, call.context());
                                        }));
}

}  // namespace belfry::api::rpc
