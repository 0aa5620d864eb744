// The store on a database, with the same SQL for both kinds.
//
// Concurrent writers meet on a schedule's row in schedule_state: every decision locks it first, in key order. Under
// the lock, the store compares the plan's revision and writes the plan; the primary key of the slot rejects a second
// run. The commit makes everything visible at once.
//
// If the process dies before the commit, nothing has happened, and the next tick finds the same schedule due. If it
// dies afterwards, the cursor has moved together with the runs. If the connection breaks during the commit, the
// outcome is unknown: the store waits for the row's lock, which the lost transaction holds until it ends, and then
// checks for the rows that it would have written.
#pragma once

#include <memory>

#include "base/concurrency/call_coalescer.hpp"
#include "base/time/clock.hpp"
#include "store/sql/database.hpp"
#include "store/sql/read/facts_reader.hpp"
#include "store/sql/read/run_reader.hpp"
#include "store/sql/read/schedule_cache.hpp"
#include "store/sql/shared/change_round.hpp"
#include "store/sql/shared/claim_round.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/write/committing.hpp"
#include "store/sql/write/plan_writer.hpp"
#include "store/sql/write/sql_registry.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

// Removes the dependent rows of removed runs. Each row of the batch is schedule and slot.
[[nodiscard]] Result<void> forget_runs(Session& session, const Batch& runs);

struct PendingReport;
// A schedule to create. `decided`, if set, also decides it.
struct NewPlan {
    const decide::Plan* plan = nullptr;
    const NewSchedule* decided = nullptr;
};
// Schedules that are created together or not at all.
using NewGroup = std::span<const NewPlan>;
// Empty: the group did not take part, because it needs the same name, id or request key as another group.
using CreateAnswer = std::optional<ScheduleStore::Created>;

class SqlStore final : public Store {
public:
    // REQUIRES: the schema is up to date (open_store ensures it), and `zones` and `clock` outlive the store. `clock`,
    // if given, replaces the database's clock.
    SqlStore(std::unique_ptr<Database> database, const spec::ZoneDatabase& zones, const Clock* clock = nullptr,
             StoreLimits limits = {})
        : database_(std::move(database)),
          zones_(zones),
          clock_(clock),
          limits_(std::move(limits)),
          registry_(*database_) {
        memory_.default_connection = limits_.default_connection;
        memory_.caps = limits_.run;
    }

    [[nodiscard]] Registry& registry() override { return registry_; }

    Result<Instant> now() override { return clock_ != nullptr ? clock_->now() : database_->now(); }
    Result<ClusterView> renew_membership(const MembershipRequest& request) override;
    Result<void> leave(const std::string& server) override;

