// The life of a schedule: create, update, pause, resume, delete. Pure; each returns a plan with its audit event.
#pragma once

#include "decide/approval.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// An instant this little in the past is accepted for a one-time schedule and fires at once.
inline constexpr Micros kOneTimeGrace = Seconds{60};

struct PauseRequest {
    std::string reason = {};
    std::optional<Instant> until = {};
};

// A new schedule; it may begin paused. Refused when its spec has no occurrence left. The plan's revision is 0: nothing was there before.
[[nodiscard]] Result<Plan> plan_create(const CompiledPtr& schedule, Instant now, const model::CommandContext& context = {},
                                       const std::optional<PauseRequest>& paused = {});

// A new schedule that was refused, because it was to do without an approval. All that is left is its audit: created, the attempt,
// deleted. It never fires, and its name is free.
[[nodiscard]] Result<Plan> plan_refused_create(const CompiledPtr& schedule, const BypassAttempt& attempt, Instant now,
                                               const model::CommandContext& context);

// Replaces the definition by `changed`, whose id, tenant and creation stay. The cursor is computed anew from now when the
// spec changed, otherwise it stays. Empty when nothing differs. A maxRuns that its runs have reached already deletes it. Refused for
// a deleted schedule.
[[nodiscard]] Result<Plan> plan_update(const Facts& facts, const CompiledPtr& changed, Instant now, const model::CommandContext& context = {});

// Pausing twice is fine and changes nothing.
[[nodiscard]] Result<Plan> plan_pause(const Facts& facts, const PauseRequest& request, Instant now, const model::CommandContext& context = {});

// Goes on with the first occurrence after now, or from the instant at which the pause ran out, or was begun when the missed-run policy
// counts it. Closes the breaker and releases what is buffered. Refused when it is neither paused nor has an open breaker.
[[nodiscard]] Result<Plan> plan_resume(const Facts& facts, Instant now, const model::CommandContext& context = {});

// Soft: the name is free again, runs and events stay. What was buffered is skipped. Refused when it is already deleted.
[[nodiscard]] Result<Plan> plan_delete(const Facts& facts, const std::string& reason, Instant now, const model::CommandContext& context = {});

// The names of the fields in which two definitions differ, as the API spells them.
[[nodiscard]] std::vector<std::string> changed_fields(const model::Schedule& before, const model::Schedule& after);

}  // namespace belfry::decide
