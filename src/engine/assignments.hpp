// Workflow assignments: make one, replace its policies. Thread-safe.
#pragma once

#include "base/uuid.hpp"
#include "store/store.hpp"

namespace belfry::engine {

class Assignments {
public:
    // REQUIRES: they outlive this.
    Assignments(store::Store& store, UuidMaker& ids) : store_(store), ids_(ids) {}

    // Its id, its version and the time of its making are given here.
    [[nodiscard]] Result<model::WorkflowAssignment> create(const std::string& tenant, model::WorkflowAssignment record);

    // By its id. The workflow stays: schedules name the assignment because of it. With a version, a conflict when it is no longer that.
    [[nodiscard]] Result<model::WorkflowAssignment> replace(const std::string& tenant, model::WorkflowAssignment record,
                                                            std::optional<std::int64_t> version);

private:
    store::Store& store_;
    UuidMaker& ids_;
};

}  // namespace belfry::engine
