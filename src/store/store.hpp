// The durable state of Belfry, as the engine uses it. Implementations: MemoryStore (the reference model), SqlStore
// (the same SQL for SQLite and PostgreSQL) and ObservedStore (measures another store). Thread-safe.
//
// Every call that changes something is one transaction: it takes effect completely or not at all. A call that decides
// locks the schedules, gathers the facts, calls the planner and applies its plan in that same transaction, so no
// decision uses stale facts. Alternatively it decides on a snapshot and applies the plan only if none of it has
// changed. The planner must not call the store, and the store may call it twice for one schedule.
//
// Errors: not_found, already_exists, conflict (another caller was first; nothing was changed), unavailable (nothing
// was changed; a retry may succeed), unknown (the connection broke during the commit, and the store could not
// determine the outcome: check before you retry), corrupt (a stored row cannot be read). Callers that pass a name or
// an id also pass the tenant: a record of another tenant is not_found.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time/clock_guard.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/run/attempt.hpp"
#include "model/request_key.hpp"
#include "model/run/approval.hpp"
#include "model/run/event.hpp"
#include "model/run/run.hpp"
#include "model/run/run_event.hpp"
#include "model/run/task.hpp"
#include "model/schedule/backfill.hpp"
#include "model/schedule/schedule.hpp"
#include "model/tenant/assignee.hpp"
#include "model/tenant/assignment.hpp"
#include "model/tenant/tenant.hpp"
#include "spec/calendar/calendar.hpp"
#include "store/notification.hpp"

