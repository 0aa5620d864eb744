// What an approver's decision, or an expiry, does to a waiting run or node, and records of attempts to bypass
// approvals. Pure.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/plan_builder.hpp"

namespace belfry::decide {

inline constexpr std::size_t kApprovalCommentMax = 4'000;  // bytes that are stored

struct ApprovalDecision {
    bool approved = false;
    std::string comment = {};
    std::string node = {};  // empty: the run
    friend bool operator==(const ApprovalDecision&, const ApprovalDecision&) = default;
};

// Approved: the run, or the node, is queued and its task becomes ready. Rejected: the run ends as cancelled, or the
// node fails, and the error names the approver. Repeating the same decision changes nothing. Returns a conflict if
// the decision was different, if the approval has expired, or if nothing waits. REQUIRES: facts.run is the run, and
// facts.approvals are its own.
[[nodiscard]] Result<Plan> plan_approval(const Facts& facts, const ApprovalDecision& decision, Instant now,
                                         const model::CommandContext& context = {});

// The approval expired: treated like a rejection. Returns a conflict unless the approval is pending and its time has
// passed.
[[nodiscard]] Result<Plan> plan_approval_expiry(const Facts& facts, const std::string& node, Instant now);

// An attempt to bypass an approval.
struct BypassAttempt {
    std::string run = {};   // empty: there is none yet
    std::string node = {};  // empty: the run
    // `decided_without_role`, `ended_while_waiting`, `asked_to_skip`, `activated_unsupervised` or
    // `loosened_without_role`.
    std::string how;
    // An object without an audit of its own, such as `workflow press` or `assignment 0199…`; empty: the schedule.
    std::string subject = {};
    friend bool operator==(const BypassAttempt&, const BypassAttempt&) = default;
};
// The same attempt again has the same key. `what` is the run or the schedule that would have bypassed the approval.
[[nodiscard]] model::RequestKey bypass_key(const std::string& principal, const std::string& what,
                                           const std::string& how);
void record_bypass(PlanBuilder& builder, const BypassAttempt& attempt, const std::string& principal);
// Adds one record to the schedule's audit, once for each caller, run and way: the plan's request key ensures it. An
// Idempotency-Key cannot be the same, because it contains no space.
[[nodiscard]] Plan plan_bypass_record(const Facts& facts, const BypassAttempt& attempt, Instant now,
                                      const model::CommandContext& context);

// Whether nothing supervises the assignee: its runs need no approval, and no limit applies to their spending. An
// empty record means that the assignee is not registered.
[[nodiscard]] bool is_unsupervised(const CompiledSchedule& schedule,
                                   const std::optional<model::AssigneeRecord>& assignee);

}  // namespace belfry::decide
