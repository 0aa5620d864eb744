// Statements for workflows, workflow runs and dead letters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "model/run/run_event.hpp"
#include "model/run/task.hpp"
#include "model/workflow/node.hpp"
#include "store/sql/row.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct WorkflowHeadRow {
    std::int64_t key = 0;
    std::int64_t newest = 0;
    bool removed = false;
    std::int64_t tenant = 0;
    std::string name;
    // Keys are shortened hashes, so tenant and name must be compared.
    [[nodiscard]] bool is(std::int64_t of_tenant, const std::string& of_name) const {
        return tenant == of_tenant && name == of_name;
    }
};
struct LockedWorkflow {
    std::int64_t newest = 0;
    std::optional<Instant> removed_at;
};
struct WorkflowVersion {
    std::pair<std::int64_t, std::int64_t> version;  // key and number
    std::string_view body;
};
struct RunEventCount {
    model::RunKey run;
    std::int64_t events = 0;
};
struct WorkflowRunHead {
    model::RunKey run;
    std::pair<std::int64_t, std::int64_t> version;  // key and number
    std::int64_t events = 0;
    std::optional<Instant> deadline;
};
struct NodeRow {
    model::RunKey run;
    model::NodeRun node = {};
    std::optional<model::Lease> lease = {};
};
struct NodeProgress {
    model::NodeStatus status = {};
    int attempts = 0;
    Instant ready_at = {};
    std::optional<Instant> completed_at;
};

extern const Query<WorkflowHeadRow> kWorkflowHeads;
extern const Query<LockedWorkflow> kLockWorkflow;
extern const Statement kInsertWorkflow;
extern const Statement kUpdateWorkflow;
extern const Statement kInsertWorkflowVersion;
extern const Query<WorkflowVersion> kWorkflowVersions;
extern const Query<WorkflowHead> kWorkflowNames;
extern const Statement kInsertWorkflowRun;
extern const Statement kEndWorkflowRun;
extern const Query<RunEventCount> kCountRunEvents;
extern const Query<WorkflowRunHead> kWorkflowRunsByKey;
extern const Query<RunEventCount> kLockWorkflowRuns;
extern const Query<OverdueRun> kOverdueWorkflowRuns;
extern const Statement kBeginRun;
extern const Statement kPutNode;
extern const Query<Result<NodeRow>> kNodesOfRuns;
extern const Query<NodeProgress> kNodeOfRun;
extern const Statement kInsertRunEvent;
extern const Query<Result<model::RunEvent>> kRunEvents;
extern const Statement kInsertDeadLetter;
extern const Statement kDeleteDeadLetter;
extern const Query<RunRow> kDeadLetters;
extern const Statement kLockDeadLetter;  // after a commit with unknown outcome
extern const Statement kForgetWorkflowRuns;
extern const Statement kForgetNodes;
extern const Statement kForgetRunEvents;

}  // namespace belfry::store::sql
