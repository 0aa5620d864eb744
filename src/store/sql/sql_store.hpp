// The store on a database: one SQL text, whichever database it is.
//
// Where two writers meet they meet on a schedule's row of schedule_state, which every decision locks first and in the order
// of the keys. Inside the lock the plan's revision is compared, the slot's primary key refuses a second run, and everything
// the plan says is written; the commit makes all of it true at once.
//
// When the process dies before the commit, nothing has happened and the next look finds the same schedule due. When it dies
// after, the cursor has moved with the runs. When the connection breaks inside the commit, nobody knows: the store waits for
// the row's lock, which the lost transaction holds until it is over, and then looks for what it would have written.
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "base/together.hpp"
#include "store/sql/committing.hpp"
#include "store/sql/database.hpp"
#include "store/sql/facts_reader.hpp"
#include "store/sql/plan_writer.hpp"
#include "store/sql/run_reader.hpp"
#include "store/sql/schedule_cache.hpp"
#include "store/sql/sql_registry.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

// Removes what belongs to runs that were removed, of which each row is schedule and slot.
[[nodiscard]] Result<void> forget_runs(Session& session, const Batch& runs);

class SqlStore final : public Store {
public:
    // REQUIRES: the schema is up to date (open_store sees to it), and `zones` outlives the store.
    // A clock that is given, and outlives the store, too, wins over the database's.
    SqlStore(std::unique_ptr<Database> database, const spec::ZoneDatabase& zones, const Clock* clock = nullptr, StoreLimits limits = {})
        : database_(std::move(database)), zones_(zones), clock_(clock), limits_(std::move(limits)), registry_(*database_) {
        memory_.default_connection = limits_.default_connection;
        memory_.caps = limits_.run;
    }

    [[nodiscard]] Registry& registry() override { return registry_; }

    Result<Instant> now() override { return clock_ != nullptr ? clock_->now() : database_->now(); }
    Result<Attendance> attend(const AttendRequest& request) override;
    Result<void> leave(const std::string& server) override;

    Result<void> put_tenant(const model::Tenant& tenant) override;
    Result<model::Tenant> tenant(const std::string& name) override;
    Result<std::vector<model::Tenant>> tenants() override;
    Result<void> put_calendar(const std::string& tenant, const CalendarRecord& record) override;
    Result<void> remove_calendar(const std::string& tenant, const std::string& name) override;
    Result<CalendarRecord> calendar(const std::string& tenant, const std::string& name) override;
    Result<std::vector<CalendarRecord>> calendars(const std::string& tenant) override;
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
    Result<decide::Plan> change(const ScheduleRef& schedule, const Needs& needs, const Planner& planner) override;
    Result<TickOutcome> tick(const TickRequest& request, const Planner& planner) override;
    Result<std::vector<std::optional<Error>>> apply(std::span<const decide::Plan> plans) override;
    Result<std::int64_t> purge(const ScheduleRef& schedule, std::size_t limit) override;

    Result<std::vector<model::Task>> claim(const ClaimRequest& request) override;
    Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now, Instant until,
                                                   const ClockGuard::Move& step) override;
    Result<std::vector<model::LeaseRef>> pass_on(std::span<const PassedOn> leases, Instant now) override;
    Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) override;
    Result<void> redate(std::span<const Redated> leases, Instant now) override;
    Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const Ending> endings, Instant now, const AttemptPlanner& planner) override;
    Result<std::vector<OverdueRun>> overdue(Instant now, std::size_t limit) override;

    Result<std::int64_t> put_workflow(const model::Workflow& workflow) override;
    Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) override;
    Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name, std::optional<std::int64_t> version) override;
    Result<Listing<WorkflowHead>> workflows(const std::string& tenant, const Page& page) override;
    Result<model::Walk> walk(const std::string& tenant, const std::string& run_id) override;
    Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id, std::int64_t after_sequence,
                                                    std::size_t limit) override;
    Result<Listing<model::Approval>> approvals(const ApprovalFilter& filter, const Page& page) override;
    Result<std::vector<model::Approval>> approvals_of(const std::string& tenant, std::span<const std::string> run_ids) override;
    Result<std::vector<OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) override;
    Result<Listing<model::Run>> dead_letters(const std::string& tenant, const Page& page) override;
    Result<void> dismiss(const std::string& tenant, const std::string& run_id) override;

    Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                 const std::optional<model::RequestKey>& request) override;
    Result<model::Backfill> backfill(const std::string& tenant, const std::string& id) override;
    Result<std::vector<model::Backfill>> backfills(const ScheduleRef& schedule) override;
    Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(std::size_t limit) override;
    Result<BackfillStep> step_backfill(const std::string& tenant, const std::string& id, const Needs& needs, const BackfillPlanner& planner) override;

    Result<RequestRecord> request(const std::string& tenant, const std::string& key) override;
    Result<std::int64_t> prune_requests(Instant before, std::size_t limit) override;

    Result<ScheduleRecord> schedule(const ScheduleRef& schedule) override;
    Result<std::vector<ScheduleRecord>> schedules_by_keys(const std::string& tenant, std::span<const std::int64_t> keys) override;
    Result<Counts> counts(Instant now) override;
    Result<Listing<QueueLine>> waiting_lines(std::span<const std::string> queues, const Page& page) override;
    Result<Listing<ScheduleRecord>> schedules(const ScheduleFilter& filter, const Page& page) override;
    Result<std::vector<model::DefinitionPtr>> definitions(const std::string& tenant, std::span<const DefinitionRef> wanted) override;
    Result<Listing<std::string>> subscribers(const std::string& tenant, const std::string& event, const Page& page) override;
    Result<model::Run> run(const std::string& tenant, const std::string& run_id) override;
    Result<Listing<model::Run>> runs(const RunFilter& filter, const Page& page) override;
    Result<std::vector<EventRecord>> events(const ScheduleRef& schedule, std::int64_t after_sequence, std::size_t limit) override;
    Result<std::vector<Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) override;
    Result<std::vector<Upcoming>> look(std::span<const std::int64_t> keys) override;

    Result<std::int64_t> prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) override;
    Result<PruneOutcome> prune_some(const PruneRequest& request) override;
    Result<RemovalOutcome> remove_ended(const RemovalRequest& request) override;
    Result<std::int64_t> prune_archive(Instant before, std::size_t limit) override;
    Result<std::int64_t> prune_letters(Instant before, std::size_t limit) override;
    Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) override;
    Result<PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) override;
    void listen(Listener listener) override;

