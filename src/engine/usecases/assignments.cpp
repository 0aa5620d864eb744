#include "engine/usecases/assignments.hpp"

#include "base/text/ascii.hpp"
#include "decide/approval/approval_order.hpp"

namespace belfry::engine {

Result<model::WorkflowAssignment> Assignments::create(const std::string& tenant, model::WorkflowAssignment record,
                                                      const model::CommandContext& context) {
    if (!context.may_loosen && decide::loosens(record, nullptr)) {
        return schedules_.refuse_loosening(tenant, record.workflow,
                                           "assignment of " + record.workflow + " to " + record.assignee.id, context);
    }
    const auto now = store_.now();
    if (!now) return now.error();
    record.id = ids_.make(*now);
    record.created_at = *now;
    record.version = 1;
    if (auto put = store_.put_assignment(tenant, record); !put) return put.error();
    return record;
}

Result<model::WorkflowAssignment> Assignments::replace(const std::string& tenant, model::WorkflowAssignment record,
                                                       std::optional<std::int64_t> version,
                                                       const model::CommandContext& context) {
    const auto stored = store_.assignment(tenant, record.id);
    if (!stored) return stored.error();
    if (version && *version != stored->version) {
        return Error{ErrorCode::conflict, "the workflow assignment has changed: it is at version " +
                                              std::to_string(stored->version) + ", not at " + std::to_string(*version) +
                                              "; read it again"};
    }
    if (record.workflow != stored->workflow) {
        return in_field(
            invalid("must stay " + in_quotes(stored->workflow) + "; create another assignment for another workflow"),
            "/workflow");
    }
    // The store compares the version again when it writes.
    if (!context.may_loosen && decide::loosens(record, &*stored)) {
        return schedules_.refuse_loosening(tenant, record.workflow, "assignment " + record.id, context);
    }
    record.created_at = stored->created_at;
    record.version = stored->version + 1;
    if (auto put = store_.put_assignment(tenant, record); !put) return put.error();
    return record;
}

}  // namespace belfry::engine
