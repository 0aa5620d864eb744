// Where everything durable lives, in the engine's words. Implementations: MemoryStore (the reference model), SqlStore (one
// SQL text on SQLite and on PostgreSQL) and ObservedStore (measures another). Thread-safe.
//
// Every verb that changes something is one transaction: all of it happened, or none. Verbs that decide lock the schedules,
// gather the facts, ask the planner and apply its plan in that same transaction, so nobody decides on what has changed
// meanwhile; or they decide on a snapshot, and apply only when nothing of it has changed. The planner must not call the
// store, and may be asked twice about one schedule.
//
// Errors: not_found, already_exists, conflict (somebody else was first, nothing was changed), unavailable (nothing was
// changed, the same call may work later), unknown (the connection broke inside the commit, and the store could not find out
// afterwards either: look before you repeat), corrupt (a stored row cannot be read). Whoever asks by a name or an id names the tenant, too:
// what belongs to another tenant is not found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock_guard.hpp"
#include "decide/attempt.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "model/approval.hpp"
#include "model/assignee.hpp"
#include "model/assignment.hpp"
#include "model/backfill.hpp"
#include "model/event.hpp"
#include "model/request_key.hpp"
#include "model/run.hpp"
#include "model/run_event.hpp"
#include "model/schedule.hpp"
#include "model/task.hpp"
#include "model/tenant.hpp"
#include "spec/calendar.hpp"
#include "store/announcement.hpp"

