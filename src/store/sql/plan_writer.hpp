// Writes plans inside a transaction: all of them, batch by batch, one statement per kind of row.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "decide/plan.hpp"
#include "model/webhook.hpp"
#include "store/announcement.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/assignments.hpp"
#include "store/sql/database.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/run_reader.hpp"
#include "store/sql/schedule_cache.hpp"

namespace belfry::store::sql {

struct StoreMemory;

// What shows, after a commit whose outcome is unknown, whether it happened.
struct Trace {
    std::int64_t key = 0;
    std::int64_t revision = 0;  // that the plan leads to
    std::int64_t sequence = 0;  // of its last event; 0 when it has none
    model::ChainHash hash = {};
    std::optional<model::RunKey> ended = {};  // without an event, the run that it ended, and how
    model::ExecutionStatus ended_as = model::ExecutionStatus::none;
    Instant ended_at = {};
    std::optional<model::RunKey> started = {};    // without either, the run that was approved
    std::optional<decide::NodeChange> node = {};  // without any of them, the node whose attempt has ended
    model::ScheduleState state = {};              // without that, all that there is
};

// Tasks on their way into the tables: ready now, or later.
class TaskRows {
public:
    void add(const NewTask& task, std::int64_t queue_key, Instant now);
    void reserve(std::size_t tasks) { ready_.reserve(tasks); }
    [[nodiscard]] Result<void> write(Session& session) const;

private:
    Batch ready_;
    Batch delayed_;
};

// Events of runs, by run; they get their numbers when they are written.
using RunNotes = std::map<model::RunKey, std::vector<model::RunEvent>>;
[[nodiscard]] Result<void> write_notes(Session& session, const RunNotes& notes);

class PlanWriter {
public:
    // For about this many plans.
    explicit PlanWriter(std::size_t plans = 1);

    // A plan for a schedule that exists, decided on `row`; `followed`: it goes into its tenant's feed. The error when it must
    // not be written: nothing of it is kept then.
    [[nodiscard]] std::optional<Error> add(const CachedSchedule& schedule, const StateRow& row, const decide::Plan& plan, bool followed);

    // A new schedule.
    [[nodiscard]] std::optional<Error> add_new(const decide::Plan& plan);

    // Into the feed: what the plan means, or an item of its own. `definition` is the one in force after the plan.
    void tell(const decide::Plan& plan, const model::Schedule& definition);
    void tell(std::int64_t tenant_key, const model::FeedItem& item);

    // Writes everything that was added. A conflict when a row is not as the plans expect it.
    [[nodiscard]] Result<void> write(Session& session, StoreMemory& memory);

    [[nodiscard]] const std::vector<Trace>& traces() const { return traces_; }
    // How many schedules a tenant has, by its key, of those that got new ones: once they are written.
    [[nodiscard]] const std::map<std::int64_t, std::int64_t>& counts() const { return counts_; }

private:
    void add_runs(const CachedSchedule& schedule, const decide::Plan& plan);
    // Over the row that it has: it waited in the buffer, or a backfill had skipped it.
    void add_again(const CachedSchedule& schedule, const decide::Plan& plan, const decide::PlannedRun& run, model::DispatchStatus before);
    void add_first_tasks(const CachedSchedule& schedule, const decide::PlannedRun& run, Instant now);
    void add_walk(const CachedSchedule& schedule, std::int64_t slot, const decide::WalkStart& walk, Instant now);
    void add_nodes(const CachedSchedule& schedule, const decide::Plan& plan);
    void put_node(const CachedSchedule& schedule, const model::RunKey& run, const model::NodeRun& node, int priority, Instant now);
    [[nodiscard]] Result<void> write_starts(Session& session, StoreMemory& memory);
    void add_ends(const CachedSchedule& schedule, const decide::Plan& plan);
    void add_approvals(const CachedSchedule& schedule, const decide::Plan& plan);
    [[nodiscard]] Result<void> write_approvals(Session& session) const;
    void add_definition(std::int64_t key, const model::Schedule& definition, bool living);
    void add_end(const CachedSchedule& schedule, const model::TargetName& target, std::int64_t slot, model::ExecutionStatus status, Instant at);
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
    Batch runs_;
    Batch releases_;
    struct Start {
        Instant ready_at = {};
        Instant now = {};
        bool walks = false;  // its tasks are known already
    };
    std::map<model::RunKey, Start> starts_;
    Batch events_;
    TaskRows tasks_;
    Batch walks_;
    Batch nodes_;
    Batch left_nodes_;     // whose leases go
    Batch requeued_runs_;  // whose only task was handed to somebody else
    Batch ended_walks_;
    Batch dead_letters_;
    Batch replayed_;
    Batch asks_;
    Batch verdicts_;
    Batch begun_;  // what must be approved, if anybody was asked
    Batch voided_;
    RunNotes notes_;
    Batch changed_schedules_;
    Batch definitions_;
    Batch relabelled_;
    Batch labels_;
    Batch calendar_uses_;
    Batch stamps_;
    Batch forsaken_;  // schedules that are deleted: they watch nothing and wait for nothing
    Batch watches_;
    std::map<std::tuple<std::int64_t, std::string, std::int64_t>, Instant> watched_;  // tenant, kind and type, and since when it is
    Batch subscriptions_;
    Batch target_ends_;
    Batch team_runs_;
    AssignmentKeys assigned_;  // that schedules begin to name
    Batch requests_;
    Batch feed_;
    std::map<model::RunKey, std::pair<decide::RunEnd, Instant>> ends_;
    std::map<std::int64_t, std::int64_t> more_;  // schedules, by tenant
    std::map<std::int64_t, std::int64_t> fewer_;
    std::map<std::int64_t, std::int64_t> counts_;
    std::vector<Trace> traces_;
};

// Runs the statement for the batch when there is anything in it, and expects it to change `expected` rows.
[[nodiscard]] Result<void> run_batch(Session& session, const Statement& statement, const Batch& batch);
[[nodiscard]] Result<void> run_exactly(Session& session, const Statement& statement, const Batch& batch, const char* otherwise);

}  // namespace belfry::store::sql
