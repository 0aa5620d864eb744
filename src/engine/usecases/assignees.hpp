// Assignees: read and register them, change their limits, read today's usage. Thread-safe.
#pragma once

#include "store/tenant_store.hpp"

namespace belfry::engine {

class Assignees {
public:
    // REQUIRES: the store outlives it.
    explicit Assignees(store::TenantStore& store) : store_(store) {}

    [[nodiscard]] Result<model::AssigneeRecord> get(const std::string& tenant, const std::string& id) {
        return store_.assignee(tenant, id);
    }
    [[nodiscard]] Result<store::Listing<model::AssigneeRecord>> list(const std::string& tenant,
                                                                     const store::Page& page) {
        return store_.assignees(tenant, page);
    }

    // Sets the version and the creation time. With a version, returns a conflict if the stored version differs.
    [[nodiscard]] Result<model::AssigneeRecord> put(const std::string& tenant, model::AssigneeRecord record,
                                                    std::optional<std::int64_t> version);

    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& id) {
        return store_.remove_assignee(tenant, id);
    }

    [[nodiscard]] Result<model::BudgetDay> today(const std::string& tenant, const std::string& id);

private:
    store::TenantStore& store_;
};

}  // namespace belfry::engine
