// The rule for clients that want every active schedule supervised: its runs need an approval, or its assignee has a
// spending limit per run. Thread-safe.
#pragma once

#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "store/tenant_store.hpp"

namespace belfry::engine {

class ApprovalRequirement {
public:
    // REQUIRES: all of them outlive it.
    ApprovalRequirement(store::TenantStore& store, Schedules& schedules, Runs& runs)
        : store_(store), schedules_(schedules), runs_(runs) {}

    // Call before a schedule becomes active, with its future definition; a new schedule has no id yet. Returns
    // `forbidden` if neither an approval nor a limit would apply, and records an `approval_bypass_attempt` in the
    // audit of the schedule, or of the one that Schedules::refuse creates. If it cannot record the attempt, it
    // returns that error instead.
    [[nodiscard]] Result<void> check_activation(const model::Schedule& definition,
                                                const model::CommandContext& context);

private:
    store::TenantStore& store_;
    Schedules& schedules_;
    Runs& runs_;
};

}  // namespace belfry::engine
