// A store that passes every call on to another. What wraps a store in the simulation overrides what it changes.
#pragma once

#include "store/store.hpp"

namespace belfry::sim {

class ForwardingStore : public store::Store {
public:
    // REQUIRES: the other outlives it.
    explicit ForwardingStore(store::Store& inner) : inner_(inner) {}

    [[nodiscard]] store::Registry& registry() override { return inner_.registry(); }
    Result<Instant> now() override { return inner_.now(); }
    Result<store::ClusterView> renew_membership(const store::MembershipRequest& request) override {
        return inner_.renew_membership(request);
    }
    Result<void> leave(const std::string& server) override { return inner_.leave(server); }
    Result<void> put_tenant(const model::Tenant& tenant) override { return inner_.put_tenant(tenant); }
    Result<model::Tenant> tenant(const std::string& name) override { return inner_.tenant(name); }
    Result<std::vector<model::Tenant>> tenants() override { return inner_.tenants(); }
    Result<void> put_calendar(const std::string& tenant, const store::CalendarRecord& record) override {
        return inner_.put_calendar(tenant, record);
    }
    Result<void> remove_calendar(const std::string& tenant, const std::string& name) override {
        return inner_.remove_calendar(tenant, name);
    }
    Result<store::CalendarRecord> calendar(const std::string& tenant, const std::string& name) override {
        return inner_.calendar(tenant, name);
    }
    Result<store::Listing<store::CalendarRecord>> calendars(const std::string& tenant,
                                                            const store::Page& page) override {
        return inner_.calendars(tenant, page);
    }
    Result<store::TenantUsage> usage(const std::string& tenant, Instant now) override {
        return inner_.usage(tenant, now);
    }
    Result<store::Measured> measure(const store::MeasuredPlace& place, std::size_t rows) override {
        return inner_.measure(place, rows);
    }
    Result<void> put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) override {
        return inner_.put_measured(bytes, at);
    }
    Result<std::vector<store::TenantOverLimit>> settle_usage(Instant now) override { return inner_.settle_usage(now); }
    Result<void> put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) override {
        return inner_.put_assignment(tenant, record);
    }
    Result<void> remove_assignment(const std::string& tenant, const std::string& id) override {
        return inner_.remove_assignment(tenant, id);
    }
    Result<model::WorkflowAssignment> assignment(const std::string& tenant, const std::string& id) override {
        return inner_.assignment(tenant, id);
    }
    Result<store::Listing<model::WorkflowAssignment>> assignments(const std::string& tenant,
                                                                  const store::Page& page) override {
        return inner_.assignments(tenant, page);
    }
    Result<void> put_assignee(const std::string& tenant, const model::AssigneeRecord& record) override {
        return inner_.put_assignee(tenant, record);
    }
    Result<void> remove_assignee(const std::string& tenant, const std::string& id) override {
        return inner_.remove_assignee(tenant, id);
    }
    Result<model::AssigneeRecord> assignee(const std::string& tenant, const std::string& id) override {
        return inner_.assignee(tenant, id);
    }
    Result<store::Listing<model::AssigneeRecord>> assignees(const std::string& tenant,
                                                            const store::Page& page) override {
        return inner_.assignees(tenant, page);
    }
    Result<model::BudgetDay> budget(const std::string& tenant, const std::string& assignee, model::Day day) override {
        return inner_.budget(tenant, assignee, day);
    }
    Result<std::int64_t> prune_budgets(model::Day before, std::size_t limit) override {
        return inner_.prune_budgets(before, limit);
    }
    Result<void> create(std::span<const decide::Plan> plans) override { return inner_.create(plans); }
    Result<decide::Plan> change(const store::ScheduleRef& schedule, const store::FactsRequest& needs,
                                const store::Planner& planner) override {
        return inner_.change(schedule, needs, planner);
    }
    Result<store::TickOutcome> tick(const store::TickRequest& request, const store::Planner& planner) override {
        return inner_.tick(request, planner);
    }
    Result<std::vector<std::optional<Error>>> apply(std::span<const decide::Plan> plans) override {
        return inner_.apply(plans);
    }
    Result<std::int64_t> purge(const store::ScheduleRef& schedule, std::size_t limit) override {
        return inner_.purge(schedule, limit);
    }
    Result<std::vector<model::Task>> claim(const store::ClaimRequest& request) override {
        return inner_.claim(request);
    }
    Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now, Instant until,
                                                   const ClockGuard::Move& step) override {
        return inner_.heartbeat(leases, now, until, step);
    }
    Result<std::vector<model::LeaseRef>> transfer_lease(std::span<const store::LeaseTransfer> leases,
                                                        Instant now) override {
        return inner_.transfer_lease(leases, now);
    }
    Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) override {
        return inner_.expired(now, limit);
    }
    Result<void> redate(std::span<const store::Redated> leases, Instant now) override {
        return inner_.redate(leases, now);
    }
    Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const store::AttemptReport> reports,
                                                              Instant now,
                                                              const store::AttemptPlanner& planner) override {
        return inner_.complete(reports, now, planner);
    }
    Result<std::vector<Result<decide::AttemptPlan>>> report_usage(std::span<const store::UsageReport> reports,
                                                                  Instant now,
                                                                  const store::UsagePlanner& planner) override {
        return inner_.report_usage(reports, now, planner);
    }
    Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                 const std::optional<model::RequestKey>& request) override {
        return inner_.create_backfill(tenant, backfill, request);
    }
    Result<model::Backfill> backfill(const std::string& tenant, const std::string& id) override {
        return inner_.backfill(tenant, id);
    }
    Result<std::vector<model::Backfill>> backfills(const store::ScheduleRef& schedule) override {
        return inner_.backfills(schedule);
    }
    Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(std::size_t limit) override {
        return inner_.running_backfills(limit);
    }
    Result<store::BackfillStep> step_backfill(const std::string& tenant, const std::string& id,
                                              const store::FactsRequest& needs,
                                              const store::BackfillPlanner& planner) override {
        return inner_.step_backfill(tenant, id, needs, planner);
    }
    Result<store::RequestRecord> request(const std::string& tenant, const std::string& key) override {
        return inner_.request(tenant, key);
    }
    Result<std::int64_t> prune_requests(Instant before, std::size_t limit) override {
        return inner_.prune_requests(before, limit);
    }
    Result<std::vector<store::ScheduleRecord>> schedules_by_keys(const std::string& tenant,
                                                                 std::span<const std::int64_t> keys) override {
        return inner_.schedules_by_keys(tenant, keys);
    }
    Result<store::Counts> counts(Instant now) override { return inner_.counts(now); }
    Result<store::Listing<store::QueueLine>> waiting_lines(std::span<const std::string> queues,
                                                           const store::Page& page) override {
        return inner_.waiting_lines(queues, page);
    }
    Result<std::vector<std::string>> receiver_queues(const store::ReceiverQueues& wanted) override {
        return inner_.receiver_queues(wanted);
    }
    Result<store::ScheduleRecord> schedule(const store::ScheduleRef& schedule) override {
        return inner_.schedule(schedule);
    }
    Result<store::Listing<store::ScheduleRecord>> schedules(const store::ScheduleFilter& filter,
                                                            const store::Page& page) override {
        return inner_.schedules(filter, page);
    }
    Result<std::vector<model::DefinitionPtr>> definitions(const std::string& tenant,
                                                          std::span<const store::DefinitionRef> wanted) override {
        return inner_.definitions(tenant, wanted);
    }
    Result<store::Listing<std::string>> subscribers(const std::string& tenant, const std::string& event,
                                                    const store::Page& page) override {
        return inner_.subscribers(tenant, event, page);
    }
    Result<model::Run> run(const std::string& tenant, const std::string& run_id) override {
        return inner_.run(tenant, run_id);
    }
    Result<store::Listing<model::Run>> runs(const store::RunFilter& filter, const store::Page& page) override {
        return inner_.runs(filter, page);
    }
    Result<std::int64_t> put_workflow(const model::Workflow& workflow,
                                      const store::WorkflowCheck& check = {}) override {
        return inner_.put_workflow(workflow, check);
    }
    Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) override {
        return inner_.remove_workflow(tenant, name, now);
    }
    Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name,
                                        std::optional<std::int64_t> version) override {
        return inner_.workflow(tenant, name, version);
    }
    Result<store::Listing<store::WorkflowHead>> workflows(const std::string& tenant, const store::Page& page) override {
        return inner_.workflows(tenant, page);
    }
    Result<std::vector<store::OverdueRun>> overdue(Instant now, std::size_t limit) override {
        return inner_.overdue(now, limit);
    }
    Result<store::Listing<model::Approval>> approvals(const store::ApprovalFilter& filter,
                                                      const store::Page& page) override {
        return inner_.approvals(filter, page);
    }
    Result<std::vector<model::Approval>> approvals_of(const std::string& tenant,
                                                      std::span<const std::string> run_ids) override {
        return inner_.approvals_of(tenant, run_ids);
    }
    Result<std::vector<store::OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) override {
        return inner_.overdue_approvals(now, limit);
    }
    Result<store::Listing<model::Run>> dead_letters(const std::string& tenant, const store::Page& page) override {
        return inner_.dead_letters(tenant, page);
    }
    Result<void> dismiss(const std::string& tenant, const std::string& run_id) override {
        return inner_.dismiss(tenant, run_id);
    }
    Result<model::WorkflowRun> workflow_run(const std::string& tenant, const std::string& run_id) override {
        return inner_.workflow_run(tenant, run_id);
    }
    Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id,
                                                    std::int64_t after_sequence, std::size_t limit) override {
        return inner_.run_events(tenant, run_id, after_sequence, limit);
    }
    Result<store::AuditChain> audit_chain(const store::ScheduleRef& schedule, std::int64_t after_sequence,
                                          std::size_t limit) override {
        return inner_.audit_chain(schedule, after_sequence, limit);
    }
    Result<std::vector<std::string>> audited_schedules(const std::string& tenant, const std::string& after_id,
                                                       std::size_t limit) override {
        return inner_.audited_schedules(tenant, after_id, limit);
    }
    Result<std::vector<store::EventRecord>> events(const store::ScheduleRef& schedule, std::int64_t after_sequence,
                                                   std::size_t limit) override {
        return inner_.events(schedule, after_sequence, limit);
    }
    Result<std::vector<store::Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) override {
        return inner_.upcoming(after_key, limit);
    }
    Result<std::vector<store::Upcoming>> peek_next_fires(std::span<const std::int64_t> keys) override {
        return inner_.peek_next_fires(keys);
    }
    Result<std::int64_t> prune(const store::ScheduleRef& schedule, const store::Retention& retention,
                               std::size_t limit) override {
        return inner_.prune(schedule, retention, limit);
    }
    Result<store::PruneOutcome> prune_some(const store::PruneRequest& request) override {
        return inner_.prune_some(request);
    }
    Result<store::RemovalOutcome> remove_ended(const store::RemovalRequest& request) override {
        return inner_.remove_ended(request);
    }
    Result<std::int64_t> prune_archive(Instant before, std::size_t limit) override {
        return inner_.prune_archive(before, limit);
    }
    Result<store::ArchivablePage> archivable(const store::ArchiveRequest& request) override {
        return inner_.archivable(request);
    }
    Result<std::int64_t> remove_archived(std::span<const store::ArchivedUpTo> chains) override {
        return inner_.remove_archived(chains);
    }
    Result<bool> shrink() override { return inner_.shrink(); }
    Result<std::int64_t> prune_letters(Instant before, std::size_t limit) override {
        return inner_.prune_letters(before, limit);
    }
    Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) override {
        return inner_.prune_backfills(before, limit);
    }
    Result<store::PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) override {
        return inner_.prune_workflows(after_key, keep, limit);
    }
    void listen(store::Listener listener) override { inner_.listen(std::move(listener)); }

protected:
    store::Store& inner_;
};

}  // namespace belfry::sim
