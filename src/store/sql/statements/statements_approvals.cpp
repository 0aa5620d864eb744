#include "store/sql/statements/statements_approvals.hpp"

namespace belfry::store::sql {

namespace {

const std::string kColumns =
    "s.schedule_key, s.slot, s.node, s.attempts, s.action, s.why, s.status, s.requested_us, s.expires_us, "
    "s.decided_us, s.decided_by, s.comment, "
    "s.workflow_version";

model::Approval read_approval(Columns& row) {
    model::Approval approval;
    const auto run = row.run_key();
    approval.run_id = model::run_id(run.schedule, run.slot);
    approval.node = row.text();
    approval.attempts = row.small();
    approval.action = row.text();
    approval.why = row.as<model::ApprovalWhy>();
    approval.status = row.as<model::ApprovalStatus>();
    approval.requested_at = row.instant();
    approval.expires_at = row.instant();
    approval.decided_at = row.optional_instant();
    approval.decided_by = row.text();
    approval.comment = row.text();
    approval.workflow_version = row.optional_integer();
    return approval;
}
OverdueApproval read_overdue(Columns& row) {
    auto approval = read_approval(row);
    return {row.text(), std::move(approval)};
}

}  // namespace

const Statement kInsertApproval("insert approval",
                                "INSERT INTO approvals (schedule_key, slot, node, attempts, tenant_key, action, why, "
                                "status, requested_us, expires_us, "
                                "decided_by, comment, workflow_version) {values} :key, :slot, :node::text, :attempts, "
                                ":tenant, :action::text, :why, 0, :requested, "
                                ":expires, '', '', :version {end values, rows}");
const Statement kDecideApproval(
    "decide approval",
    "UPDATE approvals SET status = :status, decided_us = :decided, decided_by = :by::text, comment = :comment::text "
    "{rows} WHERE approvals.schedule_key = :key AND approvals.slot = :slot AND approvals.node = :node::text "
    "AND approvals.attempts = :attempts AND approvals.status = 0");
const Statement kVoidApprovals(
    "void approvals",
    "UPDATE approvals SET status = 4, decided_us = :at {rows} "
    "WHERE approvals.schedule_key = :key AND approvals.slot = :slot AND approvals.status = 0");
// Work that must not start: the newest approval of the run or of the node is not granted.
const Query<UnapprovedWork> kUnapproved(
    "approvals that lack",
    "SELECT s.schedule_key, s.slot, s.node FROM approvals s {, rows} WHERE s.schedule_key = :key AND s.slot = :slot "
    "AND (s.node = '' OR s.node = :node::text) AND s.status <> 1 AND NOT EXISTS (SELECT 1 FROM approvals n "
    "WHERE n.schedule_key = s.schedule_key AND n.slot = s.slot AND n.node = s.node AND n.attempts > s.attempts)",
    [](Columns& row) {
        return UnapprovedWork{row.run_key(), row.text()};
    });
const Query<model::Approval> kApprovalsOfRuns(
    "approvals of runs",
    "SELECT " + kColumns +
        " FROM approvals s {, rows} WHERE s.schedule_key = :key AND s.slot = :slot "
        "AND s.tenant_key = :tenant",
    read_approval);
const Query<model::Approval> kApprovalsByStatus(
    "approvals by status",
    "SELECT " + kColumns +
        " FROM approvals s WHERE s.tenant_key = :tenant AND s.status = :status "
        "AND (s.requested_us, s.schedule_key, s.slot, s.node, s.attempts) > "
        "(:requested, :after_key, :after_slot, :after_node::text, :after_attempts) "
        "ORDER BY s.requested_us, s.schedule_key, s.slot, s.node, s.attempts LIMIT :limit",
    read_approval);
const Query<OverdueApproval> kOverdueApprovals(
    "overdue approvals",
    "SELECT " + kColumns +
        ", t.name FROM approvals s JOIN tenants t ON t.tenant_key = s.tenant_key WHERE s.status = 0 "
        "AND s.expires_us <= :now ORDER BY s.expires_us, s.schedule_key, s.slot, s.node LIMIT :limit",
    read_overdue);
const Query<ApprovalCount> kApprovalCounts(
    "count approvals",
    "SELECT t.name, n.pending, n.oldest FROM (SELECT tenant_key, count(*) AS pending, min(requested_us) AS oldest "
    "FROM approvals WHERE status = 0 GROUP BY tenant_key) n JOIN tenants t ON t.tenant_key = n.tenant_key "
    "ORDER BY n.pending DESC, t.name LIMIT :limit",
    [](Columns& row) {
        return ApprovalCount{row.text(), row.integer(), row.instant()};
    });
const Statement kForgetApprovals(
    "forget approvals",
    "DELETE FROM approvals {using rows} WHERE approvals.schedule_key = :key AND approvals.slot = :slot");

}  // namespace belfry::store::sql
