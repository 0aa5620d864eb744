#include "store/observed_store.hpp"

namespace belfry::store {

Result<Instant> ObservedStore::now() {
    const auto read = [this] { return observed("now", [&] { return store_->now(); }); };
    return clock_ != nullptr ? clock_->read(read) : read();
}
Result<ClusterView> ObservedStore::renew_membership(const MembershipRequest& request) {
    return observed("renew_membership", [&] { return store_->renew_membership(request); });
}
Result<void> ObservedStore::leave(const std::string& server) {
    return observed("leave", [&] { return store_->leave(server); });
}
Result<void> ObservedStore::put_tenant(const model::Tenant& tenant) {
    return observed("put_tenant", [&] { return store_->put_tenant(tenant); });
}
Result<model::Tenant> ObservedStore::tenant(const std::string& name) {
    return observed("tenant", [&] { return store_->tenant(name); });
}
Result<std::vector<model::Tenant>> ObservedStore::tenants() {
    return observed("tenants", [&] { return store_->tenants(); });
}
Result<void> ObservedStore::put_calendar(const std::string& tenant, const CalendarRecord& record) {
    return observed("put_calendar", [&] { return store_->put_calendar(tenant, record); });
}
Result<void> ObservedStore::remove_calendar(const std::string& tenant, const std::string& name) {
    return observed("remove_calendar", [&] { return store_->remove_calendar(tenant, name); });
}
Result<CalendarRecord> ObservedStore::calendar(const std::string& tenant, const std::string& name) {
    return observed("calendar", [&] { return store_->calendar(tenant, name); });
}
Result<Listing<CalendarRecord>> ObservedStore::calendars(const std::string& tenant, const Page& page) {
    return observed("calendars", [&] { return store_->calendars(tenant, page); });
}
Result<TenantUsage> ObservedStore::usage(const std::string& tenant, Instant now) {
    return observed("usage", [&] { return store_->usage(tenant, now); });
}
Result<Measured> ObservedStore::measure(const MeasuredPlace& place, std::size_t rows) {
    return observed("measure", [&] { return store_->measure(place, rows); });
}
Result<void> ObservedStore::put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) {
    return observed("put_measured", [&] { return store_->put_measured(bytes, at); });
}
Result<std::vector<TenantOverLimit>> ObservedStore::settle_usage(Instant now) {
    return observed("settle_usage", [&] { return store_->settle_usage(now); });
}
Result<void> ObservedStore::put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) {
    return observed("put_assignment", [&] { return store_->put_assignment(tenant, record); });
}
Result<void> ObservedStore::remove_assignment(const std::string& tenant, const std::string& id) {
    return observed("remove_assignment", [&] { return store_->remove_assignment(tenant, id); });
}
Result<model::WorkflowAssignment> ObservedStore::assignment(const std::string& tenant, const std::string& id) {
    return observed("assignment", [&] { return store_->assignment(tenant, id); });
}
Result<Listing<model::WorkflowAssignment>> ObservedStore::assignments(const std::string& tenant, const Page& page) {
    return observed("assignments", [&] { return store_->assignments(tenant, page); });
}
Result<void> ObservedStore::put_assignee(const std::string& tenant, const model::AssigneeRecord& record) {
    return observed("put_assignee", [&] { return store_->put_assignee(tenant, record); });
}
Result<void> ObservedStore::remove_assignee(const std::string& tenant, const std::string& id) {
    return observed("remove_assignee", [&] { return store_->remove_assignee(tenant, id); });
}
Result<model::AssigneeRecord> ObservedStore::assignee(const std::string& tenant, const std::string& id) {
    return observed("assignee", [&] { return store_->assignee(tenant, id); });
}
Result<Listing<model::AssigneeRecord>> ObservedStore::assignees(const std::string& tenant, const Page& page) {
    return observed("assignees", [&] { return store_->assignees(tenant, page); });
}
Result<model::BudgetDay> ObservedStore::budget(const std::string& tenant, const std::string& assignee, model::Day day) {
    return observed("budget", [&] { return store_->budget(tenant, assignee, day); });
}
Result<std::int64_t> ObservedStore::prune_budgets(model::Day before, std::size_t limit) {
    return observed("prune_budgets", [&] { return store_->prune_budgets(before, limit); });
}
Result<void> ObservedStore::create(std::span<const decide::Plan> plans) {
    return observed("create", [&] { return store_->create(plans); });
}
Result<std::vector<ScheduleStore::Created>> ObservedStore::create_each(std::span<const NewSchedule> schedules) {
    return observed("create_each", [&] { return store_->create_each(schedules); });
}
Result<decide::Plan> ObservedStore::change(const ScheduleRef& schedule, const FactsRequest& needs,
                                           const Planner& planner) {
    return observed("change", [&] { return store_->change(schedule, needs, planner); });
}
Result<std::vector<Result<decide::Plan>>> ObservedStore::change_each(std::span<const ChangeRequest> requests) {
    return observed("change_each", [&] { return store_->change_each(requests); });
}
Result<TickOutcome> ObservedStore::tick(const TickRequest& request, const Planner& planner) {
    return observed("tick", [&] { return store_->tick(request, planner); });
}
Result<std::vector<std::optional<Error>>> ObservedStore::apply(std::span<const decide::Plan> plans) {
    return observed("apply", [&] { return store_->apply(plans); });
}
Result<std::int64_t> ObservedStore::purge(const ScheduleRef& schedule, std::size_t limit) {
    return observed("purge", [&] { return store_->purge(schedule, limit); });
}
Result<std::vector<model::Task>> ObservedStore::claim(const ClaimRequest& request) {
    return observed("claim", [&] { return store_->claim(request); });
}
Result<std::vector<model::LeaseRef>> ObservedStore::heartbeat(std::span<const model::LeaseRef> leases, Instant now,
                                                              Instant until, const ClockGuard::Move& step) {
    const auto last = clock_ != nullptr ? clock_->last_move() : step;
    return observed("heartbeat", [&] { return store_->heartbeat(leases, now, until, last); });
}
Result<std::vector<model::LeaseRef>> ObservedStore::transfer_lease(std::span<const LeaseTransfer> leases, Instant now) {
    return observed("transfer_lease", [&] { return store_->transfer_lease(leases, now); });
}
Result<std::vector<model::Lease>> ObservedStore::expired(Instant now, std::size_t limit) {
    return observed("expired", [&] { return store_->expired(now, limit); });
}
Result<void> ObservedStore::redate(std::span<const Redated> leases, Instant now) {
    return observed("redate", [&] { return store_->redate(leases, now); });
}
Result<std::vector<Result<decide::AttemptPlan>>> ObservedStore::complete(std::span<const AttemptReport> reports,
                                                                         Instant now, const AttemptPlanner& planner) {
    return observed("complete", [&] { return store_->complete(reports, now, planner); });
}
Result<std::vector<Result<decide::AttemptPlan>>> ObservedStore::report_usage(std::span<const UsageReport> reports,
                                                                             Instant now, const UsagePlanner& planner) {
    return observed("report_usage", [&] { return store_->report_usage(reports, now, planner); });
}
Result<void> ObservedStore::create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                            const std::optional<model::RequestKey>& request) {
    return observed("create_backfill", [&] { return store_->create_backfill(tenant, backfill, request); });
}
Result<model::Backfill> ObservedStore::backfill(const std::string& tenant, const std::string& id) {
    return observed("backfill", [&] { return store_->backfill(tenant, id); });
}
Result<std::vector<model::Backfill>> ObservedStore::backfills(const ScheduleRef& schedule) {
    return observed("backfills", [&] { return store_->backfills(schedule); });
}
Result<std::vector<std::pair<std::string, model::Backfill>>> ObservedStore::running_backfills(std::size_t limit) {
    return observed("running_backfills", [&] { return store_->running_backfills(limit); });
}
Result<BackfillStep> ObservedStore::step_backfill(const std::string& tenant, const std::string& id,
                                                  const FactsRequest& needs, const BackfillPlanner& planner) {
    return observed("step_backfill", [&] { return store_->step_backfill(tenant, id, needs, planner); });
}
Result<RequestRecord> ObservedStore::request(const std::string& tenant, const std::string& key) {
    return observed("request", [&] { return store_->request(tenant, key); });
}
Result<std::int64_t> ObservedStore::prune_requests(Instant before, std::size_t limit) {
    return observed("prune_requests", [&] { return store_->prune_requests(before, limit); });
}
Result<std::vector<ScheduleRecord>> ObservedStore::schedules_by_keys(const std::string& tenant,
                                                                     std::span<const std::int64_t> keys) {
    return observed("schedules_by_keys", [&] { return store_->schedules_by_keys(tenant, keys); });
}
Result<Counts> ObservedStore::counts(Instant now) {
    return observed("counts", [&] { return store_->counts(now); });
}
Result<Listing<QueueLine>> ObservedStore::waiting_lines(std::span<const std::string> queues, const Page& page) {
    return observed("waiting_lines", [&] { return store_->waiting_lines(queues, page); });
}
Result<std::vector<std::string>> ObservedStore::receiver_queues(const ReceiverQueues& wanted) {
    return observed("receiver_queues", [&] { return store_->receiver_queues(wanted); });
}
Result<ScheduleRecord> ObservedStore::schedule(const ScheduleRef& schedule) {
    return observed("schedule", [&] { return store_->schedule(schedule); });
}
Result<Listing<ScheduleRecord>> ObservedStore::schedules(const ScheduleFilter& filter, const Page& page) {
    return observed("schedules", [&] { return store_->schedules(filter, page); });
}
Result<std::vector<model::DefinitionPtr>> ObservedStore::definitions(const std::string& tenant,
                                                                     std::span<const DefinitionRef> wanted) {
    return observed("definitions", [&] { return store_->definitions(tenant, wanted); });
}
Result<Listing<std::string>> ObservedStore::subscribers(const std::string& tenant, const std::string& event,
                                                        const Page& page) {
    return observed("subscribers", [&] { return store_->subscribers(tenant, event, page); });
}
Result<model::Run> ObservedStore::run(const std::string& tenant, const std::string& run_id) {
    return observed("run", [&] { return store_->run(tenant, run_id); });
}
Result<Listing<model::Run>> ObservedStore::runs(const RunFilter& filter, const Page& page) {
    return observed("runs", [&] { return store_->runs(filter, page); });
}
Result<std::int64_t> ObservedStore::put_workflow(const model::Workflow& workflow, const WorkflowCheck& check) {
    return observed("put_workflow", [&] { return store_->put_workflow(workflow, check); });
}
Result<void> ObservedStore::remove_workflow(const std::string& tenant, const std::string& name, Instant now) {
    return observed("remove_workflow", [&] { return store_->remove_workflow(tenant, name, now); });
}
Result<model::WorkflowPtr> ObservedStore::workflow(const std::string& tenant, const std::string& name,
                                                   std::optional<std::int64_t> version) {
    return observed("workflow", [&] { return store_->workflow(tenant, name, version); });
}
Result<Listing<WorkflowHead>> ObservedStore::workflows(const std::string& tenant, const Page& page) {
    return observed("workflows", [&] { return store_->workflows(tenant, page); });
}
Result<std::vector<OverdueRun>> ObservedStore::overdue(Instant now, std::size_t limit) {
    return observed("overdue", [&] { return store_->overdue(now, limit); });
}
Result<Listing<model::Approval>> ObservedStore::approvals(const ApprovalFilter& filter, const Page& page) {
    return observed("approvals", [&] { return store_->approvals(filter, page); });
}
Result<std::vector<model::Approval>> ObservedStore::approvals_of(const std::string& tenant,
                                                                 std::span<const std::string> run_ids) {
    return observed("approvals_of", [&] { return store_->approvals_of(tenant, run_ids); });
}
Result<std::vector<OverdueApproval>> ObservedStore::overdue_approvals(Instant now, std::size_t limit) {
    return observed("overdue_approvals", [&] { return store_->overdue_approvals(now, limit); });
}
Result<Listing<model::Run>> ObservedStore::dead_letters(const std::string& tenant, const Page& page) {
    return observed("dead_letters", [&] { return store_->dead_letters(tenant, page); });
}
Result<void> ObservedStore::dismiss(const std::string& tenant, const std::string& run_id) {
    return observed("dismiss", [&] { return store_->dismiss(tenant, run_id); });
}
Result<model::WorkflowRun> ObservedStore::workflow_run(const std::string& tenant, const std::string& run_id) {
    return observed("workflow_run", [&] { return store_->workflow_run(tenant, run_id); });
}
Result<std::vector<model::RunEvent>> ObservedStore::run_events(const std::string& tenant, const std::string& run_id,
                                                               std::int64_t after_sequence, std::size_t limit) {
    return observed("run_events", [&] { return store_->run_events(tenant, run_id, after_sequence, limit); });
}
Result<AuditChain> ObservedStore::audit_chain(const ScheduleRef& schedule, std::int64_t after_sequence,
                                              std::size_t limit) {
    return observed("audit_chain", [&] { return store_->audit_chain(schedule, after_sequence, limit); });
}
Result<std::vector<std::string>> ObservedStore::audited_schedules(const std::string& tenant,
                                                                  const std::string& after_id, std::size_t limit) {
    return observed("audited_schedules", [&] { return store_->audited_schedules(tenant, after_id, limit); });
}
Result<std::vector<EventRecord>> ObservedStore::events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                                       std::size_t limit) {
    return observed("events", [&] { return store_->events(schedule, after_sequence, limit); });
}
Result<std::vector<Upcoming>> ObservedStore::upcoming(std::int64_t after_key, std::size_t limit) {
    return observed("upcoming", [&] { return store_->upcoming(after_key, limit); });
}
Result<std::vector<Upcoming>> ObservedStore::peek_next_fires(std::span<const std::int64_t> keys) {
    return observed("peek_next_fires", [&] { return store_->peek_next_fires(keys); });
}
Result<PruneOutcome> ObservedStore::prune_some(const PruneRequest& request) {
    return observed("prune_some", [&] { return store_->prune_some(request); });
}
Result<std::int64_t> ObservedStore::prune_archive(Instant before, std::size_t limit) {
    return observed("prune_archive", [&] { return store_->prune_archive(before, limit); });
}
Result<ArchivablePage> ObservedStore::archivable(const ArchiveRequest& request) {
    return observed("archivable", [&] { return store_->archivable(request); });
}
Result<std::int64_t> ObservedStore::remove_archived(std::span<const ArchivedUpTo> chains) {
    return observed("remove_archived", [&] { return store_->remove_archived(chains); });
}
Result<bool> ObservedStore::shrink() {
    return observed("shrink", [&] { return store_->shrink(); });
}
Result<std::int64_t> ObservedStore::prune_letters(Instant before, std::size_t limit) {
    return observed("prune_letters", [&] { return store_->prune_letters(before, limit); });
}
Result<std::int64_t> ObservedStore::prune_backfills(Instant before, std::size_t limit) {
    return observed("prune_backfills", [&] { return store_->prune_backfills(before, limit); });
}
Result<PruneOutcome> ObservedStore::prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) {
    return observed("prune_workflows", [&] { return store_->prune_workflows(after_key, keep, limit); });
}
Result<RemovalOutcome> ObservedStore::remove_ended(const RemovalRequest& request) {
    return observed("remove_ended", [&] { return store_->remove_ended(request); });
}
Result<std::int64_t> ObservedStore::prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) {
    return observed("prune", [&] { return store_->prune(schedule, retention, limit); });
}

}  // namespace belfry::store
