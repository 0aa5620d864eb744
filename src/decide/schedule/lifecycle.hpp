// Creates, updates, pauses, resumes and deletes a schedule. Pure; each returns a plan with its audit event.
#pragma once

#include "decide/approval/approval.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// A one-time schedule accepts an instant this far in the past and fires it at once.
inline constexpr Micros kOneTimeGrace = Seconds{60};

struct PauseRequest {
    std::string reason = {};
    std::optional<Instant> until = {};
};

// Creates a schedule, optionally paused. Rejected if its spec has no occurrence left. The plan's revision is 0,
// because there is no earlier state.
[[nodiscard]] Result<Plan> plan_create(const CompiledPtr& schedule, Instant now,
                                       const model::CommandContext& context = {},
                                       const std::optional<PauseRequest>& paused = {});

// A new schedule that was rejected because it would have bypassed an approval. Only its audit remains: created, the
// attempt, deleted. It never fires, and its name is free.
[[nodiscard]] Result<Plan> plan_refused_create(const CompiledPtr& schedule, const BypassAttempt& attempt, Instant now,
                                               const model::CommandContext& context);

// Replaces the definition by `changed`, whose id, tenant and creation stay. Computes the cursor anew from now if the
// spec changed; otherwise it stays. Empty if nothing differs. Deletes the schedule if its runs have already reached
// the new maxRuns. Rejected for a deleted schedule.
[[nodiscard]] Result<Plan> plan_update(const Facts& facts, const CompiledPtr& changed, Instant now,
                                       const model::CommandContext& context = {});

// Pausing twice changes nothing.
[[nodiscard]] Result<Plan> plan_pause(const Facts& facts, const PauseRequest& request, Instant now,
                                      const model::CommandContext& context = {});

// Continues with the first occurrence after now; after a pause with an end, from that end; if the missed-run policy
// counts pauses, from the start of the pause. Closes the breaker and releases buffered runs. Rejected unless the
// schedule is paused or its breaker is open.
[[nodiscard]] Result<Plan> plan_resume(const Facts& facts, Instant now, const model::CommandContext& context = {});

// A soft deletion: the name is free again, runs and events stay. Buffered runs are skipped. Rejected if it is already
// deleted.
[[nodiscard]] Result<Plan> plan_delete(const Facts& facts, const std::string& reason, Instant now,
                                       const model::CommandContext& context = {});

}  // namespace belfry::decide
