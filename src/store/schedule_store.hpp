// Schedules and the decisions on them: create, change, tick, trigger, backfill. The planner of a decision must not call
// the store, and the store may call it twice for one schedule. store.hpp has the contract of all calls.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "model/request_key.hpp"
#include "model/schedule/backfill.hpp"
#include "store/schedule_record.hpp"
#include "store/store_clock.hpp"

namespace belfry::store {

inline constexpr std::size_t kTickBatchMax = 1'000;  // schedules decided in one transaction

// The next fire time of a schedule, by key, for timers in memory.
struct Upcoming {
    std::int64_t key = 0;
    std::optional<Instant> next_fire = {};
    std::int64_t tenant = 0;  // the tenant's key; 0 if the query did not read it
    bool waits = false;       // it has buffered runs and none in flight: a tick may release them before it is due
    friend bool operator==(const Upcoming&, const Upcoming&) = default;
};

using Planner = std::function<Result<decide::Plan>(const decide::Facts&)>;

// Facts that only some decisions need. The store always gathers the other facts that the schedule's policies need.
struct FactsRequest {
    Instant now = {};                                       // counts per day or per hour end here
    bool in_flight = false;                                 // the request itself may cancel runs in flight
    std::optional<std::pair<Instant, Instant>> slots = {};  // inclusive: runs in this range go to `taken`
    std::string run = {};                                   // id of the run for `run`; or not_found
    bool stand_in = false;                                  // accept a stand-in for an unreadable schedule
};

// One change of one schedule; see ScheduleStore::change.
struct ChangeRequest {
    ScheduleRef schedule;
    FactsRequest needs;
    Planner planner;
};

// A schedule to create on its own.
struct NewSchedule {
    decide::Plan plan;
    // Decides the new schedule, `compiled`, in the same transaction; empty: it waits for its time.
    Planner first = {};
    decide::CompiledPtr compiled = {};
};

struct TickRequest {
    Instant now = {};
    // Schedules to check, at most kTickBatchMax: the store decides those that are due or wait for a release. Empty:
    // scan for due schedules.
    std::vector<std::int64_t> keys = {};
    std::size_t limit = kTickBatchMax;  // of a scan
};

// A schedule that could not be decided, with the reason.
struct Poisoned {
    std::int64_t key = 0;
    std::string id = {};  // empty if unknown
    Error error = {};
};

struct TickOutcome {
    std::vector<decide::Plan> plans = {};  // applied plans; plans that decided nothing are omitted
    std::vector<Upcoming> upcoming = {};   // every checked schedule; those that were due have their tenants.
                                           // An absent schedule is poisoned, locked by another server, or does not
                                           // exist.
    std::vector<Poisoned> poisoned = {};   // still due
};

struct BackfillStep {
    decide::Plan plan;  // may be empty
    model::Backfill backfill;
};
using BackfillPlanner = std::function<Result<BackfillStep>(const decide::Facts&, const model::Backfill&)>;

// The result of a request, stored under its request key.
struct RequestRecord {
    std::string fingerprint;
    std::string schedule_id;       // the schedule that it created or changed
    std::string run_id = {};       // empty if it created no run
    std::string backfill_id = {};  // empty if it created no backfill
    Instant at = {};
    friend bool operator==(const RequestRecord&, const RequestRecord&) = default;
};

class ScheduleStore : public virtual StoreClock {
public:
    // -- Schedules.
    // Creates all schedules or none. already_exists names the first one whose name, id or request key is taken.
    // exhausted: the tenant has reached its limit.
    virtual Result<void> create(std::span<const decide::Plan> plans) = 0;

    // Creates each schedule on its own, in order. Returns the plan of its first decision: nothing if it has none, or if
    // it could not be decided at once, so that a tick will. The default calls create() and tick(); a database shares
    // transactions.
    using Created = Result<std::optional<decide::Plan>>;
    virtual Result<std::vector<Created>> create_each(std::span<const NewSchedule> schedules);

    // Decides one schedule: trigger, update, pause, resume, delete, approve, cancel… Returns the applied plan; an
    // empty plan changes nothing. Waits while another transaction has locked the schedule. already_exists if the
    // plan's request key is taken.
    virtual Result<decide::Plan> change(const ScheduleRef& schedule, const FactsRequest& needs,
                                        const Planner& planner) = 0;

    // Makes each change on its own, those of one schedule in order. The default calls change() for each; a database
    // shares transactions.
    virtual Result<std::vector<Result<decide::Plan>>> change_each(std::span<const ChangeRequest> requests);

    // Decides the schedules that are due. Skips those that another server is deciding. If a decision fails, its
    // schedule goes to `poisoned` and the others are not affected.
    virtual Result<TickOutcome> tick(const TickRequest& request, const Planner& planner) = 0;

    // Applies plans that were made earlier. Per plan: empty, or the error. conflict if the schedule's revision has
    // changed.
    virtual Result<std::vector<std::optional<Error>>> apply(std::span<const decide::Plan> plans) = 0;

    // The cursors of all schedules that have one or wait for a release, by key, with their tenants: for timers in
    // memory.
    virtual Result<std::vector<Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) = 0;
    // The cursors of these schedules (at most kTickBatchMax), by key, with their tenants. Reads without waiting or
    // locking. Omits schedules that do not exist.
    virtual Result<std::vector<Upcoming>> peek_next_fires(std::span<const std::int64_t> keys) = 0;

    // Removes ended runs of a deleted schedule, oldest first, at most `limit`; its audit events stay. Returns the
    // number of removed runs.
    virtual Result<std::int64_t> purge(const ScheduleRef& schedule, std::size_t limit) = 0;

    // -- Dead letters: runs that finally failed or timed out, until an operator replays or dismisses them.
    // not_found if the run is not (or no longer) a dead letter.
    virtual Result<void> dismiss(const std::string& tenant, const std::string& run_id) = 0;

    // -- Backfills. A schedule can have one unfinished backfill; another one is a conflict.
    // already_exists if the id or the request key is taken.
    virtual Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                         const std::optional<model::RequestKey>& request = {}) = 0;
    virtual Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(
        std::size_t limit) = 0;  // with their tenants
    // Runs one page, or changes the status. Writes the plan and the backfill in one transaction.
    virtual Result<BackfillStep> step_backfill(const std::string& tenant, const std::string& id,
                                               const FactsRequest& needs, const BackfillPlanner& planner) = 0;

    // -- Request keys. The store writes them together with the result of the request.
    virtual Result<RequestRecord> request(const std::string& tenant, const std::string& key) = 0;
};

}  // namespace belfry::store