namespace belfry::store {

inline constexpr std::size_t kTickBatchMax = 1'000;  // schedules decided in one transaction
inline constexpr std::size_t kPageMax = 1'000;       // rows in one page of a list
// Approximate size limit of a page. The item that reaches it is the last one. Every list of the store ends there.
inline constexpr std::size_t kPageBytesMax = std::size_t{4} << 20U;
inline constexpr std::size_t kClaimMax = 1'000;   // tasks in one claim
inline constexpr std::size_t kServerIdMax = 255;  // bytes in the id of a server
inline constexpr std::size_t kScanMax = 20'000;   // names that one page of schedules examines
inline constexpr std::size_t kCountsMax = 1'000;  // entries of each kind in one result of counts()

// A membership that ends more than this many leases from now was written before the clock was set back.
inline constexpr int kMembershipLeases = 2;
// The store removes a server that has not renewed its membership for this long.
inline constexpr Micros kServerForgottenAfter = std::chrono::hours{1};

// Default limits of a store.
struct StoreLimits {
    std::int64_t schedules_per_tenant = 10'000;                      // not deleted; a tenant may have its own limit
    std::int64_t runs_per_day_per_tenant = 10'000'000;               // for tenants without their own; see settle_usage
    std::int64_t stored_bytes_per_tenant = std::int64_t{20} << 30U;  // as measured; a tenant may have its own limit
    std::string default_connection = {};                             // for tasks whose definitions name none
    decide::RunCaps run = {};                                        // included in the facts of every decision
};

struct ScheduleRef {
    std::string tenant;
    std::string id = {};    // exactly one of id and name
    std::string name = {};  // the current owner of the name: a deleted schedule is found only by id
    friend bool operator==(const ScheduleRef&, const ScheduleRef&) = default;
};

struct ScheduleRecord {
    model::Schedule definition;
    model::ScheduleState state;
    std::string unreadable = {};  // why `definition` has only its ids and tenant; empty: it is readable
    friend bool operator==(const ScheduleRecord&, const ScheduleRecord&) = default;
};

// One version of a definition.
struct DefinitionRef {
    std::string schedule_id;
    std::int64_t version = 0;
    friend bool operator==(const DefinitionRef&, const DefinitionRef&) = default;
};

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

struct ClaimRequest {
    std::string tenant;
    std::string queue = "default";
    std::string worker;
    std::size_t limit = 1;
    Instant now = {};
    Micros lease = Seconds{30};
    std::string assignee = {};  // tasks of this agent or team; empty: those that are for everybody
    // About so many bytes of inputs: the task that reaches it is the last. There is always one, however large it is.
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

// The end of an attempt. The store rejects it if the lease was lost: conflict, and nothing changes.
struct Ending {
    model::LeaseRef lease;
    decide::AttemptEnd end;
    std::optional<Instant> expired_before = {};  // for the reaper: rejected unless the lease ends before this
    std::string tenant = {};                     // the run's tenant: other runs are not_found. Empty: any tenant
    std::optional<Instant> renewed_at = {};      // for the reaper: rejected if it was renewed since, by any clock
};
// Moves a lease to the system that a task was delivered to, which cannot claim a lease itself.
struct LeaseTransfer {
    model::LeaseRef lease;
    std::string worker;                // the new holder
    Instant until = {};                // the new end, regardless of the deadline
    std::string event = {};            // type of the run event
    boost::json::object payload = {};  // of the event; the store adds the attempt
};
// A lease that must move because the clock stepped, and by how much; negative: back.
struct Redated {
    model::Lease lease;  // as `expired` returned it
    Micros by = {};
};
using AttemptPlanner = std::function<Result<decide::AttemptPlan>(const decide::Facts&, const decide::AttemptEnd&)>;

// A workflow in a list: its newest version.
struct WorkflowHead {
    std::string name;
    std::int64_t version = 0;
    friend bool operator==(const WorkflowHead&, const WorkflowHead&) = default;
};

// Returns why the next version must not be written after this one; empty: it may. Must not call the store.
using WorkflowCheck = std::function<std::optional<Error>(const model::Workflow& newest)>;

// A run that exceeded the timeout of its workflow.
struct OverdueRun {
    std::string tenant;
    std::string run_id;
    Instant deadline = {};
    friend bool operator==(const OverdueRun&, const OverdueRun&) = default;
};

// An approval that expired without a decision.
struct OverdueApproval {
    std::string tenant;
    model::Approval approval;
    friend bool operator==(const OverdueApproval&, const OverdueApproval&) = default;
};

struct BackfillStep {
    decide::Plan plan;  // may be empty
    model::Backfill backfill;
};
using BackfillPlanner = std::function<Result<BackfillStep>(const decide::Facts&, const model::Backfill&)>;

// Cursors are opaque: pass the `next` of a result as `after`, with the same filter. Empty `after`: from the start.
// Empty `next`: the list has ended.
struct Page {
    std::string after = {};
    std::size_t limit = 50;
    std::size_t bytes = kPageBytesMax;  // at most this many
    // Schedules: how many names to examine, at most kScanMax. A page that reaches this limit may have fewer items
    // than `limit`, or none, and still have a `next`.
    std::size_t scan = kScanMax;
};
template <typename T>
struct Listing {
    std::vector<T> items;
    std::string next = {};
    friend bool operator==(const Listing&, const Listing&) = default;
};

// Sorted by name, then by age. All conditions must hold. Conditions on the definition (notes, queue, search
// attributes) are checked in every schedule that matches the others.
struct ScheduleFilter {
    std::string tenant;
    std::optional<model::ScheduleStatus> status = {};  // empty: all except deleted ones
    std::string name_prefix = {};
    std::optional<std::pair<std::string, std::string>> label = {};
    std::optional<model::TargetType> target_type = {};
    std::string target_kind = {};           // exact match; empty: any
    std::string contains = {};              // in the name; ignores the case of A to Z
    std::optional<Instant> next_from = {};  // next fire time; both inclusive. Excludes schedules without one
    std::optional<Instant> next_to = {};
    bool descending = false;    // sort by descending name
    bool newest_first = false;  // sort only by age instead of by name; ignores `descending`
    std::string name = {};      // exact match; empty: any
    std::optional<std::string> notes = {};
    std::optional<std::string> queue = {};                             // of the target
    std::vector<std::pair<std::string, Json>> search_attributes = {};  // each member must have this value
};

// The progress or the result of a run, as one value.
enum class RunState : std::uint8_t {
    awaiting_approval,
    queued,
    running,
    succeeded,
    failed,
    cancelled,
    terminated,
    timed_out,
    skipped,
    buffered
};
[[nodiscard]] RunState state_of(const model::Run& run);

// Sorted by occurrence, newest first.
struct RunFilter {
    std::string tenant;
    std::string schedule_id = {};  // empty: all schedules
    std::optional<RunState> state = {};
    std::optional<Instant> from = {};  // occurrences; both inclusive
    std::optional<Instant> to = {};
    std::string team = {};  // dispatched to this team; empty: any. Only without a schedule or a state
};

// Sorted by time of the request, oldest first.
struct ApprovalFilter {
    std::string tenant;
    model::ApprovalStatus status = model::ApprovalStatus::pending;
};

// The result of a request, stored under its request key.
struct RequestRecord {
    std::string fingerprint;
    std::string schedule_id;       // the schedule that it created or changed
    std::string run_id = {};       // empty if it created no run
    std::string backfill_id = {};  // empty if it created no backfill
    Instant at = {};
    friend bool operator==(const RequestRecord&, const RequestRecord&) = default;
};

// Counts, largest first, at most kCountsMax of each kind.
struct ScheduleCount {
    std::string tenant;
    model::ScheduleStatus status = model::ScheduleStatus::active;
    std::int64_t count = 0;
    friend bool operator==(const ScheduleCount&, const ScheduleCount&) = default;
};
struct QueueDepth {
    std::string tenant;
    std::string queue;
    std::int64_t ready = 0;    // claimable now
    std::int64_t delayed = 0;  // claimable later
    std::int64_t leased = 0;   // held by a worker
    friend bool operator==(const QueueDepth&, const QueueDepth&) = default;
};
// A tenant's queue that has tasks, claimable now or later.
struct QueueLine {
    std::string tenant;
    std::string queue;
    friend auto operator<=>(const QueueLine&, const QueueLine&) = default;
};
// A request for the queues of receivers (model/run/task.hpp) in which tasks are claimable now.
struct ReceiverQueues {
    std::string tenant;
    std::string after = {};  // a queue of this kind: those that follow it come first
    std::size_t limit = kPageMax;
    Instant now = {};
};
struct ApprovalCount {
    std::string tenant;
    std::int64_t pending = 0;
    Instant oldest = {};  // when the oldest pending approval was requested
    friend bool operator==(const ApprovalCount&, const ApprovalCount&) = default;
};
struct Counts {
    std::vector<ScheduleCount> schedules = {};
    std::vector<QueueDepth> queues = {};  // queues with tasks
    std::vector<ApprovalCount> approvals = {};
    Instant at = {};  // time of the count
    friend bool operator==(const Counts&, const Counts&) = default;
};

// An event with its hash in the audit chain: see model/run/audit.hpp.
struct EventRecord {
    model::Event event;
    std::string hash;  // 64 hexadecimal digits
    friend bool operator==(const EventRecord&, const EventRecord&) = default;
};

struct CalendarRecord {
    spec::CalendarText calendar;
    std::int64_t version = 1;
    friend bool operator==(const CalendarRecord&, const CalendarRecord&) = default;
};

// Which runs to remove. Each condition on its own is sufficient.
struct Retention {
    std::optional<Instant> occurred_before = {};
    std::optional<std::int64_t> keep_newest = {};    // how many rows to keep
    std::optional<Instant> keep_letters_since = {};  // keep dead letters from then on, with their runs
};

// A sweep over the schedules of all tenants, including deleted ones, in key order.
struct PruneRequest {
    std::int64_t after_key = 0;
    std::size_t schedules = 100;  // examined per call, at most kPageMax
    Retention retention = {};
    std::size_t limit = 1'000;  // maximum number of runs removed per call
};
struct PruneOutcome {
    std::int64_t removed = 0;
    std::optional<std::int64_t> next_after = {};  // where to continue; empty: the sweep is complete
    std::int64_t definitions = 0;                 // removed versions
    friend bool operator==(const PruneOutcome&, const PruneOutcome&) = default;
};

// The position of a schedule in the list of ended ones, sorted by end time.
struct EndedPlace {
    Instant ended = {};
    std::int64_t key = 0;
    friend auto operator<=>(const EndedPlace&, const EndedPlace&) = default;
};
// Removes schedules completely.
struct RemovalRequest {
    Instant ended_before = {};
    std::optional<Instant> keep_letters_since = {};  // as in Retention
    EndedPlace after = {};
    std::size_t schedules = 100;  // examined per call, at most kPageMax
    std::size_t limit = 1'000;    // maximum number of runs removed per call
};
struct RemovalOutcome {
    std::int64_t schedules = 0;
    std::int64_t runs = 0;
    std::optional<EndedPlace> next_after = {};  // where to continue; empty: all were examined
    friend bool operator==(const RemovalOutcome&, const RemovalOutcome&) = default;
};

// A tenant's usage of its limits.
struct TenantUsage {
    std::int64_t schedules = 0;                     // not deleted
    std::int64_t runs_today = 0;                    // by UTC; without its own limit: as of the last settle_usage
    std::optional<std::int64_t> stored_bytes = {};  // empty: not measured yet
    std::optional<Instant> measured_at = {};
    friend bool operator==(const TenantUsage&, const TenantUsage&) = default;
};
// A measurement scans the tables with tenants' data in key order.
struct MeasuredPlace {
    std::size_t table = 0;
    std::pair<std::int64_t, std::int64_t> after = {std::numeric_limits<std::int64_t>::min(),
                                                   std::numeric_limits<std::int64_t>::min()};
    friend bool operator==(const MeasuredPlace&, const MeasuredPlace&) = default;
};
struct Measured {
    std::map<std::int64_t, std::int64_t> bytes = {};  // size of the scanned rows, by tenant key
    std::optional<MeasuredPlace> next = {};           // where to continue; empty: the scan is complete
    friend bool operator==(const Measured&, const Measured&) = default;
};
// A tenant that reached a limit that is measured periodically, not in every transaction.
struct TenantOverLimit {
    std::string tenant;
    std::int64_t stored_bytes = 0;
    std::int64_t stored_bytes_max = 0;
    friend bool operator==(const TenantOverLimit&, const TenantOverLimit&) = default;
};

struct MembershipRequest {
    std::string server;  // unique id, 1 to kServerIdMax bytes
    Instant now = {};
    Micros lease = Seconds{10};
    bool settled = false;  // the server has trusted this time for so long that every server does
    Instant newest = {};   // `newest` from its previous renewal
};
struct ClusterView {
    std::vector<std::string> servers = {};  // sorted ids of the members at `now`, including this server
    std::string leader = {};                // empty if there is no leader
    std::int64_t term = 0;                  // the leader's; without a leader, the newest
    Instant newest = {};                    // the latest `now` at which any leader has renewed
    friend bool operator==(const ClusterView&, const ClusterView&) = default;
};

class Registry;

class Store {
public:
    virtual ~Store() = default;