namespace belfry::store {

inline constexpr std::size_t kTickBatchMax = 1'000;  // schedules decided in one transaction
inline constexpr std::size_t kPageMax = 1'000;       // rows in one page of a list
inline constexpr std::size_t kClaimMax = 1'000;      // tasks in one claim
inline constexpr std::size_t kServerIdMax = 255;     // bytes in the id of a server
inline constexpr std::size_t kScanMax = 20'000;      // names that one page of schedules looks at
inline constexpr std::size_t kCountsMax = 1'000;     // tenants' figures and queues in one answer of counts()

// Attendance that ends later than so many leases from now was written by a clock that has been put back since.
inline constexpr int kAttendanceLeases = 2;
// A server that has not attended for so long is forgotten.
inline constexpr Micros kServerForgottenAfter = std::chrono::hours{1};

// What a store allows when nobody says otherwise.
struct StoreLimits {
    std::int64_t schedules_per_tenant = 10'000;  // that are not deleted; a tenant's own number wins
    std::string default_connection = {};         // that tasks are handed over to when nobody says it
    decide::RunCaps run = {};                    // what the facts of every decision say
};

struct ScheduleRef {
    std::string tenant;
    std::string id = {};    // one of the two
    std::string name = {};  // of the schedule that has it now: a deleted one is found by its id only
    friend bool operator==(const ScheduleRef&, const ScheduleRef&) = default;
};

struct ScheduleRecord {
    model::Schedule definition;
    model::ScheduleState state;
    std::string unreadable = {};  // why its definition cannot be read: then that has no more than whose it is. Empty: it can
    friend bool operator==(const ScheduleRecord&, const ScheduleRecord&) = default;
};

// One version of what people wrote.
struct DefinitionRef {
    std::string schedule_id;
    std::int64_t version = 0;
    friend bool operator==(const DefinitionRef&, const DefinitionRef&) = default;
};

// When a schedule fires next, by its key: what a timer in memory needs.
struct Upcoming {
    std::int64_t key = 0;
    std::optional<Instant> next_fire = {};
    std::int64_t tenant = 0;  // its key; 0 when the answer did not look it up
    bool waits = false;       // it has buffered runs and none in flight: a tick may release them before it is due
    friend bool operator==(const Upcoming&, const Upcoming&) = default;
};

using Planner = std::function<Result<decide::Plan>(const decide::Facts&)>;

// Facts that only some decisions look at; the others are gathered always, as far as the schedule's policies need them.
struct Needs {
    Instant now = {};                                       // what counts by the day or by the hour is counted up to here
    bool in_flight = false;                                 // the request may cancel others although the schedule's policy does not
    std::optional<std::pair<Instant, Instant>> slots = {};  // both included: rows of occurrences in this range go to `taken`
    std::string run = {};                                   // id of the run that goes to `run`; not_found when it is not the schedule's
    bool stand_in = false;  // the decision looks at no occurrence: a schedule that cannot be read is handed over as a stand-in, instead of `corrupt`
};

struct TickRequest {
    Instant now = {};
    // Where to look, at most kTickBatchMax: what is due is decided, and what waits for its release. Empty: whatever is due, found by a scan.
    std::vector<std::int64_t> keys = {};
    std::size_t limit = kTickBatchMax;  // of a scan
};

// A schedule that could not be decided, and why.
struct Poisoned {
    std::int64_t key = 0;
    std::string id = {};  // empty when it is not known
    Error error = {};
};

struct TickOutcome {
    std::vector<decide::Plan> plans = {};  // what was applied; plans that decided nothing are left out
    std::vector<Upcoming> upcoming = {};   // of every schedule that was looked at, due or not; with the tenants of those that were
                                           // due. One that is missing here is poisoned, was locked by somebody else, or does not exist
    std::vector<Poisoned> poisoned = {};   // they are as due as before
};

struct ClaimRequest {
    std::string tenant;
    std::string queue = "default";
    std::string worker;
    std::size_t limit = 1;
    Instant now = {};
    Micros lease = Seconds{30};
    std::string assignee = {};  // tasks of this agent or team; empty: those that are for everybody
};

// The end of an attempt. A lease that was lost refuses it: conflict, and nothing changes.
struct Ending {
    model::LeaseRef lease;
    decide::AttemptEnd end;
    std::optional<Instant> expired_before = {};  // the reaper's: refused unless the lease ends before this
    std::string tenant = {};                     // whose run it must be: another tenant's is not found, lease or not. Empty: anybody's
    std::optional<Instant> renewed_at = {};      // the reaper's, too: refused when the lease was renewed since, by whatever clock
};
// A lease that goes to somebody who has no lease of his own to ask for: to whom a task was handed over.
struct PassedOn {
    model::LeaseRef lease;
    std::string worker;                // who has it from now on
    Instant until = {};                // when it runs out, whatever its deadline was
    std::string event = {};            // what the run's events say about it
    boost::json::object payload = {};  // of the event; the attempt is added
};
// A lease whose clock has stepped, and by how much; negative: back.
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

// A run that has taken longer than its workflow allows.
struct OverdueRun {
    std::string tenant;
    std::string run_id;
    Instant deadline = {};
    friend bool operator==(const OverdueRun&, const OverdueRun&) = default;
};

// An approval for which nobody came in time.
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

// A cursor is opaque: what an answer gave as `next` is asked for as `after`, with the same filter. Empty: from the beginning,
// and none is left.
struct Page {
    std::string after = {};
    std::size_t limit = 50;
    // Of schedules: how many names are looked at, at most kScanMax. A page that reaches this may have fewer items than asked
    // for, or none, and still a `next`.
    std::size_t scan = kScanMax;
};
template <typename T>
struct Listing {
    std::vector<T> items;
    std::string next = {};
    friend bool operator==(const Listing&, const Listing&) = default;
};

// By name, then by age. All that is said must hold. What stands in the definition alone (notes, queue, search attributes) is
// looked at in each that matches otherwise.
struct ScheduleFilter {
    std::string tenant;
    std::optional<model::ScheduleStatus> status = {};  // nothing: all but the deleted ones
    std::string name_prefix = {};
    std::optional<std::pair<std::string, std::string>> label = {};
    std::optional<model::TargetType> target_type = {};
    std::string target_kind = {};           // exactly; empty: any
    std::string contains = {};              // in the name; the letters A to Z in either case
    std::optional<Instant> next_from = {};  // of the next fire time; both included. What has none is left out
    std::optional<Instant> next_to = {};
    bool descending = false;    // the last name first
    bool newest_first = false;  // by age alone, instead of by name; `descending` has no meaning then
    std::string name = {};      // exactly; empty: any
    std::optional<std::string> notes = {};
    std::optional<std::string> queue = {};                             // of the target
    std::vector<std::pair<std::string, Json>> search_attributes = {};  // each of these members has this value
};

// What a run is doing or how it ended, on one axis.
enum class RunState : std::uint8_t { awaiting_approval, queued, running, succeeded, failed, cancelled, terminated, timed_out, skipped, buffered };
[[nodiscard]] RunState state_of(const model::Run& run);

// Newest occurrence first.
struct RunFilter {
    std::string tenant;
    std::string schedule_id = {};  // empty: of all schedules
    std::optional<RunState> state = {};
    std::optional<Instant> from = {};  // occurrences; both included
    std::optional<Instant> to = {};
    std::string team = {};  // dispatched to the team of this id; empty: to anybody. Without a schedule or a state
};

// The longest asked for first.
struct ApprovalFilter {
    std::string tenant;
    model::ApprovalStatus status = model::ApprovalStatus::pending;
};

// What was made under a request key.
struct RequestRecord {
    std::string fingerprint;
    std::string schedule_id;       // of which
    std::string run_id = {};       // empty when it made no run
    std::string backfill_id = {};  // empty when it made no backfill
    Instant at = {};
    friend bool operator==(const RequestRecord&, const RequestRecord&) = default;
};

// How much there is, largest first, at most kCountsMax of each.
struct ScheduleCount {
    std::string tenant;
    model::ScheduleStatus status = model::ScheduleStatus::active;
    std::int64_t count = 0;
    friend bool operator==(const ScheduleCount&, const ScheduleCount&) = default;
};
struct QueueDepth {
    std::string tenant;
    std::string queue;
    std::int64_t ready = 0;    // may be claimed now
    std::int64_t delayed = 0;  // later
    std::int64_t leased = 0;   // a worker has it
    friend bool operator==(const QueueDepth&, const QueueDepth&) = default;
};
// A tenant's queue in which tasks wait, ready or later.
struct QueueLine {
    std::string tenant;
    std::string queue;
    friend auto operator<=>(const QueueLine&, const QueueLine&) = default;
};
struct ApprovalCount {
    std::string tenant;
    std::int64_t pending = 0;
    Instant oldest = {};  // when the one that waits longest was asked for
    friend bool operator==(const ApprovalCount&, const ApprovalCount&) = default;
};
struct Counts {
    std::vector<ScheduleCount> schedules = {};
    std::vector<QueueDepth> queues = {};  // that have tasks
    std::vector<ApprovalCount> approvals = {};
    Instant at = {};  // when it was counted
    friend bool operator==(const Counts&, const Counts&) = default;
};

// An event and its link of the chain: see model/audit.hpp.
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

// What to forget: a run goes when either says so.
struct Retention {
    std::optional<Instant> occurred_before = {};
    std::optional<std::int64_t> keep_newest = {};  // how many rows stay
    std::optional<Instant> keep_letters_since =
        {};  // a dead letter that failed then or later stays, with its run; nothing: letters go with their runs
};

// A sweep over the schedules of all tenants, deleted ones included, in the order of their keys.
struct PruneRequest {
    std::int64_t after_key = 0;
    std::size_t schedules = 100;  // looked at in one call, at most kPageMax
    Retention retention = {};
    std::size_t limit = 1'000;  // runs that are removed in one call
};
struct PruneOutcome {
    std::int64_t removed = 0;
    std::optional<std::int64_t> next_after = {};  // where to go on; nothing: the sweep has reached the end
    std::int64_t definitions = 0;                 // versions that were removed
    friend bool operator==(const PruneOutcome&, const PruneOutcome&) = default;
};

// The place of a schedule among those that are over, the longest over first.
struct EndedPlace {
    Instant ended = {};
    std::int64_t key = 0;
    friend auto operator<=>(const EndedPlace&, const EndedPlace&) = default;
};
// Schedules to be removed in full.
struct RemovalRequest {
    Instant ended_before = {};
    std::optional<Instant> keep_letters_since = {};  // as for Retention
    EndedPlace after = {};
    std::size_t schedules = 100;  // looked at in one call, at most kPageMax
    std::size_t limit = 1'000;    // runs that are removed in one call
};
struct RemovalOutcome {
    std::int64_t schedules = 0;
    std::int64_t runs = 0;
    std::optional<EndedPlace> next_after = {};  // where to go on; nothing: all have been looked at
    friend bool operator==(const RemovalOutcome&, const RemovalOutcome&) = default;
};

struct AttendRequest {
    std::string server;  // its id, 1 to kServerIdMax bytes: nobody else has it
    Instant now = {};
    Micros lease = Seconds{10};
    bool settled = false;  // it has believed in this time for so long that every server does
    Instant newest = {};   // as it was told when it attended the last time
};
struct Attendance {
    std::vector<std::string> servers = {};  // ids, sorted, that attend at `now`, the asker included
    std::string leader = {};                // empty when nobody leads
    std::int64_t term = 0;                  // the leader's; without one, the newest that there was
    Instant newest = {};                    // the latest `now` at which a leader has ever attended
    friend bool operator==(const Attendance&, const Attendance&) = default;
};

class Registry;

class Store {
public:
    virtual ~Store() = default;

