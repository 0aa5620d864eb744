#include "support/oracles/store_invariants.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "model/identity.hpp"
#include "model/run/approval.hpp"
#include "model/run/audit.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::test {

using model::DispatchStatus;
using model::ExecutionStatus;
using model::RunKey;
using model::ScheduleStatus;
using store::sql::Row;
using store::sql::Session;
using store::sql::Statement;

namespace {

const Statement kStates("check states",
                        "SELECT schedule_key, status, next_fire_us, paused_until_us, runs, in_flight, buffered, "
                        "events, chain, next_occurrence_us "
                        "FROM schedule_state");
const Statement kSchedules(
    "check schedules",
    "SELECT c.schedule_key, c.id, c.tenant_key, c.name, c.status, c.version, (SELECT count(*) FROM definitions d "
    "WHERE d.schedule_key = c.schedule_key AND d.version = c.version), (SELECT max(d.version) FROM definitions d "
    "WHERE d.schedule_key = c.schedule_key) FROM schedules c");
const Statement kCheckpoints("check checkpoints", "SELECT schedule_key, sequence, hash FROM event_checkpoints");
const Statement kRemoved("check removed schedules", "SELECT schedule_key, id FROM removed_schedules");
const Statement kRuns("check runs",
                      "SELECT schedule_key, slot, dispatch, execution, reason, completed_us, trigger_number, attempts, "
                      "tenant_key FROM runs");
const Statement kEvents(
    "check events",
    "SELECT schedule_key, sequence, type, recorded_us, payload, hash FROM events ORDER BY schedule_key, sequence");
const Statement kTasks("check tasks",
                       "SELECT schedule_key, slot, attempt, node FROM ready_tasks UNION ALL SELECT schedule_key, slot, "
                       "attempt, node FROM delayed_tasks");
const Statement kLeases("check leases", "SELECT schedule_key, slot, attempt, node, until_us, deadline_us FROM leases");
const Statement kWalks("check walks", "SELECT schedule_key, slot, deadline_us, events FROM walks");
const Statement kNodes("check nodes", "SELECT schedule_key, slot, attempts, node, status FROM run_nodes");
const Statement kApprovals(
    "check approvals",
    "SELECT schedule_key, slot, attempts, node, status FROM approvals ORDER BY schedule_key, slot, node, attempts");
const Statement kRunEvents("check events of runs",
                           "SELECT schedule_key, slot, sequence FROM run_events ORDER BY schedule_key, slot, sequence");
const Statement kDeadLetters("check dead letters",
                             "SELECT schedule_key, slot, failed_us, tenant_key FROM dead_letters");
const Statement kWorkflows(
    "check workflows",
    "SELECT w.name, w.newest, (SELECT count(*) FROM workflow_versions v WHERE v.workflow_key = w.workflow_key), "
    "(SELECT max(v.version) FROM workflow_versions v WHERE v.workflow_key = w.workflow_key) FROM workflows w");
const Statement kBackfills("check backfills",
                           "SELECT schedule_key, count(*) FROM backfills WHERE status < 2 GROUP BY schedule_key");
const Statement kTenantCounts(
    "check tenant counts",
    "SELECT t.tenant_key, COALESCE((SELECT n.schedules FROM tenant_counts n WHERE n.tenant_key = t.tenant_key), 0), "
    "(SELECT count(*) FROM schedules c WHERE c.tenant_key = t.tenant_key AND c.status <> 3) FROM tenants t");

// What breaks the rules of the registry, in words.
const Statement kMiscountedWebhooks(
    "check webhooks",
    "SELECT t.name FROM tenants t WHERE t.webhooks <> "
    "(SELECT count(*) FROM webhooks w WHERE w.tenant_key = t.tenant_key AND w.enabled = 1)");
const Statement kStrayDeliveries(
    "check deliveries",
    "SELECT d.type FROM deliveries d LEFT JOIN webhooks w ON w.webhook_key = d.webhook_key "
    "WHERE w.webhook_key IS NULL OR d.position > w.taken_position OR (d.status = 0) <> (d.next_us IS NOT NULL)");
const Statement kStrayFeed("check feed",
                           "SELECT f.type FROM feed f LEFT JOIN schedules c ON c.schedule_key = f.schedule_key "
                           "LEFT JOIN removed_schedules x ON x.schedule_key = f.schedule_key "
                           "WHERE COALESCE(c.tenant_key, x.tenant_key, -1) <> f.tenant_key");

// A day that says another sum than its runs in flight hold, and a reservation of a run that is not in flight.
const Statement kMiscountedBudgets(
    "check budgets",
    "SELECT b.assignee FROM budget_days b WHERE b.spent < 0 OR b.reserved <> COALESCE((SELECT sum(v.cap) "
    "FROM reservations v JOIN schedules c ON c.schedule_key = v.schedule_key WHERE c.tenant_key = b.tenant_key "
    "AND v.assignee = b.assignee AND v.day = b.day), 0)");
const Statement kStrayReservations(
    "check reservations",
    "SELECT v.assignee FROM reservations v LEFT JOIN runs r_ ON r_.schedule_key = v.schedule_key AND r_.slot = v.slot "
    "WHERE r_.slot IS NULL OR r_.execution NOT IN (1, 2, 3)");
const Statement kStrayUsage(
    "check usage",
    "SELECT u.node FROM run_usage u LEFT JOIN runs r_ ON r_.schedule_key = u.schedule_key AND r_.slot = u.slot "
    "WHERE r_.slot IS NULL");

struct StateOfSchedule {
    ScheduleStatus status = ScheduleStatus::active;
    bool fires = false;
    bool has_occurrence = false;
    bool paused_until = false;
    std::int64_t runs = 0;
    std::int64_t in_flight = 0;
    std::int64_t buffered = 0;
    std::int64_t events = 0;
    std::string chain = {};
};

struct RowOfWalk {
    bool under_way = false;
    std::int64_t events = 0;
};

struct RowOfNode {
    model::NodeStatus status = model::NodeStatus::waiting;
    std::int64_t attempts = 0;
};

struct RowOfApproval {
    model::ApprovalStatus status = model::ApprovalStatus::pending;
    std::int64_t attempts = 0;
};

// A run and one of its nodes.
using TaskKey = std::pair<RunKey, std::string>;

struct RowOfRun {
    DispatchStatus dispatch = DispatchStatus::pending;
    ExecutionStatus execution = ExecutionStatus::none;
    bool has_reason = false;
    bool completed = false;
    std::int64_t trigger_number = 0;
    std::int64_t attempts = 0;
    std::int64_t tenant = 0;
    std::int64_t completed_us = 0;
};

// One pass over the tables. Everything is read first and judged afterwards.
class Checker {
public:
    explicit Checker(const InvariantOptions& options) {
        for (const auto& id : options.forgotten) forgotten_.insert(model::key_of(id));
    }