    // API keys, the feed and webhooks. Lives as long as the store.
    [[nodiscard]] virtual Registry& registry() = 0;

    // The clock that all servers of this store share. It decides what is due.
    virtual Result<Instant> now() = 0;

    // -- Servers.
    // Renews the server's membership until now + lease, and returns the other members. If there is no leader, this
    // server becomes the leader. A term is a number that the store assigns only once. A leader that renews in time
    // keeps its term; after its lease has expired it needs a new term, even if it was the last leader. There is at
    // most one leader at any `now`, even if a server's `now` goes back: an earlier `now` shortens no lease and wins
    // no term. The exception: if the request is `settled` and a lease ends more than kMembershipLeases from now, it
    // is cut to that length, which leaves its leader enough time to renew. Idempotent: after an unknown outcome,
    // repeat the call.
    virtual Result<ClusterView> renew_membership(const MembershipRequest& request) = 0;
    // Ends membership and leadership immediately.
    virtual Result<void> leave(const std::string& server) = 0;

    // -- Tenants. `default` always exists. `version` must be the stored version plus one, or 1 for a new tenant.
    virtual Result<void> put_tenant(const model::Tenant& tenant) = 0;
    virtual Result<model::Tenant> tenant(const std::string& name) = 0;
    virtual Result<std::vector<model::Tenant>> tenants() = 0;