    Result<void> put_tenant(const model::Tenant& tenant) override;
    Result<model::Tenant> tenant(const std::string& name) override;
    Result<std::vector<model::Tenant>> tenants() override;
    Result<void> put_calendar(const std::string& tenant, const CalendarRecord& record) override;
    Result<void> remove_calendar(const std::string& tenant, const std::string& name) override;
    Result<CalendarRecord> calendar(const std::string& tenant, const std::string& name) override;
    Result<Listing<CalendarRecord>> calendars(const std::string& tenant, const Page& page) override;
    Result<TenantUsage> usage(const std::string& tenant, Instant now) override;
    Result<Measured> measure(const MeasuredPlace& place, std::size_t rows) override;
    Result<void> put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) override;
    Result<std::vector<TenantOverLimit>> settle_usage(Instant now) override;
    Result<void> put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) override;
    Result<void> remove_assignment(const std::string& tenant, const std::string& id) override;
    Result<model::WorkflowAssignment> assignment(const std::string& tenant, const std::string& id) override;
    Result<Listing<model::WorkflowAssignment>> assignments(const std::string& tenant, const Page& page) override;
    Result<void> put_assignee(const std::string& tenant, const model::AssigneeRecord& record) override;
    Result<void> remove_assignee(const std::string& tenant, const std::string& id) override;
    Result<model::AssigneeRecord> assignee(const std::string& tenant, const std::string& id) override;
    Result<Listing<model::AssigneeRecord>> assignees(const std::string& tenant, const Page& page) override;
    Result<model::BudgetDay> budget(const std::string& tenant, const std::string& assignee, model::Day day) override;
    Result<std::int64_t> prune_budgets(model::Day before, std::size_t limit) override;

    Result<void> create(std::span<const decide::Plan> plans) override;
    Result<std::vector<Created>> create_each(std::span<const NewSchedule> schedules) override;
    Result<decide::Plan> change(const ScheduleRef& schedule, const FactsRequest& needs,
                                const Planner& planner) override;
    Result<std::vector<Result<decide::Plan>>> change_each(std::span<const ChangeRequest> requests) override;
    Result<TickOutcome> tick(const TickRequest& request, const Planner& planner) override;
    Result<std::vector<std::optional<Error>>> apply(std::span<const decide::Plan> plans) override;
    Result<std::int64_t> purge(const ScheduleRef& schedule, std::size_t limit) override;

    Result<std::vector<model::Task>> claim(const ClaimRequest& request) override;
    Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now, Instant until,
                                                   const ClockGuard::Move& step) override;
    Result<std::vector<model::LeaseRef>> transfer_lease(std::span<const LeaseTransfer> leases, Instant now) override;
    Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) override;
    Result<void> redate(std::span<const Redated> leases, Instant now) override;
    Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const AttemptReport> reports, Instant now,
                                                              const AttemptPlanner& planner) override;
    Result<std::vector<Result<decide::AttemptPlan>>> report_usage(std::span<const UsageReport> reports, Instant now,
                                                                  const UsagePlanner& planner) override;
    Result<std::vector<OverdueRun>> overdue(Instant now, std::size_t limit) override;

    Result<std::int64_t> put_workflow(const model::Workflow& workflow, const WorkflowCheck& check = {}) override;
    Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) override;
    Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name,
                                        std::optional<std::int64_t> version) override;
    Result<Listing<WorkflowHead>> workflows(const std::string& tenant, const Page& page) override;
    Result<model::WorkflowRun> workflow_run(const std::string& tenant, const std::string& run_id) override;
    Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id,
                                                    std::int64_t after_sequence, std::size_t limit) override;
    Result<Listing<model::Approval>> approvals(const ApprovalFilter& filter, const Page& page) override;
    Result<std::vector<model::Approval>> approvals_of(const std::string& tenant,
                                                      std::span<const std::string> run_ids) override;
    Result<std::vector<OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) override;
    Result<Listing<model::Run>> dead_letters(const std::string& tenant, const Page& page) override;
    Result<void> dismiss(const std::string& tenant, const std::string& run_id) override;

    Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                 const std::optional<model::RequestKey>& request) override;
    Result<model::Backfill> backfill(const std::string& tenant, const std::string& id) override;
    Result<std::vector<model::Backfill>> backfills(const ScheduleRef& schedule) override;
    Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(std::size_t limit) override;
    Result<BackfillStep> step_backfill(const std::string& tenant, const std::string& id, const FactsRequest& needs,
                                       const BackfillPlanner& planner) override;

    Result<RequestRecord> request(const std::string& tenant, const std::string& key) override;
    Result<std::int64_t> prune_requests(Instant before, std::size_t limit) override;

    Result<ScheduleRecord> schedule(const ScheduleRef& schedule) override;
    Result<std::vector<ScheduleRecord>> schedules_by_keys(const std::string& tenant,
                                                          std::span<const std::int64_t> keys) override;
    Result<Counts> counts(Instant now) override;
    Result<Listing<QueueLine>> waiting_lines(std::span<const std::string> queues, const Page& page) override;
    Result<std::vector<std::string>> receiver_queues(const ReceiverQueues& wanted) override;
    Result<Listing<ScheduleRecord>> schedules(const ScheduleFilter& filter, const Page& page) override;
    Result<std::vector<model::DefinitionPtr>> definitions(const std::string& tenant,
                                                          std::span<const DefinitionRef> wanted) override;
    Result<Listing<std::string>> subscribers(const std::string& tenant, const std::string& event,
                                             const Page& page) override;
    Result<model::Run> run(const std::string& tenant, const std::string& run_id) override;
    Result<Listing<model::Run>> runs(const RunFilter& filter, const Page& page) override;
    Result<AuditChain> audit_chain(const ScheduleRef& schedule, std::int64_t after_sequence,
                                   std::size_t limit) override;
    Result<std::vector<std::string>> audited_schedules(const std::string& tenant, const std::string& after_id,
                                                       std::size_t limit) override;
    Result<std::vector<EventRecord>> events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                            std::size_t limit) override;
    Result<std::vector<Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) override;
    Result<std::vector<Upcoming>> peek_next_fires(std::span<const std::int64_t> keys) override;

    Result<std::int64_t> prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) override;
    Result<PruneOutcome> prune_some(const PruneRequest& request) override;
    Result<RemovalOutcome> remove_ended(const RemovalRequest& request) override;
    Result<std::int64_t> prune_archive(Instant before, std::size_t limit) override;
    Result<ArchivablePage> archivable(const ArchiveRequest& request) override;
    Result<std::int64_t> remove_archived(std::span<const ArchivedUpTo> chains) override;
    Result<bool> shrink() override;
    Result<std::int64_t> prune_letters(Instant before, std::size_t limit) override;
    Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) override;
    Result<PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) override;
    void listen(Listener listener) override;

