// Assignees: register one, change what it may use, see what it has used today. Thread-safe.
#pragma once

#include "store/store.hpp"

namespace belfry::engine {

class Assignees {
public:
    // REQUIRES: it outlives this.
    explicit Assignees(store::Store& store) : store_(store) {}

    // Its version and the time of its making are given here. With a version, a conflict when it is no longer that.
    [[nodiscard]] Result<model::AssigneeRecord> put(const std::string& tenant, model::AssigneeRecord record, std::optional<std::int64_t> version);

    [[nodiscard]] Result<model::BudgetDay> today(const std::string& tenant, const std::string& id);

private:
    store::Store& store_;
};

}  // namespace belfry::engine
