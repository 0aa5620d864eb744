#include "support/store_invariants.hpp"

#include <map>
#include <optional>

#include "model/audit.hpp"
#include "model/identity.hpp"
#include "model/schedule.hpp"

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
                        "SELECT schedule_key, status, next_fire_us, paused_until_us, runs, in_flight, buffered, events, chain, next_occurrence_us "
                        "FROM schedule_state");
const Statement kSchedules("check schedules",
                           "SELECT c.schedule_key, c.id, c.tenant_key, c.name, c.status, c.version, (SELECT count(*) FROM definitions d "
                           "WHERE d.schedule_key = c.schedule_key AND d.version = c.version), (SELECT max(d.version) FROM definitions d "
                           "WHERE d.schedule_key = c.schedule_key) FROM schedules c");
const Statement kRuns("check runs",
                      "SELECT schedule_key, slot, dispatch, execution, reason, completed_us, trigger_number, attempts, tenant_key FROM runs");
const Statement kEvents("check events",
                        "SELECT schedule_key, sequence, type, recorded_us, payload, hash FROM events ORDER BY schedule_key, sequence");
const Statement kTasks("check tasks",
                       "SELECT schedule_key, slot, attempt FROM ready_tasks UNION ALL SELECT schedule_key, slot, attempt FROM delayed_tasks");
const Statement kLeases("check leases", "SELECT schedule_key, slot, attempt FROM leases");
const Statement kBackfills("check backfills", "SELECT schedule_key, count(*) FROM backfills WHERE status < 2 GROUP BY schedule_key");
const Statement kTenantCounts("check tenant counts",
                              "SELECT t.tenant_key, COALESCE((SELECT n.schedules FROM tenant_counts n WHERE n.tenant_key = t.tenant_key), 0), "
                              "(SELECT count(*) FROM schedules c WHERE c.tenant_key = t.tenant_key AND c.status <> 3) FROM tenants t");

// What breaks the rules of the registry, in words.
const Statement kMiscountedWebhooks("check webhooks",
                                    "SELECT t.name FROM tenants t WHERE t.webhooks <> "
                                    "(SELECT count(*) FROM webhooks w WHERE w.tenant_key = t.tenant_key AND w.enabled = 1)");
const Statement kStrayDeliveries("check deliveries",
                                 "SELECT d.type FROM deliveries d LEFT JOIN webhooks w ON w.webhook_key = d.webhook_key "
                                 "WHERE w.webhook_key IS NULL OR d.position > w.taken_position OR (d.status = 0) <> (d.next_us IS NOT NULL)");
const Statement kStrayFeed("check feed",
                           "SELECT f.type FROM feed f LEFT JOIN schedules c ON c.schedule_key = f.schedule_key "
                           "WHERE c.schedule_key IS NULL OR c.tenant_key <> f.tenant_key");

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

struct RowOfRun {
    DispatchStatus dispatch = DispatchStatus::pending;
    ExecutionStatus execution = ExecutionStatus::none;
    bool has_reason = false;
    bool completed = false;
    std::int64_t trigger_number = 0;
    std::int64_t attempts = 0;
    std::int64_t tenant = 0;
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
            session.run(kRuns, {}, [this](const Row& row) { add_run(row); }),
            session.run(kEvents, {}, [this](const Row& row) { add_event(row); }),
            session.run(kTasks, {}, [this](const Row& row) { tasks_[key_in(row)].push_back(row.integer(2)); }),
            session.run(kLeases, {}, [this](const Row& row) { leases_[key_in(row)].push_back(row.integer(2)); }),
            session.run(kTenantCounts, {},
                        [this](const Row& row) {
                            if (row.integer(1) == row.integer(2)) return;
                            breaches_.push_back("17: tenant " + std::to_string(row.integer(0)) + " has " + std::to_string(row.integer(2)) +
                                                " schedules and counts " + std::to_string(row.integer(1)));
                        }),
            session.run(kBackfills, {},
                        [this](const Row& row) {
                            if (row.integer(1) > 1) breach(row.integer(0), "has " + std::to_string(row.integer(1)) + " backfills that are not over");
                        }),
            session.run(kMiscountedWebhooks, {}, [this](const Row& row) { stray("tenant ", row, " has lost count of its webhooks"); }),
            session.run(kStrayDeliveries, {}, [this](const Row& row) { stray("a delivery of ", row, " does not fit its webhook"); }),
            session.run(kStrayFeed, {}, [this](const Row& row) { stray("", row, " in the feed belongs to no schedule of its tenant"); })};
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
        for (const auto& [key, attempts] : leases_) {
            if (!runs_.contains(key)) breach(key.schedule, "11: a lease on a run that is not there, slot " + std::to_string(key.slot));
        }
        for (const auto& [key, attempts] : tasks_) {
            if (attempts.size() > 1) breach(key.schedule, "11: " + std::to_string(attempts.size()) + " tasks of slot " + std::to_string(key.slot));
        }
        return std::move(breaches_);
    }

