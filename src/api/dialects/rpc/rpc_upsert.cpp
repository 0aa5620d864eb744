// fn_upsert_workflow_schedule: creates or changes a schedule.
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"
#include "api/handlers.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "base/errors.hpp"
#include "model/workflow/workflow_check.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::ScheduleStatus;

// Applies the arguments to the stored schedule, or to an empty one.
Result<model::Schedule> defined(const RpcServices& services, const ScheduleLimits& limits, const Call& call,
                                const store::ScheduleRecord* stored) {
    const Values arguments(call.body);
    Json native = object{{"name", made_up_name(arguments.text("p_workflow_id").value_or(""))}};
    if (stored != nullptr) {
        auto whole = patched(object(), *stored, services.zones);
        if (!whole) return whole.error();
        native = std::move(*whole);
    }
    put_arguments(arguments, native.get_object());
    if (const auto assignment = arguments.text("p_workflow_assignment_id")) {
        // A missing assignment looks the same as one of another tenant.
        if (const auto found = services.assignments.get(call.tenant(), *assignment); !found) return found.error();
        auto filled = with_assignment(services.assignments, call.tenant(), native);
        if (!filled) return filled.error();
        native = std::move(*filled);
    }
    put_defaults(native.get_object());
    const auto shape = stored == nullptr ? schedule_request_shape() : schedule_replacement_shape();
    if (auto errors = check(native, *shape); !errors.empty()) return combine_errors(std::move(errors));
    return checked_schedule(stored == nullptr ? read_new_schedule(native, call.tenant(), limits)
                                              : read_changed_schedule(native, stored->definition),
                            limits);
}

// The workflow must exist in the workspace. A schedule of a workflow with a cycle cannot be activated.
std::optional<Error> check_workflow_of(const RpcServices& services, const Call& call, bool active) {
    const Values arguments(call.body);
    const auto workflow =
        services.workflows.get(call.tenant(), arguments.text("p_workflow_id").value_or(""), std::nullopt);
    if (!workflow) return workflow.error();
    if (!active) return std::nullopt;
    for (const auto& error : model::check_workflow(**workflow)) {
        if (model::tells_cycle(error)) return Error{ErrorCode::invalid_argument, error.message};
    }
    return std::nullopt;
}

Result<store::ScheduleRecord> created(const RpcServices& services, const ScheduleLimits& limits, const Call& call,
                                      bool active) {
    auto definition = defined(services, limits, call, nullptr);
    if (!definition) return definition.error();
    if (active) {
        if (auto allowed = services.approval_requirement.check_activation(*definition, call.context()); !allowed)
            return allowed.error();
    }
    const auto paused = active ? std::nullopt : std::optional(decide::PauseRequest{.reason = "is_active is false"});
    auto made = services.schedules.create(std::move(*definition), call.context(), paused);
    if (!made) return made.error();
    return store::ScheduleRecord{std::move(made->definition), std::move(made->state)};
}

// A schedule that is deactivated is paused before it changes; one that is activated changes before it resumes. So no
// unwanted run fires in between. All errors in the definition are detected first.
Result<store::ScheduleRecord> changed(const RpcServices& services, const ScheduleLimits& limits, const Call& call,
                                      bool active) {
    const auto record = schedule_of(services.reader, call);
    if (!record) return record;
    const auto definition = defined(services, limits, call, &*record);
    if (!definition) return definition.error();
    if (const auto compiled = services.schedules.compile(*definition); !compiled) return compiled.error();
    if (active) {
        if (auto allowed = services.approval_requirement.check_activation(*definition, call.context()); !allowed)
            return allowed.error();
    }
    if (auto allowed = services.schedules.check_loosening(*definition, &*record, call.context()); !allowed)
        return allowed.error();
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    if (!active && record->state.status == ScheduleStatus::active) {
        if (auto paused = services.schedules.pause(ref, {.reason = "is_active is false"}, call.context()); !paused)
            return paused;
    }
    const auto edit = [&](const model::Schedule& stored) {
        const store::ScheduleRecord now{stored, record->state};
        return defined(services, limits, call, &now);
    };
    auto updated = services.schedules.update(ref, std::nullopt, edit, call.context());
    if (!updated || !active || updated->state.status != ScheduleStatus::paused) return updated;
    return services.schedules.resume(ref, call.context());
}

Result<void> upsert(const RpcServices& services, const ScheduleLimits& limits, const Call& call, RowSink& sink) {
    const Values arguments(call.body);
    const bool active = arguments.boolean("p_is_active").value_or(true);
    if (auto error = check_workflow_of(services, call, active)) return *error;
    return add_row(services,
                   arguments.has("p_schedule_id") ? changed(services, limits, call, active)
                                                  : created(services, limits, call, active),
                   sink);
}

}  // namespace

void add_upsert_function(std::vector<Function>& functions, const RpcServices& services, const ScheduleLimits& limits) {
    functions.push_back(
        {.name = "fn_upsert_workflow_schedule",
         .summary = "Create or change a schedule of a workflow.",
         .details = "Omitted arguments have their defaults, also in a change. Members without an "
                    "argument stay as they are. Activating a schedule "
                    "whose assignee needs no approval and has no spending limit is rejected and "
                    "recorded as `approval_bypass_attempt`.",
         .permission = model::Permission::write,
         .arguments = upsert_arguments(),
         .answer = schedule_row_shape(),
         .says = "The row.",
         .rows = [services, limits](const Call& call, RowSink& sink) { return upsert(services, limits, call, sink); }});
}

}  // namespace belfry::api::rpc