    // What is kept beside schedules and runs: API keys, the feed, webhooks. As old as the store, and gone with it.
    [[nodiscard]] virtual Registry& registry() = 0;

    // The clock that everybody who shares the store agrees on: it says what is due.
    virtual Result<Instant> now() = 0;

    // -- Servers.
    // Says that the server is here until now + lease, and who else is. It leads from here on when nobody does: a term is a
    // number that the store gives out once; a leader that attends in time keeps its term, one whose lease ran out needs a
    // new one, even when it was the last. At most one leader at any `now`, also when somebody's `now` goes back: that
    // shortens no lease and wins no term, unless the asker is `settled` and the lease ends after kAttendanceLeases: it is cut to
    // that, which leaves its leader the time to attend again. Twice is once: a call of unknown outcome may simply be repeated.
    virtual Result<Attendance> attend(const AttendRequest& request) = 0;
    // Gives up attendance and leadership at once.
    virtual Result<void> leave(const std::string& server) = 0;

    // -- Tenants. `default` is always there. `version` must be one more than what is stored, or 1 for a new one.
    virtual Result<void> put_tenant(const model::Tenant& tenant) = 0;
    virtual Result<model::Tenant> tenant(const std::string& name) = 0;
    virtual Result<std::vector<model::Tenant>> tenants() = 0;