private:
    static RunKey key_in(const Row& row) { return {row.integer(0), row.integer(1)}; }

    void breach(std::int64_t schedule, const std::string& what) {
        const auto id = ids_.find(schedule);
        breaches_.push_back("schedule " + (id == ids_.end() ? std::to_string(schedule) : names_[schedule] + " " + id->second) + " " + what);
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
        if (status != ScheduleStatus::deleted && !taken_names_.emplace(row.integer(2), names_[key]).second) breach(key, "has a name that is taken");
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
                           row.integer(8)};
        if (!runs_.emplace(key, run).second) breach(key.schedule, "1: has two rows in slot " + std::to_string(key.slot));
        const auto slot = model::slot_from_number(key.slot);
        const bool dispatched = run.dispatch == DispatchStatus::dispatched;
        if (dispatched && slot.cause != model::RunCause::trigger && !ran_.emplace(key.schedule, slot.occurrence).second) {
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
        chain.hash = model::chain_hash(chain.hash, ids_[key], event, row.text(4));
        if (chain.hash != row.text(5)) breach(key, "8: event " + std::to_string(event.sequence) + " breaks the chain");
    }

    void judge_state(std::int64_t key, const StateOfSchedule& state) {
        if (!ids_.contains(key)) breach(key, "has a state and no name");
        const auto& chain = chains_[key];
        if (chain.events != state.events) {
            breach(key, "8: has " + std::to_string(chain.events) + " events and counts " + std::to_string(state.events));
        }
        if (chain.hash != state.chain) breach(key, "8: the state does not have the last hash");
        const bool may_fire = state.status == ScheduleStatus::active || (state.status == ScheduleStatus::paused && state.paused_until);
        if (state.fires != may_fire) breach(key, std::string("7: ") + (state.fires ? "fires although it must not" : "has lost its cursor"));
        const auto compare = [&](const char* what, std::int64_t rows, std::int64_t counter) {
            if (rows != counter) breach(key, "17: " + std::string(what) + " are " + std::to_string(rows) + ", counted " + std::to_string(counter));
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
        if (run.completed != is_terminal(run.execution)) breach(key.schedule, "10: is over without an instant, or not over with one" + at);
        if ((run.execution != ExecutionStatus::none) != (run.dispatch == DispatchStatus::dispatched)) {
            breach(key.schedule, "10: only what was dispatched executes" + at);
        }
        const auto tasks = tasks_.contains(key) ? tasks_.at(key) : std::vector<std::int64_t>();
        const auto leases = leases_.contains(key) ? leases_.at(key) : std::vector<std::int64_t>();
        // The row itself says `queued` until the run ends; the lease says that somebody has it.
        if (run.execution == ExecutionStatus::queued || run.execution == ExecutionStatus::running) {
            if (tasks.size() + leases.size() != 1) {
                breach(key.schedule,
                       "11: a run has " + std::to_string(tasks.size()) + " tasks and " + std::to_string(leases.size()) + " leases" + at);
                return;
            }
            if (!tasks.empty() && tasks.front() != run.attempts) breach(key.schedule, "10: a task has lost count of its attempts" + at);
            if (!leases.empty() && leases.front() != run.attempts + 1) breach(key.schedule, "9: a lease is not of the next attempt" + at);
            return;
        }
        if (!leases.empty()) breach(key.schedule, "11: a lease on a run that is over or has not begun" + at);
        if (!tasks.empty() && !is_terminal(run.execution)) breach(key.schedule, "11: a task of a run that must not start" + at);
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
    std::map<std::int64_t, std::string> names_;
    std::set<std::pair<std::int64_t, std::string>> taken_names_;
    std::map<RunKey, RowOfRun> runs_;
    std::set<std::pair<std::int64_t, Instant>> ran_;
    std::set<std::pair<std::int64_t, std::int64_t>> numbers_;
    std::map<std::int64_t, Count> counts_;
    std::map<std::int64_t, Chain> chains_;
    std::map<RunKey, std::vector<std::int64_t>> tasks_;
    std::map<RunKey, std::vector<std::int64_t>> leases_;
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
