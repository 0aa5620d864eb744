// What a store in memory keeps, and what a plan does to it. Not thread-safe: MemoryStore holds its lock around every call.
//
// Invariants, which put_run and erase_run alone maintain: a run's tasks stand in their tenant's queues or in `leases`, and a
// run with only one
//   is queued   exactly when its task stands in a queue;
//   is running  exactly when it stands in `leases`: its attempts are the lease's fencing token, started_at its beginning.
// So a row is stored just as it is read, and nothing has to be joined.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/access.hpp"
#include "model/audit.hpp"
#include "model/identity.hpp"
#include "model/webhook.hpp"
#include "store/leadership.hpp"
#include "store/plan_rows.hpp"
#include "store/store.hpp"

namespace belfry::store {

// A task that is queued or leased.
struct MemoryTask {
    NewTask task;             // `attempts` counts the one that goes on
    std::string worker = {};  // who holds its lease; empty: nobody
    Instant since = {};
    Instant lease_until = {};
    std::optional<Instant> deadline = {};
    Instant renewed = {};
    bool ready = false;  // once it was, it stays so
    [[nodiscard]] bool leased() const { return !worker.empty(); }
};

struct MemoryRun {
    model::Run run;
    std::map<std::string, MemoryTask> tasks = {};  // by node
    std::map<std::string, model::NodeRun> nodes = {};
    model::WorkflowPtr workflow = {};  // that it walks
    std::optional<Instant> deadline = {};
    std::vector<model::RunEvent> events = {};
    std::optional<Instant> dead_since = {};              // it is a dead letter
    std::optional<model::Reservation> reservation = {};  // while it is in flight
    UsageByAttempt usage = {};
    std::vector<model::Approval> approvals = {};

    void put_task(NewTask task, Instant now);
    void put_node(model::NodeRun node, int priority, Instant now);
    // Counts on, unless the event has its number.
    void put_event(model::RunEvent event);
    // Null when nobody was asked so.
    [[nodiscard]] model::Approval* find_approval(const std::string& node, int attempts);
    // Whether somebody still has to approve the node before it begins, or refused it.
    [[nodiscard]] bool may_begin(const std::string& node) const;
    [[nodiscard]] model::Walk walk() const;
    // The run as people see it.
    [[nodiscard]] model::Run shown() const;
};

struct TaskKey {
    model::RunKey run;
    std::string node = {};
    friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};

struct MemorySchedule {
    std::int64_t key = 0;
    std::int64_t tenant_key = 0;
    std::map<std::int64_t, model::Schedule> versions = {};  // of the definition: that in force, and those that runs refer to
    std::int64_t version = 0;                               // the one in force
    model::ScheduleState state = {};
    std::optional<Instant> ended = Instant{};     // since when it may be removed: see ended_since
    std::map<std::int64_t, MemoryRun> runs = {};  // by slot number
    std::set<std::int64_t> buffered = {};         // slots of the rows that wait for their turn
    std::set<std::int64_t> in_flight = {};        // and of those that are not terminal
    std::vector<std::pair<model::Event, model::ChainHash>> events = {};

    decide::CompiledPtr compiled = {};  // of the version in force; null until somebody asks
    std::int64_t compiled_from = {};    // MemoryTenant::ingredient_changes then

    [[nodiscard]] const model::Schedule& definition() const { return versions.at(version); }
    [[nodiscard]] bool is_deleted() const { return state.status == model::ScheduleStatus::deleted; }
};

// In the order in which tasks are claimed.
struct ReadyTask {
    std::int64_t negated_priority = 0;
    Instant ready_at = {};
    model::RunKey run = {};
    std::string node = {};
    friend auto operator<=>(const ReadyTask&, const ReadyTask&) = default;
};

struct MemoryWebhook {
    model::Webhook webhook;
    std::int64_t taken = 0;                                   // position of the last item that it took
    std::map<std::int64_t, model::Delivery> deliveries = {};  // by position
};

// What runs of several schedules have in common.
// When runs of a target ended, and how: the last one last.
using TargetEnds = std::map<std::tuple<Instant, std::int64_t, std::int64_t>, model::ExecutionStatus>;  // by time, slot and schedule

struct MemoryTenant {
    model::Tenant tenant;
    std::map<std::string, CalendarRecord> calendars = {};
    std::int64_t ingredient_changes = 0;                                             // of what schedules are compiled from: calendars and assignments
    std::set<std::pair<std::string, std::int64_t>> schedules = {};                   // name and key of all, the deleted ones too
    std::set<std::int64_t> keys = {};                                                // of the same, which is the order of their age
    std::map<std::string, std::int64_t> names = {};                                  // key of the schedule that has the name now
    std::map<std::pair<std::string, std::string>, std::set<ReadyTask>> queues = {};  // by queue and assignee
    std::map<std::string, std::vector<model::WorkflowPtr>> workflows = {};           // version 1 first; null: it was forgotten
    std::set<std::string> removed_workflows = {};
    std::map<model::TargetName, TargetEnds> ends = {};                  // of targets that conditions look at, or did
    std::map<model::TargetName, std::set<std::int64_t>> watchers = {};  // the schedules whose conditions do
    std::map<std::chrono::sys_days, std::int64_t> dispatched = {};      // by the UTC date of the decision
    std::map<std::string, RequestRecord> requests = {};                 // by their keys
    std::map<std::string, model::AssigneeRecord> assignees = {};        // by id
    std::map<BudgetKey, model::BudgetDay> budgets = {};
    std::map<std::string, model::WorkflowAssignment> assignments = {};  // by id
    // Null when there is none.
    [[nodiscard]] const model::WorkflowAssignment* find_assignment(const std::string& id) const;

