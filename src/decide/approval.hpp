// What a person's word does to a run that waits for it. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

struct ApprovalDecision {
    bool approved = false;
    std::string reason = {};
    friend bool operator==(const ApprovalDecision&, const ApprovalDecision&) = default;
};

// Approved: the run is queued and its task becomes ready. Refused: it ends as cancelled, with the reason as its error. A
// conflict when it does not wait (any more).
// REQUIRES: facts.run is the run.
[[nodiscard]] Result<Plan> plan_approval(const Facts& facts, const ApprovalDecision& decision, Instant now,
                                         const model::CommandContext& context = {});

}  // namespace belfry::decide