    // -- Usage of tenants (docs/adr/0023-measured-limits.md).
    virtual Result<TenantUsage> usage(const std::string& tenant, Instant now) = 0;
    // Measures the next `rows` rows after a place, at least one if there is any.
    virtual Result<Measured> measure(const MeasuredPlace& place, std::size_t rows) = 0;
    // Stores the result of a measurement, by tenant key; absent tenants have no data.
    virtual Result<void> put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) = 0;
    // Adds the runs that this store has dispatched since the last call to the daily counts of tenants without their
    // own limit. From then on, decisions of this store skip runs beyond runs_per_day_per_tenant. Returns the tenants
    // whose measured size has reached its limit. Call it periodically: no decision reads or writes this data.
    virtual Result<std::vector<TenantOverLimit>> settle_usage(Instant now) = 0;

    // -- Calendars of a tenant, without the built-in ones. `version` as for tenants. A calendar that a schedule uses
    // cannot be removed. A change applies to a schedule from its next decision.
    virtual Result<void> put_calendar(const std::string& tenant, const CalendarRecord& record) = 0;
    virtual Result<void> remove_calendar(const std::string& tenant, const std::string& name) = 0;
    virtual Result<CalendarRecord> calendar(const std::string& tenant, const std::string& name) = 0;
    virtual Result<Listing<CalendarRecord>> calendars(const std::string& tenant, const Page& page) = 0;  // by name