    Result<void> read(Session& session) {
        const std::vector<Result<std::int64_t>> answers{
            session.run(kStates, {}, [this](const Row& row) { add_state(row); }),
            session.run(kSchedules, {}, [this](const Row& row) { add_schedule(row); }),
            session.run(kRemoved, {}, [this](const Row& row) { removed_[row.integer(0)] = std::string(row.text(1)); }),
            session.run(kRuns, {}, [this](const Row& row) { add_run(row); }),
            session.run(kCheckpoints, {},
                        [this](const Row& row) {
                            chains_[row.integer(0)] = {row.integer(1), std::string(row.text(2))};
                        }),
            session.run(kEvents, {}, [this](const Row& row) { add_event(row); }),
            session.run(kTasks, {}, [this](const Row& row) { tasks_[task_in(row)].push_back(row.integer(2)); }),
            session.run(kLeases, {}, [this](const Row& row) { add_lease(row); }),
            session.run(kWalks, {},
                        [this](const Row& row) {
                            walks_[key_in(row)] = {!row.is_null(2), row.integer(3)};
                        }),
            session.run(kNodes, {},
                        [this](const Row& row) {
                            nodes_[key_in(row)][std::string(row.text(3))] = {
                                static_cast<model::NodeStatus>(row.integer(4)), row.integer(2)};
                        }),
            session.run(
                kApprovals, {},
                [this](const Row& row) {
                    approvals_[task_in(row)] = {static_cast<model::ApprovalStatus>(row.integer(4)), row.integer(2)};
                }),
            session.run(kRunEvents, {}, [this](const Row& row) { run_events_[key_in(row)].push_back(row.integer(2)); }),
            session.run(kDeadLetters, {}, [this](const Row& row) { judge_dead_letter(row); }),
            session.run(kWorkflows, {},
                        [this](const Row& row) {
                            if (row.integer(1) == row.integer(2) && row.integer(1) == row.integer(3)) return;
                            breaches_.push_back("20: workflow " + std::string(row.text(0)) +
                                                " does not have each of its versions once");
                        }),
            session.run(kTenantCounts, {},
                        [this](const Row& row) {
                            if (row.integer(1) == row.integer(2)) return;
                            breaches_.push_back("17: tenant " + std::to_string(row.integer(0)) + " has " +
                                                std::to_string(row.integer(2)) + " schedules and counts " +
                                                std::to_string(row.integer(1)));
                        }),
            session.run(kBackfills, {},
                        [this](const Row& row) {
                            if (row.integer(1) > 1)
                                breach(row.integer(0),
                                       "has " + std::to_string(row.integer(1)) + " backfills that are not over");
                        }),
            session.run(kMiscountedBudgets, {},
                        [this](const Row& row) {
                            breaches_.push_back("23: a day of " + std::string(row.text(0)) +
                                                " has another sum than its runs");
                        }),
            session.run(kStrayReservations, {},
                        [this](const Row& row) {
                            breaches_.push_back("23: " + std::string(row.text(0)) +
                                                " has a reservation of a run that is over");
                        }),
            session.run(kStrayUsage, {},
                        [this](const Row& row) {
                            breaches_.push_back("23: node " + std::string(row.text(0)) +
                                                " of no run has used something");
                        }),
            session.run(kMiscountedWebhooks, {},
                        [this](const Row& row) { stray("tenant ", row, " has lost count of its webhooks"); }),
            session.run(kStrayDeliveries, {},
                        [this](const Row& row) { stray("a delivery of ", row, " does not fit its webhook"); }),
            session.run(kStrayFeed, {}, [this](const Row& row) {
                stray("", row, " in the feed belongs to no schedule of its tenant");
            })};
        for (const auto& answer : answers) {
            if (!answer) return answer.error();
        }
        return {};
    }

