#include "decide/approval.hpp"

#include <algorithm>

#include "decide/completion.hpp"
#include "decide/plan_builder.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

Result<Plan> plan_approval(const Facts& facts, const ApprovalDecision& decision, Instant now, const model::CommandContext& context) {
    const auto& run = *facts.run;
    if (run.execution != ExecutionStatus::awaiting_approval) {
        return Error{ErrorCode::conflict, "the run is " + std::string(name_of(run.execution)) + " and does not wait for approval"};
    }
    if (!decision.approved) {
        const auto by = context.principal.empty() ? std::string() : " by " + context.principal;
        const auto why = decision.reason.empty() ? std::string() : ": " + decision.reason;
        return plan_completion(facts, {run.id, run.execution, ExecutionStatus::cancelled, nullptr, "refused" + by + why}, now);
    }
    // It was removed while the run waited; a single task of its name is not what was approved.
    if (facts.target.verdict != TargetCheck::Verdict::ok) {
        return Error{ErrorCode::conflict, "there is no " + facts.target.detail + " any more: deploy it again, or refuse the run"};
    }
    PlanBuilder builder(facts, now, context);
    if (auto error = builder.start(run, std::max(now, run.fire_at))) return *error;
    return builder.take();
}

}  // namespace belfry::decide
