#include "engine/assignments.hpp"

#include "base/ascii.hpp"

namespace belfry::engine {

Result<model::WorkflowAssignment> Assignments::create(const std::string& tenant, model::WorkflowAssignment record) {
    const auto now = store_.now();
    if (!now) return now.error();
    record.id = ids_.make(*now);
    record.created_at = *now;
    record.version = 1;
    if (auto put = store_.put_assignment(tenant, record); !put) return put.error();
    return record;
}

Result<model::WorkflowAssignment> Assignments::replace(const std::string& tenant, model::WorkflowAssignment record,
                                                       std::optional<std::int64_t> version) {
    const auto stored = store_.assignment(tenant, record.id);
    if (!stored) return stored.error();
    if (version && *version != stored->version) {
        return Error{ErrorCode::conflict, "the workflow assignment has changed: it is at version " + std::to_string(stored->version) + ", not at " +
                                              std::to_string(*version) + "; read it again"};
    }
    if (record.workflow != stored->workflow) {
        return in_field(invalid("must stay " + in_quotes(stored->workflow) + "; make another assignment for another workflow"), "/workflow");
    }
    record.created_at = stored->created_at;
    record.version = stored->version + 1;
    if (auto put = store_.put_assignment(tenant, record); !put) return put.error();
    return record;
}

}  // namespace belfry::engine