    std::vector<std::string> judge() {
        for (const auto& [key, state] : states_) judge_state(key, state);
        for (const auto& [key, id] : ids_) {
            if (!states_.contains(key)) breach(key, "has no state");
        }
        for (const auto& [key, run] : runs_) judge_run(key, run);
        for (const auto& [task, attempts] : leases_) {
            if (!runs_.contains(task.first))
                breach(task.first.schedule, "11: a lease on a run that is not there" + at(task));
        }
        for (const auto& [task, attempts] : tasks_) {
            if (attempts.size() > 1)
                breach(task.first.schedule, "11: " + std::to_string(attempts.size()) + " tasks" + at(task));
        }
        for (const auto& [run, walk] : walks_) judge_walk(run, walk);
        for (const auto& [task, approval] : approvals_) judge_approval(task, approval);
        for (const auto& [key, run] : runs_) {
            if (run.execution == ExecutionStatus::awaiting_approval) judge_waiting({key, ""}, 0);
            if (run.execution == ExecutionStatus::queued || run.execution == ExecutionStatus::running)
                judge_begun({key, ""});
        }
        for (const auto& [run, nodes] : nodes_) {
            if (!runs_.contains(run))
                breach(run.schedule, "20: nodes of a run that is not there, slot " + std::to_string(run.slot));
        }
        for (const auto& [run, events] : run_events_) judge_run_events(run, events);
        return std::move(breaches_);
    }

private:
    static RunKey key_in(const Row& row) { return {row.integer(0), row.integer(1)}; }
    static TaskKey task_in(const Row& row) { return {key_in(row), std::string(row.text(3))}; }
    static std::string at(const TaskKey& task) {
        return " (slot " + std::to_string(task.first.slot) + " node '" + task.second + "')";
    }

    void add_lease(const Row& row) {
        leases_[task_in(row)].push_back(row.integer(2));
        if (!row.is_null(5) && row.integer(4) > row.integer(5))
            breach(row.integer(0), "10: a lease goes on after its deadline" + at(task_in(row)));
    }

    // REQUIRES: the runs have been read.
    void judge_dead_letter(const Row& row) {
        const auto key = key_in(row);
        const auto run = runs_.find(key);
        const bool failed =
            run != runs_.end() &&
            (run->second.execution == ExecutionStatus::failed || run->second.execution == ExecutionStatus::timed_out) &&
            run->second.completed_us == row.integer(2) && run->second.tenant == row.integer(3);
        if (!failed)
            breach(key.schedule, "21: a dead letter is not a run that failed then, slot " + std::to_string(key.slot));
    }