    // -- Assignees of a tenant, by id. `version` as for tenants. A record can be removed while schedules use it: the
    // assignee then has no limits. If it is added again on the same day, the usage of that day still counts.
    virtual Result<void> put_assignee(const std::string& tenant, const model::AssigneeRecord& record) = 0;
    virtual Result<void> remove_assignee(const std::string& tenant, const std::string& id) = 0;
    virtual Result<model::AssigneeRecord> assignee(const std::string& tenant, const std::string& id) = 0;
    virtual Result<Listing<model::AssigneeRecord>> assignees(const std::string& tenant, const Page& page) = 0;
    // The budget that the assignee's runs of that day have taken. A plan that dispatches a run with a budget reserves
    // the run's maximum. When a plan ends the run, the same transaction settles the reservation, exactly once.
    virtual Result<model::BudgetDay> budget(const std::string& tenant, const std::string& assignee, model::Day day) = 0;
    // Removes days before `before`, oldest first: those of tenants, and those of assignees without reservations. Also
    // removes the results of runs that conditions used, except the newest of each target. Returns the number of
    // removed days.
    virtual Result<std::int64_t> prune_budgets(model::Day before, std::size_t limit) = 0;

    // -- Workflow assignments of a tenant, by id. Ids are never reused. `version` as for tenants. An assignment that
    // a schedule uses cannot be removed, and a schedule cannot use one that does not exist: invalid_argument. A
    // change applies to a schedule from its next decision.
    virtual Result<void> put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) = 0;
    virtual Result<void> remove_assignment(const std::string& tenant, const std::string& id) = 0;
    virtual Result<model::WorkflowAssignment> assignment(const std::string& tenant, const std::string& id) = 0;
    virtual Result<Listing<model::WorkflowAssignment>> assignments(const std::string& tenant, const Page& page) = 0;

