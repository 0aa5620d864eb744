// The tables of a store in memory, and how a plan changes them. Not thread-safe: MemoryStore locks around every call.
//
// Invariants, which only put_run and erase_run maintain: each task of a run is either in its tenant's queues or in
// `leases`. A run with a single task
//   is queued   exactly if its task is in a queue;
//   is running  exactly if its task is in `leases`; attempts is the lease's fencing token, started_at its start.
// So a row is stored as it is read, without joins.
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

#include "model/identity.hpp"
#include "model/run/audit_chain.hpp"
#include "model/tenant/access.hpp"
#include "model/tenant/webhook.hpp"
#include "store/leadership.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/budget_rules.hpp"
#include "store/rules/new_task.hpp"
#include "store/store.hpp"

namespace belfry::store {

// A task that is queued or leased.
struct MemoryTask {
    NewTask task;             // `attempts` includes the current one
    std::string worker = {};  // that holds the lease; empty: none
    Instant since = {};
    Instant lease_until = {};
    std::optional<Instant> deadline = {};
    Instant renewed = {};
    bool ready = false;  // never becomes false again
    [[nodiscard]] bool leased() const { return !worker.empty(); }
};

struct MemoryRun {
    model::Run run;
    std::map<std::string, MemoryTask> tasks = {};  // by node
    std::map<std::string, model::NodeRun> nodes = {};
    model::WorkflowPtr workflow = {};  // that the run follows
    std::optional<Instant> deadline = {};
    std::vector<model::RunEvent> events = {};
    std::optional<Instant> dead_since = {};              // set if the run is a dead letter
    std::optional<model::Reservation> reservation = {};  // while the run is in flight
    UsageByAttempt usage = {};
    std::vector<model::Approval> approvals = {};

    void put_task(NewTask task, Instant now);
    void put_node(model::NodeRun node, int priority, Instant now);
    // Assigns the next sequence number, unless the event has one.
    void put_event(model::RunEvent event);
    // Null if there was no such request.
    [[nodiscard]] model::Approval* find_approval(const std::string& node, int attempts);
    // False if the node's approval is pending or was not granted.
    [[nodiscard]] bool may_begin(const std::string& node) const;
    [[nodiscard]] model::WorkflowRun workflow_run() const;
    // The run as users see it.
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
    std::map<std::int64_t, model::Schedule> versions = {};  // of the definition: the current one and those of runs
    std::int64_t version = 0;                               // the current one
    model::ScheduleState state = {};
    std::optional<Instant> ended = Instant{};     // when it ended: see ended_since
    std::map<std::int64_t, MemoryRun> runs = {};  // by slot number
    std::set<std::int64_t> buffered = {};         // slots of buffered runs
    std::set<std::int64_t> in_flight = {};        // slots of runs in flight
    std::vector<std::pair<model::Event, model::ChainHash>> events = {};
    model::ChainPoint archived = {};  // the last event that was archived and removed

    decide::CompiledPtr compiled = {};  // of the current version; null until it is needed
    std::int64_t compiled_from = {};    // MemoryTenant::ingredient_changes at that time

    [[nodiscard]] const model::Schedule& definition() const { return versions.at(version); }
    [[nodiscard]] bool is_deleted() const { return state.status == model::ScheduleStatus::deleted; }
};

// In the order of claims.
struct ReadyTask {
    std::int64_t negated_priority = 0;
    Instant ready_at = {};
    model::RunKey run = {};
    std::string node = {};
    friend auto operator<=>(const ReadyTask&, const ReadyTask&) = default;
};

struct MemoryWebhook {
    model::Webhook webhook;
    std::int64_t taken = 0;                                   // position of the last item that it has taken
    std::map<std::int64_t, model::Delivery> deliveries = {};  // by position
};

// The ends of a target's runs, oldest first.
using TargetEnds =
    std::map<std::tuple<Instant, std::int64_t, std::int64_t>, model::ExecutionStatus>;  // by time, slot and schedule

struct MemoryTenant {
    model::Tenant tenant;
    std::map<std::string, CalendarRecord> calendars = {};
    std::int64_t ingredient_changes = 0;                                             // of calendars and assignments
    std::set<std::pair<std::string, std::int64_t>> schedules = {};                   // name, key; also deleted ones
    std::set<std::int64_t> keys = {};                                                // of the same, sorted by age
    std::map<std::string, std::int64_t> names = {};                                  // key of each name's owner
    std::map<std::pair<std::string, std::string>, std::set<ReadyTask>> queues = {};  // by queue and assignee
    std::map<std::string, std::vector<model::WorkflowPtr>> workflows = {};           // version 1 first; null: removed
    std::set<std::string> removed_workflows = {};
    std::map<model::TargetName, TargetEnds> ends = {};                  // of targets that conditions use or have used
    std::map<model::TargetName, std::set<std::int64_t>> watchers = {};  // schedules whose conditions use the target
    std::map<std::chrono::sys_days, std::int64_t> dispatched = {};      // by the UTC date of the decision
    std::map<std::chrono::sys_days, std::int64_t> unsettled = {};       // without an own limit: until settle_usage
    std::optional<std::chrono::sys_days> exhausted_on = {};             // the default limit, per settle_usage
    std::optional<std::pair<std::int64_t, Instant>> measured = {};      // size in bytes, and time of the measurement
    std::map<std::string, RequestRecord> requests = {};                 // by request key
    std::map<std::string, model::AssigneeRecord> assignees = {};        // by id
    std::map<BudgetKey, model::BudgetDay> budgets = {};
    std::map<std::string, model::WorkflowAssignment> assignments = {};  // by id
    // Null if there is none.
    [[nodiscard]] const model::WorkflowAssignment* find_assignment(const std::string& id) const;

