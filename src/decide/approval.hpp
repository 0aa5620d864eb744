// What a person's word does to a run or a node that waits for it, what the lack of it does, and attempts to do without. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/plan_builder.hpp"

namespace belfry::decide {

inline constexpr std::size_t kApprovalCommentMax = 4'000;  // bytes that are kept

struct ApprovalDecision {
    bool approved = false;
    std::string comment = {};
    std::string node = {};  // empty: the run
    friend bool operator==(const ApprovalDecision&, const ApprovalDecision&) = default;
};

// Approved: the run, or the node, is queued and its task becomes ready. Refused: the run ends as cancelled, or the node has
// failed, and the error says by whom. What was decided the same way before leaves everything as it is; a conflict when it was
// decided otherwise, when it has expired, and when nothing waits.
// REQUIRES: facts.run is the run, and facts.approvals are its own.
[[nodiscard]] Result<Plan> plan_approval(const Facts& facts, const ApprovalDecision& decision, Instant now,
                                         const model::CommandContext& context = {});

// Nobody came in time: as if it was refused. A conflict unless the approval is pending and its time is over.
[[nodiscard]] Result<Plan> plan_approval_expiry(const Facts& facts, const std::string& node, Instant now);

// Somebody tried to do without an approval.
struct BypassAttempt {
    std::string run = {};   // empty: it has none yet
    std::string node = {};  // empty: the run
    std::string how;        // `decided_without_role`, `ended_while_waiting`, `asked_to_skip`, `activated_unsupervised`
    friend bool operator==(const BypassAttempt&, const BypassAttempt&) = default;
};
// The same attempt again has the same key. `what` they wanted to do without asking: a run, or a schedule.
[[nodiscard]] model::RequestKey bypass_key(const std::string& principal, const std::string& what, const std::string& how);
void record_bypass(PlanBuilder& builder, const BypassAttempt& attempt, const std::string& principal);
// One record in the audit of the schedule. Once for everybody who tries, run and way: the plan's request key sees to it, and
// an Idempotency-Key cannot be the same, because it has no blank.
[[nodiscard]] Plan plan_bypass_record(const Facts& facts, const BypassAttempt& attempt, Instant now, const model::CommandContext& context);

// Whether nothing holds its assignee back: nobody is asked for its runs, and nothing limits what one of them spends. No record:
// nobody has registered that assignee.
[[nodiscard]] bool is_unsupervised(const CompiledSchedule& schedule, const std::optional<model::AssigneeRecord>& assignee);

}  // namespace belfry::decide
