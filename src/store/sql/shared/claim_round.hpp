// Serves all claims that wait for tasks of one queue, in one transaction.
#pragma once

#include <map>
#include <vector>

#include "store/sql/read/facts_reader.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/sql/write/committing.hpp"
#include "store/sql/write/task_picker.hpp"

namespace belfry::store::sql {

using TasksByClaim = std::map<const ClaimRequest*, std::vector<model::Task>>;

class ClaimRound {
public:
    // REQUIRES: the requests and the memory outlive the round. Requests that come first are served first.
    ClaimRound(std::int64_t queue, const std::vector<const ClaimRequest*>& requests, StoreMemory& memory)
        : queue_(queue), requests_(requests), memory_(memory) {}

    // Takes tasks, hands them out and leases them.
    [[nodiscard]] Result<void> take(Session& session);
    // Whether take() has committed.
    [[nodiscard]] Result<CommitOutcome> look_for(Session& session) const;
    // After the commit: the tasks as their workers see them.
    [[nodiscard]] Result<TasksByClaim> read_tasks(Database& database);

private:
    [[nodiscard]] PickLimits limits() const;
    [[nodiscard]] Instant now() const;
    [[nodiscard]] std::vector<PickedTask> hand_out();
    void limit_time();
    [[nodiscard]] Result<void> begin_walks(Session& session);
    [[nodiscard]] Result<void> write_leases(Session& session) const;
    [[nodiscard]] Result<void> load(Database& database);
    [[nodiscard]] Result<void> load(Session& session, const std::vector<RunRow>& rows,
                                    const std::vector<model::RunKey>& walking);
    void keep(std::vector<RunWithDefinition> runs);

    std::int64_t queue_;
    const std::vector<const ClaimRequest*>& requests_;
    StoreMemory& memory_;
    Picks picks_ = {};
    std::map<model::RunKey, RunWithDefinition> runs_ = {};
    std::map<model::RunKey, WorkflowRunRow> walks_ = {};
};

// The number of tasks that the request may get.
[[nodiscard]] std::size_t claim_limit(const ClaimRequest& request);

}  // namespace belfry::store::sql