    // -- Calendars of a tenant; the built-in ones are not here. `version` as for tenants. A calendar that a schedule names
    // cannot be removed. Schedules see a change with their next decision.
    virtual Result<void> put_calendar(const std::string& tenant, const CalendarRecord& record) = 0;
    virtual Result<void> remove_calendar(const std::string& tenant, const std::string& name) = 0;
    virtual Result<CalendarRecord> calendar(const std::string& tenant, const std::string& name) = 0;
    virtual Result<std::vector<CalendarRecord>> calendars(const std::string& tenant) = 0;

    // -- Assignees of a tenant, by id. `version` as for tenants. Nobody asks who names one: without its record it has no limits
    // any more, and what its runs of today have taken counts again when it comes back.
    virtual Result<void> put_assignee(const std::string& tenant, const model::AssigneeRecord& record) = 0;
    virtual Result<void> remove_assignee(const std::string& tenant, const std::string& id) = 0;
    virtual Result<model::AssigneeRecord> assignee(const std::string& tenant, const std::string& id) = 0;
    virtual Result<Listing<model::AssigneeRecord>> assignees(const std::string& tenant, const Page& page) = 0;
    // What its runs of that day have taken. A plan that dispatches a run under a budget reserves what the run may use, and the
    // end of the run, whatever plan ends it, settles that: once, and in the same transaction.
    virtual Result<model::BudgetDay> budget(const std::string& tenant, const std::string& assignee, model::Day day) = 0;
    // Forgets days before that one: those of tenants, and those of assignees of which nothing is reserved any more. The oldest first;
    // returns how many. With them go ends of runs that conditions looked at, all but the last of each target.
    virtual Result<std::int64_t> prune_budgets(model::Day before, std::size_t limit) = 0;

