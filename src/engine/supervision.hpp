// Whether agents and teams may work unwatched. The rule of clients who want every active schedule held back by something: an
// approval of its runs, or a limit to what its assignee spends in one. Thread-safe.
#pragma once

#include "engine/runs.hpp"
#include "engine/schedules.hpp"
#include "store/store.hpp"

namespace belfry::engine {

class Supervision {
public:
    // REQUIRES: all of them outlive it.
    Supervision(store::Store& store, Schedules& schedules, Runs& runs) : store_(store), schedules_(schedules), runs_(runs) {}

    // Asked before a schedule becomes active, with its definition as it will be; one that is new has no id yet. Forbidden when
    // nothing would hold its assignee back, and then the attempt is on record as `approval_bypass_attempt`: in the audit of the
    // schedule, or of the one that Schedules::refuse makes. What could not be recorded is told instead.
    [[nodiscard]] Result<void> check_activation(const model::Schedule& definition, const model::CommandContext& context);

private:
    store::Store& store_;
    Schedules& schedules_;
    Runs& runs_;
};

}  // namespace belfry::engine