    Instant followed_until = {};
    std::map<std::string, MemoryWebhook> webhooks = {};  // by id
    std::map<std::int64_t, model::FeedItem> feed = {};   // by position
    [[nodiscard]] bool is_followed(Instant now) const;
};

// What is left of a schedule that was removed in full.
struct MemoryRemoved {
    std::string id;
    std::string tenant;
    Instant ended = {};
    std::vector<std::pair<model::Event, model::ChainHash>> events = {};
};

struct MemoryBackfill {
    std::int64_t schedule = 0;
    model::Backfill backfill;
};

struct MemoryServer {
    Instant since = {};
    Instant until = {};
};

class MemoryTables {
public:
    MemoryTables(const spec::ZoneDatabase& zones, StoreLimits allowed);

    std::map<std::string, MemoryTenant> tenants;
    std::map<std::int64_t, MemorySchedule> schedules;  // by model::key_of(id)
    std::map<std::int64_t, MemoryRemoved> removed;     // by the same
    std::map<std::string, MemoryBackfill> backfills;   // by id
    std::set<TaskKey> leases;
    std::set<std::pair<Instant, model::RunKey>> deadlines;    // of runs that walk a workflow
    std::set<std::pair<Instant, TaskKey>> pending_approvals;  // by when they expire
    std::map<std::string, MemoryServer> servers;              // by id
    Leadership leadership;
    const StoreLimits limits;
    std::map<std::string, model::ApiKey> keys;  // by id
    std::int64_t feed_position = 0;             // of the newest item of all tenants

    // Null when there is none.
    [[nodiscard]] MemorySchedule* find(const ScheduleRef& schedule);
    [[nodiscard]] MemorySchedule* find_key(std::int64_t key);
    [[nodiscard]] MemoryTenant& tenant_of(const MemorySchedule& schedule) { return tenants.at(schedule.definition().tenant); }
    // A run that is under the lease; the error when it is not.
    [[nodiscard]] Result<std::pair<MemorySchedule*, MemoryRun*>> find_leased(const model::LeaseRef& lease);
    // Null when there is none; the second finds it also when the workflow was removed.
    [[nodiscard]] model::WorkflowPtr find_workflow(const MemoryTenant& tenant, const std::string& name, std::optional<std::int64_t> version) const;
    void gather_own(decide::Facts& facts, const MemorySchedule& schedule, const MemoryTenant& tenant, const MemoryRun& row) const;
    [[nodiscard]] model::WorkflowPtr find_version(const MemoryTenant& tenant, const std::string& name, std::optional<std::int64_t> version) const;

    // Null when there is none, or it is another tenant's.
    [[nodiscard]] MemoryRun* find_run(const std::string& tenant, const std::string& run_id);
    void put_run(MemorySchedule& schedule, MemoryRun row);
    void erase_run(MemorySchedule& schedule, std::int64_t slot);
    // All of it but its events. REQUIRES: it has no run.
    void erase_schedule(std::int64_t key);

    // The definition in force, compiled. An error is `corrupt`: who wrote it had it compiled.
    [[nodiscard]] Result<decide::CompiledPtr> compile(MemorySchedule& schedule);

    // What a decision on the schedule may know; `taken` is what `needs.slots` asks for, or for a tick what lies from the cursor on.
    [[nodiscard]] Result<decide::Facts> gather(MemorySchedule& schedule, const Needs& needs);
    [[nodiscard]] Result<decide::Facts> gather_for_tick(MemorySchedule& schedule, Instant now);

    // Adds to the tenant's feed while somebody follows it.
    void tell(MemoryTenant& tenant, model::FeedItem item);

    // All of the plan, or nothing and why not.
    [[nodiscard]] std::optional<Error> apply(MemorySchedule& schedule, const decide::Plan& plan);
    [[nodiscard]] std::optional<Error> create(std::span<const decide::Plan> plans);

private:
    void index(MemorySchedule& schedule, const MemoryRun& row);
    void unindex(MemorySchedule& schedule, const MemoryRun& row);
    void settle(MemorySchedule& schedule, const decide::Plan& plan);
    void note_end(const MemorySchedule& schedule, const model::Run& run);
    // Its condition is new, has changed, or goes with it.
    void watch_target(const MemorySchedule& schedule);
    void commit(MemorySchedule& schedule, const decide::Plan& plan, const std::map<std::int64_t, MemoryRun>& rows);

    const spec::ZoneDatabase& zones_;
};

// Rows whose places lie in the range, both included, by slot number.
template <typename Visit>
void for_each_between(const MemorySchedule& schedule, Instant from, Instant to, const Visit& visit) {
    for (auto row = schedule.runs.lower_bound(model::slot_number({model::RunCause::tick, from})); row != schedule.runs.end(); ++row) {
        const auto& run = row->second.run;
        if (run.slot.place() > to) return;
        if (run.slot.place() >= from) visit(run);
    }
}

}  // namespace belfry::store
