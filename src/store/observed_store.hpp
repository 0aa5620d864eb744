// Measures another store: the name, duration and outcome of every call. This is the only instrumentation of the
// store. With a clock guard, now() returns the time that the guard accepts.
#pragma once

#include <memory>

#include "base/time/clock_guard.hpp"
#include "store/observed_registry.hpp"
#include "store/store.hpp"
#include "store/store_observer.hpp"

namespace belfry::store {

class ObservedStore final : public Store {
public:
    // REQUIRES: the observer and the guard outlive this object.
    ObservedStore(std::unique_ptr<Store> store, StoreObserver& observer, ClockGuard* clock = nullptr)
        : store_(std::move(store)), observer_(observer), clock_(clock) {}

    [[nodiscard]] Registry& registry() override { return registry_; }

    Result<Instant> now() override;
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
    Result<std::int64_t> put_workflow(const model::Workflow& workflow, const WorkflowCheck& check = {}) override;
    Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) override;
    Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name,
                                        std::optional<std::int64_t> version) override;
    Result<Listing<WorkflowHead>> workflows(const std::string& tenant, const Page& page) override;
    Result<std::vector<OverdueRun>> overdue(Instant now, std::size_t limit) override;
    Result<Listing<model::Approval>> approvals(const ApprovalFilter& filter, const Page& page) override;
    Result<std::vector<model::Approval>> approvals_of(const std::string& tenant,
                                                      std::span<const std::string> run_ids) override;
    Result<std::vector<OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) override;
    Result<Listing<model::Run>> dead_letters(const std::string& tenant, const Page& page) override;
    Result<void> dismiss(const std::string& tenant, const std::string& run_id) override;
    Result<model::WorkflowRun> workflow_run(const std::string& tenant, const std::string& run_id) override;
    Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id,
                                                    std::int64_t after_sequence, std::size_t limit) override;
    Result<AuditChain> audit_chain(const ScheduleRef& schedule, std::int64_t after_sequence,
                                   std::size_t limit) override;
    Result<std::vector<std::string>> audited_schedules(const std::string& tenant, const std::string& after_id,
                                                       std::size_t limit) override;
    Result<std::vector<EventRecord>> events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                            std::size_t limit) override;
    Result<std::vector<Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) override;
    Result<std::vector<Upcoming>> peek_next_fires(std::span<const std::int64_t> keys) override;
    Result<PruneOutcome> prune_some(const PruneRequest& request) override;
    Result<RemovalOutcome> remove_ended(const RemovalRequest& request) override;
    Result<std::int64_t> prune_archive(Instant before, std::size_t limit) override;
    Result<ArchivablePage> archivable(const ArchiveRequest& request) override;
    Result<std::int64_t> remove_archived(std::span<const ArchivedUpTo> chains) override;
    Result<bool> shrink() override;
    Result<std::int64_t> prune_letters(Instant before, std::size_t limit) override;
    Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) override;
    Result<PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) override;
    Result<std::int64_t> prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) override;
    void listen(Listener listener) override { store_->listen(std::move(listener)); }

private:
    template <typename Verb>
    auto observed(std::string_view name, const Verb& verb) {
        return store::observed(observer_, name, verb);
    }

    std::unique_ptr<Store> store_;
    StoreObserver& observer_;
    ClockGuard* const clock_;
    ObservedRegistry registry_{store_->registry(), observer_};
};

}  // namespace belfry::store