private:
    using Happened = sql::Happened;

    Result<void> commit(const Work& work, const Look& look) { return sql::commit(*database_, work, look); }
    Result<void> commit_repeatable(const Work& work) { return sql::commit_repeatable(*database_, work); }
    static Result<Happened> look_for(Session& session, const std::vector<Trace>& traces);
    static Result<Happened> look_for_run(Session& session, const Trace& trace);
    static Result<Happened> look_for_node(Session& session, const decide::NodeChange& change);
    static Result<Happened> look_for_gone(Session& session, const std::optional<model::RunKey>& run);
    static Result<Happened> look_for_no_dead_letter(Session& session, const model::RunKey& run);
    static Result<Happened> look_for_retry(Session& session, const model::LeaseRef& lease);
    static Result<Happened> look_for_report(Session& session, const Ending& ending);

    using Removed = std::function<void(const model::RunKey&)>;
    Result<std::int64_t> remove_runs(const std::function<Result<void>(Session&, const Removed&)>& remove);
    // What a page of a sweep found.
    struct Prunable {
        std::vector<std::int64_t> keys = {};       // of schedules with runs to forget
        std::vector<std::int64_t> versioned = {};  // with old versions of their definitions
    };
    Result<Prunable> prunable(const PruneRequest& request, PruneOutcome& outcome);
    Result<std::int64_t> forget_definitions(const std::vector<std::int64_t>& keys, std::size_t limit);
    Result<std::int64_t> prune_by(const Statement& statement, const Batch& batch);
    // What a tick has decided and is about to write.
    struct DueTick {
        explicit DueTick(std::size_t plans) : writer(plans) {}
        bool ahead = false;  // on a snapshot, to be written later
        TickOutcome outcome = {};
        PlanWriter writer;
        std::vector<Announcement> announcements = {};
        std::vector<std::int64_t> looked = {};
    };
    Result<void> decide_due(Session& session, const TickRequest& request, const Planner& planner, TenantGuard& tenants, DueTick& tick);
    Result<TickOutcome> tick_ahead(const TickRequest& request, const Planner& planner);
    Result<TickOutcome> tick_together(const TickRequest& request, const Planner& planner, std::vector<std::int64_t>& looked);
    Result<TickOutcome> tick_one_by_one(const TickRequest& request, const Planner& planner, const std::vector<std::int64_t>& keys);
    Result<std::vector<std::optional<Error>>> apply_together(std::span<const decide::Plan> plans);
    // Workers who claim or end one task at a time come in numbers, and share transactions. Requests of one round are answered in order.
    using Claimed = Result<std::vector<model::Task>>;
    Result<std::map<const ClaimRequest*, std::vector<model::Task>>> claim_for_all(std::int64_t queue,
                                                                                  const std::vector<const ClaimRequest*>& requests);
    std::vector<Claimed> claim_together(std::int64_t queue, const std::vector<const ClaimRequest*>& requests);
    using Ended = Result<std::vector<Result<decide::AttemptPlan>>>;
    struct EndingCall {
        std::span<const Ending> endings;
        Instant now;
        const AttemptPlanner* planner;
    };
    struct AskedEnding {
        const Ending* ending;
        const AttemptPlanner* planner;
    };
    std::vector<Ended> complete_round(const std::vector<EndingCall>& calls);
    Ended complete_all(std::span<const AskedEnding> endings, Instant now);
    Ended complete_together(std::span<const AskedEnding> endings, Instant now);
    friend class AttemptEnder;
    Result<decide::Plan> decide_one(Session& session, std::int64_t key, const Needs& needs, const Planner& planner, PlanWriter& writer);

    std::unique_ptr<Database> database_;
    const spec::ZoneDatabase& zones_;
    const Clock* clock_;
    const StoreLimits limits_;
    StoreMemory memory_;
    SqlRegistry registry_;
    Together<std::int64_t, const ClaimRequest*, Claimed> claims_{
        kClaimMax, [this](std::int64_t queue, const std::vector<const ClaimRequest*>& requests) { return claim_together(queue, requests); }};
    Together<int, EndingCall, Ended> endings_{kClaimMax, [this](int, const std::vector<EndingCall>& calls) { return complete_round(calls); }};
};

// The key of a schedule, or not_found. Inside a session.
[[nodiscard]] Result<std::int64_t> find_schedule(Session& session, const ScheduleRef& schedule);

[[nodiscard]] Result<void> need_tenant(Session& session, const std::string& tenant);

// Tells everybody else, once the transaction is committed.
[[nodiscard]] Result<void> announce(Session& session, const std::vector<Announcement>& announcements);

// Opens the store. An empty database gets its schema; an older or newer one is refused with what to do about it.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(std::unique_ptr<Database> database, const spec::ZoneDatabase& zones,
                                                        const Clock* clock = nullptr, StoreLimits limits = {});

}  // namespace belfry::store::sql