private:
    using CommitOutcome = sql::CommitOutcome;

    Result<void> commit(const Work& work, const CommitProbe& look) { return sql::commit(*database_, work, look); }
    Result<void> commit_repeatable(const Work& work) { return sql::commit_repeatable(*database_, work); }
    static Result<CommitOutcome> look_for(Session& session, const std::vector<CommitEvidence>& traces);
    static Result<CommitOutcome> look_for_run(Session& session, const CommitEvidence& trace);
    static Result<CommitOutcome> look_for_node(Session& session, const decide::NodeChange& change);
    static Result<CommitOutcome> look_for_gone(Session& session, const std::optional<model::RunKey>& run);
    static Result<CommitOutcome> look_for_no_dead_letter(Session& session, const model::RunKey& run);
    static Result<CommitOutcome> look_for_retry(Session& session, const model::LeaseRef& lease);
    static Result<CommitOutcome> look_for_report(Session& session, const AttemptReport& report);

    using Removed = std::function<void(const model::RunKey&)>;
    Result<std::int64_t> remove_runs(const std::function<Result<void>(Session&, const Removed&)>& remove);
    // The result of one page of a sweep.
    struct Prunable {
        std::vector<std::int64_t> keys = {};       // schedules with runs to remove
        std::vector<std::int64_t> versioned = {};  // schedules with old versions of their definitions
    };
    Result<Prunable> prunable(const PruneRequest& request, PruneOutcome& outcome);
    Result<std::int64_t> forget_definitions(const std::vector<std::int64_t>& keys, std::size_t limit);
    Result<std::int64_t> prune_by(const Statement& statement, const Batch& batch);
    // The decisions of a tick, before they are written.
    struct DueTick {
        explicit DueTick(std::size_t plans) : writer(plans) {}
        bool ahead = false;  // decided on a snapshot, to be written later
        TickOutcome outcome = {};
        PlanWriter writer;
        std::vector<Notification> notifications = {};
        std::vector<std::int64_t> looked = {};
    };
    Result<std::vector<StateRow>> lock_due(Session& session, const TickRequest& request, DueTick& tick);
    std::optional<Error> decide_due_one(Subject& subject, const Planner& planner, TenantGuard& tenants, DueTick& tick,
                                        Upcoming& upcoming);
    Result<void> decide_due(Session& session, const TickRequest& request, const Planner& planner, TenantGuard& tenants,
                            DueTick& tick);
    Result<TickOutcome> tick_ahead(const TickRequest& request, const Planner& planner);
    Result<TickOutcome> tick_together(const TickRequest& request, const Planner& planner,
                                      std::vector<std::int64_t>& looked);
    Result<TickOutcome> tick_one_by_one(const TickRequest& request, const Planner& planner,
                                        const std::vector<std::int64_t>& keys);
    Result<std::vector<std::optional<Error>>> apply_together(std::span<const decide::Plan> plans);
    // Many workers claim or complete one task at a time, so their calls share transactions. The requests of one round
    // are served in order.
    using Claimed = Result<std::vector<model::Task>>;
    Result<TasksByClaim> claim_for_all(std::int64_t queue, const std::vector<const ClaimRequest*>& requests);
    std::vector<Claimed> claim_together(std::int64_t queue, const std::vector<const ClaimRequest*>& requests);
    using AttemptPlans = Result<std::vector<Result<decide::AttemptPlan>>>;
    struct ReportingCall {
        std::span<const AttemptReport> reports;
        Instant now;
        const AttemptPlanner* planner;
        bool ends = true;  // otherwise the attempts continue, unless the planner ends them
    };
    std::vector<AttemptPlans> complete_round(const std::vector<ReportingCall>& calls);
    AttemptPlans complete_together(std::span<const PendingReport> reports, Instant now);
    // The same for clients that create or change one schedule at a time. What cannot share a transaction gets no answer
    // there, and is then done alone.
    using CreateAnswers = Result<std::vector<CreateAnswer>>;
    CreateAnswers create_all(std::span<const NewGroup> groups);
    std::vector<CreateAnswers> create_round(const std::vector<std::span<const NewGroup>>& calls);
    Result<std::vector<Created>> create_groups(std::span<const NewGroup> groups);
    using ChangeAnswers = Result<std::vector<ChangeAnswer>>;
    ChangeAnswers change_all(std::span<const ChangeRequest* const> requests, ChangeRound::Locked locked);
    std::vector<ChangeAnswers> change_round(const std::vector<std::span<const ChangeRequest>>& calls);

    std::unique_ptr<Database> database_;
    const spec::ZoneDatabase& zones_;
    const Clock* clock_;
    const StoreLimits limits_;
    StoreMemory memory_;
    SqlRegistry registry_;
    CallCoalescer<std::int64_t, const ClaimRequest*, Claimed> claims_{
        kClaimMax, [this](std::int64_t queue, const std::vector<const ClaimRequest*>& requests) {
            return claim_together(queue, requests);
        }};
    CallCoalescer<int, ReportingCall, AttemptPlans> reports_{
        kClaimMax, [this](int, const std::vector<ReportingCall>& calls) { return complete_round(calls); }};
    CallCoalescer<int, std::span<const NewGroup>, CreateAnswers> creations_{
        kTickBatchMax,
        [this](int, const std::vector<std::span<const NewGroup>>& calls) { return create_round(calls); }};
    CallCoalescer<int, std::span<const ChangeRequest>, ChangeAnswers> changes_{
        kTickBatchMax,
        [this](int, const std::vector<std::span<const ChangeRequest>>& calls) { return change_round(calls); }};
};

// The key of a schedule, or not_found.
[[nodiscard]] Result<std::int64_t> find_schedule(Session& session, const ScheduleRef& schedule);

// Sends the notifications after the transaction has committed.
[[nodiscard]] Result<void> notify(Session& session, const std::vector<Notification>& notifications);

// Opens the store. An empty database gets the schema; an older or newer schema is an error that names the fix.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(std::unique_ptr<Database> database,
                                                        const spec::ZoneDatabase& zones, const Clock* clock = nullptr,
                                                        StoreLimits limits = {});

}  // namespace belfry::store::sql
