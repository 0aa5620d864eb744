// Workflow assignments: read and create them, replace their policies. A caller without the permission `approve` cannot
// write one that requires fewer approvals than the default or than before: the request is forbidden and recorded
// (Schedules::refuse_loosening). Thread-safe.
#pragma once

#include "base/crypto/uuid.hpp"
#include "engine/usecases/schedules.hpp"
#include "store/tenant_store.hpp"

namespace belfry::engine {

class Assignments {
public:
    // REQUIRES: all of them outlive it.
    Assignments(store::TenantStore& store, Schedules& schedules, UuidMaker& ids)
        : store_(store), schedules_(schedules), ids_(ids) {}

    [[nodiscard]] Result<model::WorkflowAssignment> get(const std::string& tenant, const std::string& id) {
        return store_.assignment(tenant, id);
    }
    [[nodiscard]] Result<store::Listing<model::WorkflowAssignment>> list(const std::string& tenant,
                                                                         const store::Page& page) {
        return store_.assignments(tenant, page);
    }

    // Sets the id, the version and the creation time.
    [[nodiscard]] Result<model::WorkflowAssignment> create(const std::string& tenant, model::WorkflowAssignment record,
                                                           const model::CommandContext& context);

    // Replaces the assignment with this id. The workflow cannot change, because schedules refer to the assignment for
    // it. With a version, returns a conflict if the stored version differs.
    [[nodiscard]] Result<model::WorkflowAssignment> replace(const std::string& tenant, model::WorkflowAssignment record,
                                                            std::optional<std::int64_t> version,
                                                            const model::CommandContext& context);

    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& id) {
        return store_.remove_assignment(tenant, id);
    }

private:
    store::TenantStore& store_;
    Schedules& schedules_;
    UuidMaker& ids_;
};

}  // namespace belfry::engine