    // -- Workflows of a tenant. `version` must be the newest plus one, 1 for a new workflow, or 0 for the next one;
    // the call returns it. A version never changes. A removed workflow is not_found, but its runs continue, and a new
    // version continues the numbering. The store first calls `check` with the newest version, even of a removed
    // workflow, and writes nothing if it returns an error.
    virtual Result<std::int64_t> put_workflow(const model::Workflow& workflow, const WorkflowCheck& check = {}) = 0;
    virtual Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) = 0;
    // Returns the newest version if `version` is empty.
    virtual Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name,
                                                std::optional<std::int64_t> version) = 0;
    virtual Result<Listing<WorkflowHead>> workflows(const std::string& tenant, const Page& page) = 0;  // by name
    // Removes versions of each workflow beyond the newest `keep`, unless a run, a schedule or an assignment uses
    // them. Examines `limit` workflows after `after_key`, and returns where to continue.
    virtual Result<PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) = 0;

    // -- Schedules.
    // Creates all schedules or none. already_exists names the first one whose name, id or request key is taken.
    // exhausted: the tenant has reached its limit.
    virtual Result<void> create(std::span<const decide::Plan> plans) = 0;

    // Decides one schedule: trigger, update, pause, resume, delete, approve, cancel… Returns the applied plan; an
    // empty plan changes nothing. Waits while another transaction has locked the schedule. already_exists if the
    // plan's request key is taken.
    virtual Result<decide::Plan> change(const ScheduleRef& schedule, const FactsRequest& needs,
                                        const Planner& planner) = 0;

    // Decides the schedules that are due. Skips those that another server is deciding. If a decision fails, its
    // schedule goes to `poisoned` and the others are not affected.
    virtual Result<TickOutcome> tick(const TickRequest& request, const Planner& planner) = 0;

    // Applies plans that were made earlier. Per plan: empty, or the error. conflict if the schedule's revision has
    // changed.
    virtual Result<std::vector<std::optional<Error>>> apply(std::span<const decide::Plan> plans) = 0;

    // Removes ended runs of a deleted schedule, oldest first, at most `limit`; its audit events stay. Returns the
    // number of removed runs.
    virtual Result<std::int64_t> purge(const ScheduleRef& schedule, std::size_t limit) = 0;

    // -- Tasks.
    // Highest priority first, then the longest ready. A task that was ready once stays so, whatever `now` says later. A
    // task's timeout ends its lease, however often it is renewed. What does not fit into its bytes stays ready, in its
    // place.
    virtual Result<std::vector<model::Task>> claim(const ClaimRequest& request) = 0;
    // Renews leases. Returns the leases that are still held; the others are lost. If a lease was renewed before a
    // step of the clock, its deadline moves with the step, so that the attempt keeps the full time of its timeout.
    virtual Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now,
                                                           Instant until, const ClockGuard::Move& step = {}) = 0;
    // Transfers leases and records a run event for each. Returns the leases that were held. If the current holder's
    // name equals or starts with the new worker's name, it keeps the lease until the new end without another event,
    // so the call is idempotent.
    virtual Result<std::vector<model::LeaseRef>> transfer_lease(std::span<const LeaseTransfer> leases, Instant now) = 0;
    // Leases that expired before `now`, oldest first, then leases whose renewal is later than `now` by more than
    // kClockTolerance: the clock was set back since, and `redate` moves them to the current time.
    virtual Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) = 0;
    // Moves leases and their deadlines by the step of the clock. Leaves a lease alone that has changed since
    // `expired` returned it, so the call is idempotent.
    virtual Result<void> redate(std::span<const Redated> leases, Instant now) = 0;
    // Per ending: the applied plan, or the error. Stores the usage that the attempt reports, and adds it to the
    // run's.
    virtual Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const Ending> endings, Instant now,
                                                                      const AttemptPlanner& planner) = 0;
    // Workflow runs whose deadline has passed, longest overdue first.
    virtual Result<std::vector<OverdueRun>> overdue(Instant now, std::size_t limit) = 0;

    // -- Approvals. Plans write them, in the transaction of the run that they belong to. The store rejects every plan
    // that starts a run or a node whose required approval is missing, whatever the planner decided: conflict.
    virtual Result<Listing<model::Approval>> approvals(const ApprovalFilter& filter, const Page& page) = 0;
    // Approvals of these runs (at most kPageMax), by run, then oldest first. Ignores runs that do not exist or belong
    // to another tenant.
    virtual Result<std::vector<model::Approval>> approvals_of(const std::string& tenant,
                                                              std::span<const std::string> run_ids) = 0;
    // Pending approvals that have expired, longest overdue first.
    virtual Result<std::vector<OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) = 0;

    // -- Dead letters: runs that finally failed or timed out, until an operator replays or dismisses them. Newest
    // first.
    virtual Result<Listing<model::Run>> dead_letters(const std::string& tenant, const Page& page) = 0;
    // not_found if the run is not (or no longer) a dead letter.
    virtual Result<void> dismiss(const std::string& tenant, const std::string& run_id) = 0;
    // Dismisses dead letters that failed before `before`, oldest first. Returns their number.
    virtual Result<std::int64_t> prune_letters(Instant before, std::size_t limit) = 0;

    // -- Backfills. A schedule can have one unfinished backfill; another one is a conflict.
    // already_exists if the id or the request key is taken.
    virtual Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                         const std::optional<model::RequestKey>& request = {}) = 0;
    virtual Result<model::Backfill> backfill(const std::string& tenant, const std::string& id) = 0;
    virtual Result<std::vector<model::Backfill>> backfills(const ScheduleRef& schedule) = 0;
    virtual Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(
        std::size_t limit) = 0;  // with their tenants
    // Runs one page, or changes the status. Writes the plan and the backfill in one transaction.
    virtual Result<BackfillStep> step_backfill(const std::string& tenant, const std::string& id,
                                               const FactsRequest& needs, const BackfillPlanner& planner) = 0;
    // Removes backfills that ended before `before`, oldest first. Returns their number.
    virtual Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) = 0;

    // -- Request keys. The store writes them together with the result of the request.
    virtual Result<RequestRecord> request(const std::string& tenant, const std::string& key) = 0;
    // Removes keys that were used before `before`, oldest first. Returns their number.
    virtual Result<std::int64_t> prune_requests(Instant before, std::size_t limit) = 0;

    // -- Reading.
    virtual Result<ScheduleRecord> schedule(const ScheduleRef& schedule) = 0;
    // At most kPageMax, in the order of `keys`. Omits schedules that do not exist or belong to another tenant.
    virtual Result<std::vector<ScheduleRecord>> schedules_by_keys(const std::string& tenant,
                                                                  std::span<const std::int64_t> keys) = 0;
    // Reads an index entry for every schedule and every task, so call it only occasionally.
    virtual Result<Counts> counts(Instant now) = 0;
    // Tenants with tasks in one of these queues that every worker may claim. A page covers the next `limit` tenants
    // by name, with or without such tasks: it may be empty and still have a `next`.
    // The queues of receivers belong to @http.
    virtual Result<Listing<QueueLine>> waiting_lines(std::span<const std::string> queues, const Page& page) = 0;
    // In the order of their numbers, once around.
    virtual Result<std::vector<std::string>> receiver_queues(const ReceiverQueues& wanted) = 0;
    virtual Result<Listing<ScheduleRecord>> schedules(const ScheduleFilter& filter, const Page& page) = 0;
    // Definitions in the order of `wanted`, at most kPageMax. Null: the tenant has no such definition, or it cannot
    // be read. The store keeps the current definition and those that decided a retained run.
    virtual Result<std::vector<model::DefinitionPtr>> definitions(const std::string& tenant,
                                                                  std::span<const DefinitionRef> wanted) = 0;
    // Ids of the schedules that wait for this event and are not deleted, by age.
    virtual Result<Listing<std::string>> subscribers(const std::string& tenant, const std::string& event,
                                                     const Page& page) = 0;
    virtual Result<model::Run> run(const std::string& tenant, const std::string& run_id) = 0;
    virtual Result<Listing<model::Run>> runs(const RunFilter& filter, const Page& page) = 0;
    // The current state of a run's nodes. A run without a workflow has no nodes, or its single task under the empty
    // name.
    virtual Result<model::WorkflowRun> walk(const std::string& tenant, const std::string& run_id) = 0;
    // The stored events of a run. Events that follow from the run itself are not stored
    // (engine/explain/run_history.hpp). Returns fewer than `limit` if they fill a page earlier (fills_page in
    // listing.hpp); the same holds for `events`.
    virtual Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id,
                                                            std::int64_t after_sequence, std::size_t limit) = 0;
    // Also works for a completely removed schedule, by its id.
    virtual Result<std::vector<EventRecord>> events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                                    std::size_t limit) = 0;
    // The cursors of all schedules that have one or wait for a release, by key, with their tenants: for timers in
    // memory.
    virtual Result<std::vector<Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) = 0;
    // The cursors of these schedules (at most kTickBatchMax), by key, with their tenants. Reads without waiting or
    // locking. Omits schedules that do not exist.
    virtual Result<std::vector<Upcoming>> peek_next_fires(std::span<const std::int64_t> keys) = 0;

    // -- Retention. Removes ended and skipped runs of a schedule, oldest first, at most `limit`. Never removes runs
    // that the schedule's state refers to, any run while a backfill reads the past runs, or events. Returns the
    // number of removed runs.
    virtual Result<std::int64_t> prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) = 0;
    // The same for a page of schedules. Also removes versions of definitions that are neither current nor used by a
    // run. If the call reaches the limit, `next_after` makes the next call continue with the same schedule.
    virtual Result<PruneOutcome> prune_some(const PruneRequest& request) = 0;
    // Completely removes schedules that ended before a time: deleted ones, and skipped immediate starts. Only audit
    // events stay, readable by id; an id is never reused. Leaves a schedule for a later call while it has unfinished
    // runs or backfills, or a dead letter to keep.
    virtual Result<RemovalOutcome> remove_ended(const RemovalRequest& request) = 0;
    // Removes the events of schedules that were removed before `before`, oldest first, at most `limit` schedules,
    // each with all its events. Returns the number of schedules.
    virtual Result<std::int64_t> prune_archive(Instant before, std::size_t limit) = 0;

    // Sets the callback for notifications: this or another server changed a schedule's next fire time, made tasks
    // claimable, or wrote to a followed feed. Reports every such commit after this call has returned, or Resync if
    // some may have been lost. Notifications only save time: callers must not rely on them. An empty function ends
    // them.
    virtual void listen(Listener listener) = 0;
};

}  // namespace belfry::store