    // -- Workflow assignments of a tenant, by id, which is never given out twice. `version` as for tenants. One that a schedule names
    // cannot be removed, and nobody can name one that is not there: invalid_argument. Schedules see a change with their next decision.
    virtual Result<void> put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) = 0;
    virtual Result<void> remove_assignment(const std::string& tenant, const std::string& id) = 0;
    virtual Result<model::WorkflowAssignment> assignment(const std::string& tenant, const std::string& id) = 0;
    virtual Result<Listing<model::WorkflowAssignment>> assignments(const std::string& tenant, const Page& page) = 0;

    // -- Workflows of a tenant. `version` must be one more than the newest, 1 for a new one, or 0 for whichever is next, which
    // is the answer; a version never changes. One that was removed is found no more, but the runs that walk it go on, and a
    // later version counts on.
    virtual Result<std::int64_t> put_workflow(const model::Workflow& workflow) = 0;
    virtual Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) = 0;
    // The newest, or that version.
    virtual Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name, std::optional<std::int64_t> version) = 0;
    virtual Result<Listing<WorkflowHead>> workflows(const std::string& tenant, const Page& page) = 0;  // by name
    // Forgets versions beyond the newest `keep` of each workflow that no run walks or has walked, and no schedule or assignment names.
    // Looks at a page of `limit` workflows after that key, and says where to go on.
    virtual Result<PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) = 0;

    // -- Schedules.
    // New ones, all or none. already_exists names the first whose name, id or request key is taken; exhausted when the tenant is
    // full.
    virtual Result<void> create(std::span<const decide::Plan> plans) = 0;

    // Decides one schedule: trigger, update, pause, resume, delete, approve, cancel… Returns the plan that was applied; an
    // empty one changes nothing. Waits for whoever holds the schedule. already_exists when the plan's request key is taken.
    virtual Result<decide::Plan> change(const ScheduleRef& schedule, const Needs& needs, const Planner& planner) = 0;

    // Decides the schedules that are due. Those that somebody else is deciding are passed over. One whose decision fails is
    // poisoned and the others go on.
    virtual Result<TickOutcome> tick(const TickRequest& request, const Planner& planner) = 0;

    // Applies plans that were made before. Per plan, nothing or why not: conflict when the schedule is no longer at the
    // plan's revision.
    virtual Result<std::vector<std::optional<Error>>> apply(std::span<const decide::Plan> plans) = 0;

    // Forgets the runs of a deleted schedule that are over, oldest first, at most `limit` of them; its events stay. Returns
    // how many.
    virtual Result<std::int64_t> purge(const ScheduleRef& schedule, std::size_t limit) = 0;

    // -- Tasks.
    // Highest priority first, then the longest ready. A task that was ready once stays so, whatever `now` says later. A task's timeout ends its
    // lease, however often it is prolonged.
    virtual Result<std::vector<model::Task>> claim(const ClaimRequest& request) = 0;
    // Prolongs leases. Returns those that are still held; the others are lost. The deadlines of those that were renewed before a step of
    // the clock move with it: an attempt has as much time as its timeout says.
    virtual Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now, Instant until,
                                                           const ClockGuard::Move& step = {}) = 0;
    // Passes leases on, and tells of it in the events of their runs. Returns those that were held. Who has it already, or has told more
    // of it (his name begins with the same words), keeps it until then without another event: twice is once.
    virtual Result<std::vector<model::LeaseRef>> pass_on(std::span<const PassedOn> leases, Instant now) = 0;
    // Leases that ran out before `now`, the longest ago first, and then those that were renewed at a later time than `now`, by more than
    // kClockTolerance: the clock was put back since, and `redate` brings them to the time that it shows now.
    virtual Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) = 0;
    // Moves leases, with their deadlines, to where they would have been if the clock had not stepped. One that is no longer as `expired`
    // returned it stays as it is, so twice is once.
    virtual Result<void> redate(std::span<const Redated> leases, Instant now) = 0;
    // Per ending, what was done or why not. What an attempt reports to have used is kept with it, and summed up for its run.
    virtual Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const Ending> endings, Instant now,
                                                                      const AttemptPlanner& planner) = 0;
    // Runs that walk a workflow and whose deadline has passed, the longest overdue first.
    virtual Result<std::vector<OverdueRun>> overdue(Instant now, std::size_t limit) = 0;

    // -- Approvals. They are written by plans, in the transaction of what they are about. A plan that lets a run or a node begin
    // which is to be approved and is not is refused, whatever its planner thought: conflict.
    virtual Result<Listing<model::Approval>> approvals(const ApprovalFilter& filter, const Page& page) = 0;
    // Of these runs (at most kPageMax), by run, then the oldest first; runs that are not there or are another tenant's have none.
    virtual Result<std::vector<model::Approval>> approvals_of(const std::string& tenant, std::span<const std::string> run_ids) = 0;
    // Pending ones whose time is over, the longest overdue first.
    virtual Result<std::vector<OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) = 0;

    // -- Dead letters: runs that failed or timed out in the end, until somebody replays or dismisses them. Newest first.
    virtual Result<Listing<model::Run>> dead_letters(const std::string& tenant, const Page& page) = 0;
    // not_found when it is none (any more).
    virtual Result<void> dismiss(const std::string& tenant, const std::string& run_id) = 0;
    // Dismisses those that failed before, oldest first. Returns how many.
    virtual Result<std::int64_t> prune_letters(Instant before, std::size_t limit) = 0;

    // -- Backfills. At most one that is not over per schedule: otherwise conflict.
    // already_exists when its id or the request key is taken.
    virtual Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                         const std::optional<model::RequestKey>& request = {}) = 0;
    virtual Result<model::Backfill> backfill(const std::string& tenant, const std::string& id) = 0;
    virtual Result<std::vector<model::Backfill>> backfills(const ScheduleRef& schedule) = 0;
    virtual Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(std::size_t limit) = 0;  // with their tenants
    // One page, or a change of its status: the plan and the backfill change together.
    virtual Result<BackfillStep> step_backfill(const std::string& tenant, const std::string& id, const Needs& needs,
                                               const BackfillPlanner& planner) = 0;
    // Forgets those that were over before, oldest first. Returns how many.
    virtual Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) = 0;

    // -- Request keys, which are written with what was asked for.
    virtual Result<RequestRecord> request(const std::string& tenant, const std::string& key) = 0;
    // Forgets those that were used before, oldest first. Returns how many.
    virtual Result<std::int64_t> prune_requests(Instant before, std::size_t limit) = 0;

    // -- Reading.
    virtual Result<ScheduleRecord> schedule(const ScheduleRef& schedule) = 0;
    // At most kPageMax, in the order of the keys that were given; those that are not there or are another tenant's are left out.
    virtual Result<std::vector<ScheduleRecord>> schedules_by_keys(const std::string& tenant, std::span<const std::int64_t> keys) = 0;
    // Reads an entry of an index for every schedule and every task: for a look now and then.
    virtual Result<Counts> counts(Instant now) = 0;
    // The tenants in which tasks wait in one of these queues, for every worker of it. A page is about its next `limit` tenants in the
    // order of their names, whether tasks wait there or not: it may be empty and still have a `next`.
    virtual Result<Listing<QueueLine>> waiting_lines(std::span<const std::string> queues, const Page& page) = 0;
    virtual Result<Listing<ScheduleRecord>> schedules(const ScheduleFilter& filter, const Page& page) = 0;
    // Definitions in the order in which they are asked for, at most kPageMax. Null: there is none such in the tenant, or nobody can read it.
    // That in force is there, and those by which the runs that are kept were decided.
    virtual Result<std::vector<model::DefinitionPtr>> definitions(const std::string& tenant, std::span<const DefinitionRef> wanted) = 0;
    // The ids of the schedules that wait for this event and are not deleted, by age.
    virtual Result<Listing<std::string>> subscribers(const std::string& tenant, const std::string& event, const Page& page) = 0;
    virtual Result<model::Run> run(const std::string& tenant, const std::string& run_id) = 0;
    virtual Result<Listing<model::Run>> runs(const RunFilter& filter, const Page& page) = 0;
    // The nodes of a run as they are now; a run that walks no workflow has no nodes, or its only task by the empty name.
    virtual Result<model::Walk> walk(const std::string& tenant, const std::string& run_id) = 0;
    // What is stored of a run's events: those that follow from the run itself are not (engine/run_history.hpp).
    virtual Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id, std::int64_t after_sequence,
                                                            std::size_t limit) = 0;
    // Of a schedule that was removed in full, too, by its id.
    virtual Result<std::vector<EventRecord>> events(const ScheduleRef& schedule, std::int64_t after_sequence, std::size_t limit) = 0;
    // The cursors of all schedules that have one or wait for a release, by key and with their tenants: for the timers in memory.
    virtual Result<std::vector<Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) = 0;
    // The cursors of these schedules (at most kTickBatchMax), by key and with their tenants, read without waiting or
    // locking; one that is missing does not exist.
    virtual Result<std::vector<Upcoming>> look(std::span<const std::int64_t> keys) = 0;

    // -- Housekeeping: removes a schedule's runs that have ended or were skipped, oldest first, at most `limit`; never the ones that its
    // state names, none while a backfill looks at what there was, and never events. Returns how many.
    virtual Result<std::int64_t> prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) = 0;
    // The same for a page of schedules, with the versions of their definitions that are neither in force nor any run's. When the limit
    // is reached, `next_after` lets the next call go on with the schedule that reached it.
    virtual Result<PruneOutcome> prune_some(const PruneRequest& request) = 0;
    // Removes schedules in full that were over before: deleted ones, and starts without a schedule that were skipped. All of it goes but
    // the audit events, which are read by the id as before; an id is never given out again. One whose runs or backfills are not all over, or
    // that has a dead letter to keep, is left for a later call.
    virtual Result<RemovalOutcome> remove_ended(const RemovalRequest& request) = 0;
    // Forgets the events of schedules that were removed before, all of a schedule at once, the longest ago first; at most `limit` schedules.
    // Returns how many.
    virtual Result<std::int64_t> prune_archive(Instant before, std::size_t limit) = 0;

    // Calls back when somebody, here or on another server, moved a schedule's next fire time, made tasks ready, or did
    // something in a tenant whose feed is followed: all that is committed after this has returned, or LookAgain when some of it may
    // have been lost. An acceleration only: no caller may rely on it. An empty function ends it.
    virtual void listen(Listener listener) = 0;
};

}  // namespace belfry::store