    Instant followed_until = {};
    std::map<std::string, MemoryWebhook> webhooks = {};  // by id
    std::map<std::int64_t, model::FeedItem> feed = {};   // by position
    [[nodiscard]] bool is_followed(Instant now) const;
};

// The remains of a completely removed schedule.
struct MemoryRemoved {
    std::string id;
    std::string tenant;
    Instant ended = {};
    std::vector<std::pair<model::Event, model::ChainHash>> events = {};
    model::ChainPoint archived = {};
    model::ChainPoint end = {};
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
    std::map<std::int64_t, MemoryRemoved> removed;     // by the same key
    std::map<std::string, MemoryBackfill> backfills;   // by id
    std::set<TaskKey> leases;
    std::set<std::pair<Instant, model::RunKey>> deadlines;    // of workflow runs
    std::set<std::pair<Instant, TaskKey>> pending_approvals;  // by expiry
    std::map<std::string, MemoryServer> servers;              // by id
    Leadership leadership;
    const StoreLimits limits;
    std::map<std::string, model::ApiKey> keys;  // by id
    std::int64_t feed_position = 0;             // of the newest item, over all tenants

    // Null if there is none.
    [[nodiscard]] MemorySchedule* find(const ScheduleRef& schedule);
    [[nodiscard]] MemorySchedule* find_key(std::int64_t key);
    [[nodiscard]] MemoryTenant& tenant_of(const MemorySchedule& schedule) {
        return tenants.at(schedule.definition().tenant);
    }
    // The run that holds the lease, or an error.
    [[nodiscard]] Result<std::pair<MemorySchedule*, MemoryRun*>> find_leased(const model::LeaseRef& lease);
    // Null if there is none. find_version also finds versions of a removed workflow.
    [[nodiscard]] model::WorkflowPtr find_workflow(const MemoryTenant& tenant, const std::string& name,
                                                   std::optional<std::int64_t> version) const;
    void gather_own(decide::Facts& facts, const MemorySchedule& schedule, const MemoryTenant& tenant,
                    const MemoryRun& row) const;
    [[nodiscard]] model::WorkflowPtr find_version(const MemoryTenant& tenant, const std::string& name,
                                                  std::optional<std::int64_t> version) const;

    // Null if there is none in this tenant.
    [[nodiscard]] MemoryRun* find_run(const std::string& tenant, const std::string& run_id);
    void put_run(MemorySchedule& schedule, MemoryRun row);
    void erase_run(MemorySchedule& schedule, std::int64_t slot);
    // Removes everything except the events. REQUIRES: the schedule has no runs.
    void erase_schedule(std::int64_t key);

    // The compiled current definition. An error is `corrupt`, because a definition is compiled before it is written.
    [[nodiscard]] Result<decide::CompiledPtr> compile(MemorySchedule& schedule);

    // The facts for a decision. `taken` has the runs in `needs.slots` or, for a tick, the runs from the cursor on.
    [[nodiscard]] Result<decide::Facts> gather(MemorySchedule& schedule, const FactsRequest& needs);
    [[nodiscard]] Result<decide::Facts> gather_for_tick(MemorySchedule& schedule, Instant now);

    // Adds an item to the tenant's feed if it has a follower.
    void tell(MemoryTenant& tenant, model::FeedItem item);

    // Applies the whole plan, or nothing and returns the error.
    [[nodiscard]] std::optional<Error> apply(MemorySchedule& schedule, const decide::Plan& plan);
    [[nodiscard]] std::optional<Error> create(std::span<const decide::Plan> plans);

private:
    void index(MemorySchedule& schedule, const MemoryRun& row);
    void unindex(MemorySchedule& schedule, const MemoryRun& row);
    void settle(MemorySchedule& schedule, const decide::Plan& plan);
    void note_end(const MemorySchedule& schedule, const model::Run& run);
    // Updates the watchers if the schedule's condition is new, has changed or is removed.
    void watch_target(const MemorySchedule& schedule);
    void commit(MemorySchedule& schedule, const decide::Plan& plan, const std::map<std::int64_t, MemoryRun>& rows);

    const spec::ZoneDatabase& zones_;
};

// Visits the runs whose places are in the range, both inclusive, by slot number.
template <typename Visit>
void for_each_between(const MemorySchedule& schedule, Instant from, Instant to, const Visit& visit) {
    for (auto row = schedule.runs.lower_bound(model::slot_number({model::RunCause::tick, from}));
         row != schedule.runs.end(); ++row) {
        const auto& run = row->second.run;
        if (run.slot.place() > to) return;
        if (run.slot.place() >= from) visit(run);
    }
}

}  // namespace belfry::store