    // A walk is under way exactly as long as its run is, and every node that waits for a worker has one task or one
    // lease.
    void judge_walk(const RunKey& key, const RowOfWalk& walk) {
        const auto run = runs_.find(key);
        if (run == runs_.end())
            return breach(key.schedule, "20: a walk without a run, slot " + std::to_string(key.slot));
        const bool under_way =
            run->second.execution == ExecutionStatus::queued || run->second.execution == ExecutionStatus::running;
        if (walk.under_way != under_way)
            breach(key.schedule, "20: a walk is under way without its run, or the run without it" + at({key, ""}));
        // Before it begins, only what is to be approved in it is told.
        const bool asked =
            std::ranges::any_of(approvals_, [&key](const auto& each) { return each.first.first == key; });
        const auto begun =
            run->second.execution == ExecutionStatus::queued ? walk.events == 1 || asked : walk.events > 1;
        if (!begun) breach(key.schedule, "20: a run and its walk do not agree on whether it has begun" + at({key, ""}));
        bool goes_on = false;
        for (const auto& [name, node] : nodes_[key]) {
            if (under_way && node.status == model::NodeStatus::awaiting_approval) {
                goes_on = true;
                judge_waiting({key, name}, node.attempts);
            }
            if (node.status != model::NodeStatus::queued || !under_way) continue;
            goes_on = true;
            judge_task({key, name}, node.attempts);
            judge_begun({key, name});
        }
        if (under_way && !goes_on)
            breach(key.schedule, "20: a run is under way and none of its nodes is" + at({key, ""}));
    }

    // One task or one lease, of the right attempt. `attempts`: those that have ended.
    void judge_task(const TaskKey& task, std::int64_t attempts) {
        const auto tasks = tasks_.contains(task) ? tasks_.at(task) : std::vector<std::int64_t>();
        const auto leases = leases_.contains(task) ? leases_.at(task) : std::vector<std::int64_t>();
        const auto schedule = task.first.schedule;
        if (tasks.size() + leases.size() != 1) {
            return breach(schedule, "11: " + std::to_string(tasks.size()) + " tasks and " +
                                        std::to_string(leases.size()) + " leases" + at(task));
        }
        if (!tasks.empty() && tasks.front() != attempts)
            breach(schedule, "10: a task has lost count of its attempts" + at(task));
        if (!leases.empty() && leases.front() != attempts + 1)
            breach(schedule, "9: a lease is not of the next attempt" + at(task));
    }

    void judge_waiting(const TaskKey& task, std::int64_t attempts) {
        const auto found = approvals_.find(task);
        const bool pending = found != approvals_.end() && found->second.status == model::ApprovalStatus::pending &&
                             found->second.attempts == attempts;
        if (!pending) breach(task.first.schedule, "22: it waits, and nobody was asked" + at(task));
        if (tasks_.contains(task) || leases_.contains(task))
            breach(task.first.schedule, "22: a task of what is not approved" + at(task));
    }

    void judge_begun(const TaskKey& task) {
        for (const auto& key : {task, TaskKey{task.first, ""}}) {
            const auto found = approvals_.find(key);
            if (found == approvals_.end() || found->second.status == model::ApprovalStatus::approved) continue;
            breach(task.first.schedule, "22: it has begun and was not approved" + at(task));
        }
    }

    // What is pending waits, and nothing else.
    void judge_approval(const TaskKey& task, const RowOfApproval& approval) {
        const auto run = runs_.find(task.first);
        if (run == runs_.end())
            return breach(task.first.schedule, "22: an approval of a run that is not there" + at(task));
        const bool waits = task.second.empty()
                               ? run->second.execution == ExecutionStatus::awaiting_approval
                               : is_in_flight(run->second.execution) &&
                                     nodes_[task.first][task.second].status == model::NodeStatus::awaiting_approval;
        if (waits != (approval.status == model::ApprovalStatus::pending))
            breach(task.first.schedule, "22: an approval does not fit what it is for" + at(task));
    }

