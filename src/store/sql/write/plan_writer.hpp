// Writes plans inside a transaction: all together, with one statement per kind of row.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "model/tenant/webhook.hpp"
#include "store/notification.hpp"
#include "store/rules/new_task.hpp"
#include "store/sql/database.hpp"
#include "store/sql/read/run_reader.hpp"
#include "store/sql/read/schedule_cache.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/write/assignments.hpp"

namespace belfry::store::sql {

struct StoreMemory;

// Shows, after a commit with unknown outcome, whether it committed.
struct CommitEvidence {
    std::int64_t key = 0;
    std::int64_t revision = 0;  // after the plan
    std::int64_t sequence = 0;  // of its last event; 0 if it has none
    model::ChainHash hash = {};
    std::optional<model::RunKey> ended = {};  // without an event: the run that it ended, and its result
    model::ExecutionStatus ended_as = model::ExecutionStatus::none;
    Instant ended_at = {};
    std::optional<model::RunKey> started = {};    // without either: the run that was approved
    std::optional<decide::NodeChange> node = {};  // without these: the node whose attempt has ended
    model::ScheduleState state = {};              // otherwise: the whole state
};

// Tasks to insert: claimable now, or later.
class TaskRows {
public:
    void add(const NewTask& task, std::int64_t queue_key, Instant now);
    void reserve(std::size_t tasks) { ready_.reserve(tasks); }
    [[nodiscard]] Result<void> write(Session& session) const;

private:
    Batch ready_;
    Batch delayed_;
};

// Run events, by run. They get their sequence numbers when they are written.
using RunNotes = std::map<model::RunKey, std::vector<model::RunEvent>>;
[[nodiscard]] Result<void> write_notes(Session& session, const RunNotes& notes);

// What the transaction has already read, so that the writer need not look for it.
struct KnownToWriter {
    bool followed = false;  // the tenant's feed has followers
    bool watched = true;    // a condition of the tenant may use the results of runs
    // The end of an attempt: the transaction has taken its lease, and the facts have the attempt, its start, and all
    // nodes of the run.
    bool lease_taken = false;
};

class PlanWriter {
public:
    // For approximately this many plans.
    explicit PlanWriter(std::size_t plans = 1);

    // Adds a plan for an existing schedule that was decided on `row` and `facts`, which must include the workflows of
    // its runs. Returns an error, and adds nothing, if the plan must not be written.
    [[nodiscard]] std::optional<Error> add(const CachedSchedule& schedule, const StateRow& row,
                                           const decide::Facts& facts, const decide::Plan& plan,
                                           const KnownToWriter& known);

    // Adds a plan for a new schedule. Returns its row, on which another plan can be decided. REQUIRES: check_new()
    // accepts it.
    StateRow add_new(const decide::Plan& plan);

    // Adds to the feed: the events of the plan, or a single item. `definition` is the current one after the plan.
    void tell(const decide::Plan& plan, const model::Schedule& definition);
    void tell(std::int64_t tenant_key, const model::FeedItem& item);

    // Writes everything that was added. conflict if a row is not as the plans expect.
    [[nodiscard]] Result<void> write(Session& session, StoreMemory& memory);

