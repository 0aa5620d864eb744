// Workflows, and the runs that walk them, from their rows.
#pragma once

#include <map>
#include <vector>

#include "base/lru_cache.hpp"
#include "model/approval.hpp"
#include "model/node.hpp"
#include "store/sql/database.hpp"
#include "store/sql/run_reader.hpp"

namespace belfry::store::sql {

// By key and version. A version never changes once it is committed: what a writing session sees may never be. Thread-safe.
class WorkflowCache {
public:
    using Version = std::pair<std::int64_t, std::int64_t>;
    [[nodiscard]] model::WorkflowPtr find(const Version& version) { return workflows_.find(version); }
    void keep(const Version& version, const model::WorkflowPtr& workflow, std::size_t bytes) { workflows_.keep(version, workflow, bytes); }

private:
    static constexpr std::size_t kBytesMax = std::size_t{16} << 20U;
    struct Hash {
        std::size_t operator()(const Version& version) const { return static_cast<std::size_t>(version.first + version.second); }
    };
    LruCache<Version, model::Workflow, Hash> workflows_{kBytesMax};
};

// As it is stored.
[[nodiscard]] std::string workflow_text(const model::Workflow& workflow);

using Workflows = std::map<WorkflowCache::Version, model::WorkflowPtr>;
// Those that exist of the ones that are asked for.
[[nodiscard]] Result<Workflows> read_workflows(Session& session, const std::vector<WorkflowCache::Version>& wanted, WorkflowCache& cache, Sees sees);

struct WorkflowHeadRow {
    std::int64_t newest = 0;
    bool removed = false;
    std::int64_t tenant = 0;
    std::string name = {};
    // Keys are shortened hashes: whose workflow it is, and what it is called, is compared.
    [[nodiscard]] bool is(std::int64_t of_tenant, const std::string& of_name) const { return tenant == of_tenant && name == of_name; }
};
[[nodiscard]] Result<std::map<std::int64_t, WorkflowHeadRow>> read_workflow_heads(Session& session, const Batch& keys);

// The walks of the runs; those that walk none are there, too, when their only task has a record. Nodes are as their rows say:
// whether one is running is told by its lease.
struct WalkRow {
    model::Walk walk;
    std::vector<model::Lease> leases = {};  // of its nodes, as far as they have one
};
[[nodiscard]] Result<std::map<model::RunKey, WalkRow>> read_walks(Session& session, const Batch& runs, WorkflowCache& cache, Sees sees);

// Columns of the statements of approvals, from the first on.
[[nodiscard]] model::Approval read_approval(const Row& row);
// Of runs, by run and age: rows of kApprovalsOfRuns.
[[nodiscard]] Result<std::vector<model::Approval>> read_approvals(Session& session, const Batch& runs);

// Without those that cannot be read: one must not keep the others from their workers. REQUIRES: a session that sees only what is committed.
[[nodiscard]] Result<std::map<model::RunKey, WalkRow>> read_readable_walks(Session& session, const std::vector<model::RunKey>& runs,
                                                                           WorkflowCache& cache);

}  // namespace belfry::store::sql