    // Of a run that walks, the sequence has no gap; of any other, an event belongs to an attempt.
    void judge_run_events(const RunKey& key, const std::vector<std::int64_t>& events) {
        if (!runs_.contains(key))
            return breach(key.schedule, "20: events of a run that is not there, slot " + std::to_string(key.slot));
        const auto walk = walks_.find(key);
        if (walk == walks_.end()) return;
        bool whole = static_cast<std::int64_t>(events.size()) + 1 == walk->second.events;
        for (std::size_t i = 0; i < events.size(); ++i) whole = whole && events[i] == static_cast<std::int64_t>(i) + 2;
        if (!whole) breach(key.schedule, "20: a gap in the events of a run" + at({key, ""}));
    }

    void breach(std::int64_t schedule, const std::string& what) {
        const auto id = ids_.find(schedule);
        breaches_.push_back("schedule " +
                            (id == ids_.end() ? std::to_string(schedule) : names_[schedule] + " " + id->second) + " " +
                            what);
    }

    void stray(const std::string& before, const Row& row, const std::string& after) {
        breaches_.push_back("19: " + before + std::string(row.text(0)) + after);
    }

    void add_state(const Row& row) {
        states_[row.integer(0)] = {static_cast<ScheduleStatus>(row.integer(1)),
                                   !row.is_null(2),
                                   !row.is_null(9),
                                   !row.is_null(3),
                                   row.integer(4),
                                   row.integer(5),
                                   row.integer(6),
                                   row.integer(7),
                                   std::string(row.text(8))};
    }

    void add_schedule(const Row& row) {
        const auto key = row.integer(0);
        const auto status = static_cast<ScheduleStatus>(row.integer(4));
        ids_[key] = std::string(row.text(1));
        names_[key] = std::string(row.text(3));
        if (key != model::key_of(ids_[key])) breach(key, "is not where its id says");
        if (row.integer(6) != 1) breach(key, "17: has no definition of version " + std::to_string(row.integer(5)));
        if (row.integer(7) != row.integer(5)) breach(key, "17: has a definition that is newer than itself");
        if (status != ScheduleStatus::deleted && !taken_names_.emplace(row.integer(2), names_[key]).second)
            breach(key, "has a name that is taken");
        const auto state = states_.find(key);
        if (state != states_.end() && state->second.status != status) breach(key, "17: has two different statuses");
    }

    void add_run(const Row& row) {
        const auto key = key_in(row);
        const RowOfRun run{static_cast<DispatchStatus>(row.integer(2)),
                           static_cast<ExecutionStatus>(row.integer(3)),
                           !row.is_null(4),
                           !row.is_null(5),
                           row.integer(6),
                           row.integer(7),
                           row.integer(8),
                           row.is_null(5) ? 0 : row.integer(5)};
        if (!runs_.emplace(key, run).second)
            breach(key.schedule, "1: has two rows in slot " + std::to_string(key.slot));
        const auto slot = model::slot_from_number(key.slot);
        const bool dispatched = run.dispatch == DispatchStatus::dispatched;
        if (dispatched && slot.cause != model::RunCause::trigger &&
            !ran_.emplace(key.schedule, slot.occurrence).second) {
            breach(key.schedule, "1: ran twice for " + format_instant(slot.occurrence));
        }
        auto& count = counts_[key.schedule];
        count.runs += dispatched ? 1 : 0;
        count.in_flight += is_in_flight(run.execution) ? 1 : 0;
        count.buffered += run.dispatch == DispatchStatus::buffered ? 1 : 0;
        if (dispatched && !numbers_.emplace(key.schedule, run.trigger_number).second) {
            breach(key.schedule, "17: gave the trigger number " + std::to_string(run.trigger_number) + " twice");
        }
        if (dispatched) count.highest = std::max(count.highest, run.trigger_number);
    }

    void add_event(const Row& row) {
        const auto key = row.integer(0);
        auto& chain = chains_[key];
        model::Event event;
        event.sequence = row.integer(1);
        event.type = static_cast<model::EventType>(row.integer(2));
        event.recorded_at = Instant{Micros{row.integer(3)}};
        if (event.sequence != ++chain.events) breach(key, "8: a gap before event " + std::to_string(event.sequence));
        chain.hash =
            model::chain_hash(chain.hash, removed_.contains(key) ? removed_[key] : ids_[key], event, row.text(4));
        if (chain.hash != row.text(5)) breach(key, "8: event " + std::to_string(event.sequence) + " breaks the chain");
    }

