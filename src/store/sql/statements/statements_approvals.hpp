// Statements for approvals.
#pragma once

#include <string>

#include "model/run/approval.hpp"
#include "store/sql/row.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct UnapprovedWork {
    model::RunKey run;
    std::string node;
};

extern const Statement kInsertApproval;
extern const Statement kDecideApproval;
extern const Statement kVoidApprovals;
extern const Query<UnapprovedWork> kUnapproved;
extern const Query<model::Approval> kApprovalsOfRuns;
extern const Query<model::Approval> kApprovalsByStatus;
extern const Query<OverdueApproval> kOverdueApprovals;
extern const Query<ApprovalCount> kApprovalCounts;
extern const Statement kForgetApprovals;

}  // namespace belfry::store::sql