    [[nodiscard]] const std::vector<CommitEvidence>& traces() const { return traces_; }
    // The number of schedules by tenant key, for tenants that got new ones; available after write().
    [[nodiscard]] const std::map<std::int64_t, std::int64_t>& counts() const { return counts_; }

private:
    void add_runs(const CachedSchedule& schedule, const decide::Plan& plan);
    // Overwrites the existing row of a run that was buffered, or that an earlier backfill skipped.
    void add_again(const CachedSchedule& schedule, const decide::Plan& plan, const decide::PlannedRun& run,
                   model::DispatchStatus before);
    void add_first_tasks(const CachedSchedule& schedule, const decide::PlannedRun& run, Instant now);
    void add_workflow_run(const CachedSchedule& schedule, std::int64_t slot, const decide::WorkflowStart& workflow_run,
                          Instant now);
    void add_nodes(const CachedSchedule& schedule, const decide::Facts& facts, const decide::Plan& plan,
                   const KnownToWriter& known);
    void put_node(const CachedSchedule& schedule, const model::NodeRun& node, const NewTask& task, Instant now);
    [[nodiscard]] Result<void> write_starts(Session& session, StoreMemory& memory);
    void add_ends(const CachedSchedule& schedule, const decide::Facts& facts, const decide::Plan& plan,
                  const KnownToWriter& known);
    void add_approvals(const CachedSchedule& schedule, const decide::Facts& facts, const decide::Plan& plan);
    [[nodiscard]] Result<void> write_approvals(Session& session) const;
    void add_changes(const CachedSchedule& schedule, const model::ScheduleState& before, const decide::Plan& plan);
    void add_definition(std::int64_t key, const model::Schedule& definition, bool living);
    struct TargetResult {
        std::int64_t tenant_key = 0;
        model::ExecutionStatus status = {};
        Instant at = {};
    };
    void add_result(const CachedSchedule& schedule, const decide::Facts& facts, const decide::RunEnd& end, Instant at);
    void add_target_end(const model::RunKey& run, const model::TargetName& target, const TargetResult& result);
    [[nodiscard]] Result<void> place_results(Session& session, StoreMemory& memory);
    [[nodiscard]] Result<void> write_watches(Session& session) const;
    model::ChainHash add_events(std::int64_t key, const decide::Plan& plan, model::ChainHash chain);
    void add_request(std::int64_t tenant, std::int64_t key, const decide::Plan& plan);
    [[nodiscard]] Result<void> write_requests(Session& session) const;
    [[nodiscard]] Result<void> write_feed(Session& session) const;
    [[nodiscard]] Result<void> write_ends(Session& session) const;
    [[nodiscard]] Result<void> write_counts(Session& session);

    Batch new_schedules_;
    Batch new_states_;
    Batch states_;
    Batch states_at_end_;  // of which only the end of a run is written
    Batch runs_;
    Batch releases_;
    struct Start {
        Instant ready_at = {};
        Instant now = {};
        bool walks = false;  // its tasks are already known
    };
    std::map<model::RunKey, Start> starts_;
    Batch events_;
    TaskRows tasks_;
    Batch walks_;
    Batch nodes_;
    Batch left_nodes_;     // their leases are removed
    Batch requeued_runs_;  // their single task was handed to another assignee
    Batch ended_walks_;
    Batch dead_letters_;
    Batch replayed_;
    Batch asks_;
    Batch verdicts_;
    Batch begun_;  // must not start while an approval is pending or denied
    Batch voided_;
    RunNotes notes_;
    Batch changed_schedules_;
    Batch definitions_;
    Batch relabelled_;
    Batch labels_;
    Batch calendar_uses_;
    Batch stamps_;
    Batch forsaken_;  // deleted schedules: they no longer watch targets or wait for events
    Batch watches_;
    std::map<std::tuple<std::int64_t, std::string, std::int64_t>, Instant> watched_;  // tenant, kind, type; since when
    Batch subscriptions_;
    Batch target_ends_;
    std::map<model::RunKey, TargetResult> results_to_place_;  // ends of runs whose target is in an earlier version
    Batch team_runs_;
    AssignmentKeys assigned_;  // newly used by schedules
    Batch requests_;
    Batch feed_;
    std::map<model::RunKey, std::pair<decide::RunEnd, Instant>> ends_;
    Batch ended_attempts_;                       // ends of runs whose lease is taken
    Batch leases_beside_them_;                   // of other nodes of these runs
    std::map<std::int64_t, std::int64_t> more_;  // schedules, by tenant
    std::map<std::int64_t, std::int64_t> fewer_;
    std::map<std::int64_t, std::int64_t> counts_;
    std::vector<CommitEvidence> traces_;
};

// Runs the statement for the batch, unless it is empty. run_exactly expects one changed row per row of the batch.
[[nodiscard]] Result<void> run_batch(Session& session, const Statement& statement, const Batch& batch);
[[nodiscard]] Result<void> run_exactly(Session& session, const Statement& statement, const Batch& batch,
                                       const char* otherwise);

}  // namespace belfry::store::sql