    void judge_state(std::int64_t key, const StateOfSchedule& state) {
        if (!ids_.contains(key)) breach(key, "has a state and no name");
        const auto& chain = chains_[key];
        if (chain.events != state.events) {
            breach(key,
                   "8: has " + std::to_string(chain.events) + " events and counts " + std::to_string(state.events));
        }
        if (chain.hash != state.chain) breach(key, "8: the state does not have the last hash");
        const bool may_fire =
            state.status == ScheduleStatus::active || (state.status == ScheduleStatus::paused && state.paused_until);
        if (state.fires != may_fire)
            breach(key, std::string("7: ") + (state.fires ? "fires although it must not" : "has lost its cursor"));
        const auto compare = [&](const char* what, std::int64_t rows, std::int64_t counter) {
            if (rows != counter)
                breach(key, "17: " + std::string(what) + " are " + std::to_string(rows) + ", counted " +
                                std::to_string(counter));
        };
        const auto& count = counts_[key];
        compare("runs in flight", count.in_flight, state.in_flight);
        compare("buffered runs", count.buffered, state.buffered);
        if (forgotten_.contains(key)) return;
        compare("dispatched runs", count.runs, state.runs);
        compare("trigger numbers", count.highest, state.runs);
    }

    void judge_run(const RunKey& key, const RowOfRun& run) {
        const auto at = " (slot " + std::to_string(key.slot) + ")";
        if (!states_.contains(key.schedule)) breach(key.schedule, "has a run and no state" + at);
        if (run.has_reason != (run.dispatch == DispatchStatus::skipped))
            breach(key.schedule, "2: a reason for every skip, and for nothing else" + at);
        if (run.completed != is_terminal(run.execution))
            breach(key.schedule, "10: is over without an instant, or not over with one" + at);
        if ((run.execution != ExecutionStatus::none) != (run.dispatch == DispatchStatus::dispatched)) {
            breach(key.schedule, "10: only what was dispatched executes" + at);
        }
        // The row of a run with only one task says `queued` until the run ends; the lease says that somebody has it.
        if (run.execution == ExecutionStatus::queued || run.execution == ExecutionStatus::running) {
            if (!walks_.contains(key)) judge_task({key, ""}, run.attempts);
            return;
        }
        const auto of_run = [&key](const auto& each) { return each.first.first == key; };
        if (std::ranges::any_of(leases_, of_run))
            breach(key.schedule, "11: a lease on a run that is over or has not begun" + at);
        if (!is_terminal(run.execution) && std::ranges::any_of(tasks_, of_run))
            breach(key.schedule, "11: a task of a run that must not start" + at);
    }

    struct Count {
        std::int64_t runs = 0;
        std::int64_t in_flight = 0;
        std::int64_t buffered = 0;
        std::int64_t highest = 0;  // trigger number
    };
    struct Chain {
        std::int64_t events = 0;
        model::ChainHash hash = {};
    };

    std::set<std::int64_t> forgotten_;
    std::map<std::int64_t, StateOfSchedule> states_;
    std::map<std::int64_t, std::string> ids_;
    std::map<std::int64_t, std::string> removed_;  // of whom events alone are left
    std::map<std::int64_t, std::string> names_;
    std::set<std::pair<std::int64_t, std::string>> taken_names_;
    std::map<RunKey, RowOfRun> runs_;
    std::set<std::pair<std::int64_t, Instant>> ran_;
    std::set<std::pair<std::int64_t, std::int64_t>> numbers_;
    std::map<std::int64_t, Count> counts_;
    std::map<std::int64_t, Chain> chains_;
    std::map<TaskKey, std::vector<std::int64_t>> tasks_;
    std::map<TaskKey, std::vector<std::int64_t>> leases_;
    std::map<RunKey, RowOfWalk> walks_;
    std::map<RunKey, std::map<std::string, RowOfNode>> nodes_;
    std::map<RunKey, std::vector<std::int64_t>> run_events_;
    std::map<TaskKey, RowOfApproval> approvals_;  // the newest
    std::vector<std::string> breaches_;
};

}  // namespace

std::vector<std::string> breaches_of_invariants(store::sql::Database& database, const InvariantOptions& options) {
    Checker checker(options);
    const auto done = database.read([&](Session& session) { return checker.read(session); });
    if (!done) return {"the tables cannot be read: " + done.error().message};
    return checker.judge();
}

}  // namespace belfry::test
