// Reads workflows and workflow runs.
#pragma once

#include <map>
#include <vector>

#include "base/concurrency/lru_cache.hpp"
#include "model/run/approval.hpp"
#include "model/workflow/node.hpp"
#include "store/sql/database.hpp"
#include "store/sql/read/run_reader.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"

namespace belfry::store::sql {

// By key and version. A committed version never changes, but data that a writing session sees may never be committed.
// Thread-safe.
class WorkflowCache {
public:
    using Version = std::pair<std::int64_t, std::int64_t>;
    [[nodiscard]] model::WorkflowPtr find(const Version& version) { return workflows_.find(version); }
    void keep(const Version& version, const model::WorkflowPtr& workflow, std::size_t bytes) {
        workflows_.keep(version, workflow, bytes);
    }

private:
    static constexpr std::size_t kBytesMax = std::size_t{16} << 20U;
    struct Hash {
        std::size_t operator()(const Version& version) const {
            return static_cast<std::size_t>(version.first + version.second);
        }
    };
    LruCache<Version, model::Workflow, Hash> workflows_{kBytesMax};
};

// The stored form.
[[nodiscard]] std::string workflow_text(const model::Workflow& workflow);

using Workflows = std::map<WorkflowCache::Version, model::WorkflowPtr>;
// The requested versions that exist.
[[nodiscard]] Result<Workflows> read_workflows(Session& session, const std::vector<WorkflowCache::Version>& wanted,
                                               WorkflowCache& cache, Sees sees);

[[nodiscard]] Result<std::map<std::int64_t, WorkflowHeadRow>> read_workflow_heads(Session& session, const Batch& keys);

// The workflow runs. Includes runs without a workflow whose single task has a node record. Nodes are as stored:
// whether one is running follows from its lease.
struct WorkflowRunRow {
    model::WorkflowRun workflow_run;
    std::vector<model::Lease> leases = {};  // of its nodes
};
[[nodiscard]] Result<std::map<model::RunKey, WorkflowRunRow>> read_workflow_runs(Session& session, const Batch& runs,
                                                                                 WorkflowCache& cache, Sees sees);

// Approvals of runs, by run and age: rows of kApprovalsOfRuns.
[[nodiscard]] Result<std::vector<model::Approval>> read_approvals(Session& session, const Batch& runs);

// Omits unreadable runs: one must not keep the others from their workers. REQUIRES: a session that sees only
// committed data.
[[nodiscard]] Result<std::map<model::RunKey, WorkflowRunRow>> read_readable_walks(
    Session& session, const std::vector<model::RunKey>& runs, WorkflowCache& cache);

}  // namespace belfry::store::sql
