#include <algorithm>
#include <limits>
#include <variant>

#include "base/text/ascii.hpp"
#include "base/time/clock_guard.hpp"
#include "decide/explain/feed.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"
#include "store/rules/attempt_events.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/claimed_task.hpp"
#include "store/rules/lease_rules.hpp"
#include "store/rules/new_task.hpp"
#include "store/rules/plan_notifications.hpp"

namespace belfry::store {

using model::ExecutionStatus;

model::Task MemoryStore::lease_to(const ClaimRequest& request, const TaskKey& key) {
    auto& schedule = tables_.schedules.at(key.run.schedule);
    auto row = schedule.runs.at(key.run.slot);
    auto& task = row.tasks.at(key.node);
    task.task.attempts += 1;
    task.worker = request.worker;
    task.since = task.renewed = request.now;
    if (const auto longest =
            attempt_time({task.task.timeout, key.node.empty(), task.task.attempts > 1, row.run.fire_at},
                         tables_.limits.run, request.now)) {
        task.deadline = request.now + *longest;
    }
    task.lease_until = lease_end(request.now, request.lease, task.deadline);
    const bool first = row.run.execution == ExecutionStatus::queued;
    if (row.workflow) {
        for (auto& event : claim_events(first, {{key.node, task.task.attempts}}, request.worker, request.now))
            row.put_event(std::move(event));
    } else {
        row.run.attempts = task.task.attempts;
    }
    if (first || !row.workflow) row.run.started_at = request.now;
    row.run.execution = ExecutionStatus::running;
    const auto workflow_run = row.workflow_run();
    auto claimed = task_of({row.run, schedule.versions.at(row.run.version), &workflow_run, key.node, task.task.attempts,
                            task.lease_until, task.task.assignee, task.task.ready_at});
    tables_.put_run(schedule, std::move(row));
    return claimed;
}

MemoryTask& MemoryStore::task_at(const TaskKey& key) {
    return tables_.schedules.at(key.run.schedule).runs.at(key.run.slot).tasks.at(key.node);
}

// About as many as a worker gets with it: its input, and the target of its definition.
std::size_t MemoryStore::task_bytes(const TaskKey& key) {
    const auto& schedule = tables_.schedules.at(key.run.schedule);
    const auto& row = schedule.runs.at(key.run.slot);
    const auto workflow_run = row.workflow_run();
    const auto* const node = key.node.empty() ? nullptr : workflow_run.find(key.node);
    const auto& input = node == nullptr ? row.run.input : node->input;
    return to_text(model::to_json(schedule.versions.at(row.run.version))).size() + to_text(input).size();
}

void MemoryStore::make_ready(Instant now) {
    for (auto& [name, tenant] : tables_.tenants) {
        for (auto& [queue, tasks] : tenant.queues) {
            for (const auto& task : tasks) {
                if (task.ready_at <= now) task_at({task.run, task.node}).ready = true;
            }
        }
    }
}

Result<std::vector<model::Task>> MemoryStore::claim(const ClaimRequest& request) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(request.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(request.tenant);
    make_ready(request.now);
    PageBudget budget(std::min(request.limit, kClaimMax), request.bytes);
    std::vector<TaskKey> picked;
    if (const auto queue = tenant->second.queues.find({request.queue, request.assignee});
        queue != tenant->second.queues.end()) {
        for (const auto& task : queue->second) {
            if (budget.is_full()) {
                // What does not fit is for the next claim.
                if (picked.size() < request.limit)
                    news.add(
                        {TasksReady{.tenant = request.tenant, .queue = request.queue, .assignee = request.assignee}});
                break;
            }
            if (!task_at({task.run, task.node}).ready) continue;
            picked.push_back({task.run, task.node});
            budget.add(request.bytes == std::numeric_limits<std::size_t>::max() ? 0 : task_bytes(picked.back()));
        }
    }
    std::vector<model::Task> tasks;
    tasks.reserve(picked.size());
    for (const auto& key : picked) tasks.push_back(lease_to(request, key));
    return tasks;
}

Result<std::vector<model::LeaseRef>> MemoryStore::heartbeat(std::span<const model::LeaseRef> leases, Instant now,
                                                            Instant until, const ClockGuard::Move& step) {
    const MutexLock lock(mutex_);
    std::vector<model::LeaseRef> held;
    for (const auto& lease : leases) {
        const auto leased = tables_.find_leased(lease);
        if (!leased) continue;
        auto& task = leased->second->tasks.at(lease.node);
        if (task.deadline && task.renewed < step.before) *task.deadline += step.by;
        task.lease_until = task.deadline ? std::min(*task.deadline, until) : until;  // not part of an index
        task.renewed = now;
        held.push_back(lease);
    }
    return held;
}

Result<std::vector<model::LeaseRef>> MemoryStore::transfer_lease(std::span<const LeaseTransfer> leases, Instant now) {
    const MutexLock lock(mutex_);
    std::vector<model::LeaseRef> held;
    for (const auto& passed : leases) {
        const auto leased = tables_.find_leased(passed.lease);
        if (!leased) continue;
        held.push_back(passed.lease);
        auto& [schedule, row] = *leased;
        auto& task = row->tasks.at(passed.lease.node);
        task.lease_until = passed.until;
        task.deadline = passed.until;
        task.renewed = now;
        if (task.worker.starts_with(passed.worker)) continue;
        const bool again = !model::is_publisher(task.worker);
        task.worker = passed.worker;
        row->put_event(passing_event(passed, again, now));
    }
    return held;
}

Result<std::vector<model::Lease>> MemoryStore::expired(Instant now, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<model::Lease> found;
    for (const auto& key : tables_.leases) {
        const auto& row = tables_.schedules.at(key.run.schedule).runs.at(key.run.slot);
        const auto& task = row.tasks.at(key.node);
        if (task.lease_until < now || task.renewed - kClockTolerance > now) {
            found.push_back({{row.run.id, task.task.attempts, key.node},
                             task.worker,
                             task.since,
                             task.lease_until,
                             task.deadline,
                             task.renewed});
        }
    }
    std::ranges::stable_sort(found, {}, &model::Lease::until);
    if (found.size() > limit) found.resize(limit);
    return found;
}

Result<void> MemoryStore::redate(std::span<const Redated> leases, Instant now) {
    const MutexLock lock(mutex_);
    for (const auto& [lease, by] : leases) {
        const auto leased = tables_.find_leased(lease.ref);
        if (!leased) continue;
        auto& task = leased->second->tasks.at(lease.ref.node);
        if (task.lease_until != lease.until || task.renewed != lease.renewed) continue;
        task.lease_until += by;
        if (task.deadline) *task.deadline += by;
        task.renewed = now;
    }
    return {};
}

Result<decide::AttemptPlan> MemoryStore::complete_one(const AttemptReport& report, Instant now,
                                                      const AttemptPlanner& planner, MemoryNews& news) {
    if (!report.tenant.empty() && tables_.find_run(report.tenant, report.lease.run_id) == nullptr)
        return run_not_found(report.lease.run_id);
    const auto leased = tables_.find_leased(report.lease);
    if (!leased) return leased.error();
    auto& [schedule, row] = *leased;
    const auto& leased_task = row->tasks.at(report.lease.node);
    if (report.expired_before && leased_task.lease_until >= *report.expired_before) return lease_renewed(report.lease);
    if (report.renewed_at && leased_task.renewed != *report.renewed_at) return lease_renewed(report.lease);
    auto facts = tables_.gather(*schedule, {.now = now, .run = report.lease.run_id, .stand_in = true});
    if (!facts) return facts.error();
    const model::Lease lease{report.lease,         leased_task.worker, leased_task.since, leased_task.lease_until,
                             leased_task.deadline, leased_task.renewed};
    tell_of_attempt(*facts, lease);
    tell_of_usage(*facts, row->usage, report.lease, report.end.usage);
    const auto& assignees = tables_.tenant_of(*schedule).assignees;
    if (const auto record = assignees.find(assignee_of_attempt(*facts, report.lease.node)); record != assignees.end()) {
        facts->spending.assignee = record->second;
    }
    auto decided = planner(*facts, report.end);
    if (!decided) return decided;
    const auto usage_before = row->usage;
    if (report.end.usage) row->usage[{report.lease.node, report.lease.attempt}] = facts->spending.attempt;
    if (const auto* const plan = std::get_if<decide::Plan>(&*decided)) {
        if (auto error = apply_one(*schedule, *plan, news)) {
            row->usage = usage_before;
            return *error;
        }
        return decided;
    }
    auto waiting = *row;
    waiting.run.execution = ExecutionStatus::queued;
    waiting.run.error = storable(report.end.error);
    const auto& definition = schedule->versions.at(waiting.run.version);
    auto& task = waiting.tasks.at(report.lease.node);
    task = {.task =
                single_task(definition, waiting.run.input, task.task.run, std::get<decide::Retry>(*decided).ready_at,
                            task.task.attempts, tables_.limits.default_connection)};
    task.ready = task.task.ready_at <= now;
    waiting.events.push_back(retry_event(lease, report.end, std::get<decide::Retry>(*decided), now));
    news.add({news_of(task.task, definition.tenant, now)});
    if (auto& tenant = tables_.tenant_of(*schedule); tenant.is_followed(now)) {
        tables_.tell(tenant, decide::retrying_item(row->run, schedule->definition(), report.end,
                                                   std::get<decide::Retry>(*decided), now));
        news.add({FeedGrown{definition.tenant}});
    }
    tables_.put_run(*schedule, std::move(waiting));
    return decided;
}

Result<std::vector<OverdueRun>> MemoryStore::overdue(Instant now, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<OverdueRun> found;
    for (const auto& [deadline, key] : tables_.deadlines) {
        if (deadline >= now || found.size() >= limit) break;
        const auto& schedule = tables_.schedules.at(key.schedule);
        found.push_back({schedule.definition().tenant, schedule.runs.at(key.slot).run.id, deadline});
    }
    return found;
}

Result<std::vector<Result<decide::AttemptPlan>>> MemoryStore::complete(std::span<const AttemptReport> reports,
                                                                       Instant now, const AttemptPlanner& planner) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    std::vector<Result<decide::AttemptPlan>> done;
    for (const auto& report : reports) done.push_back(complete_one(report, now, planner, news));
    return done;
}

Result<std::vector<Result<decide::AttemptPlan>>> MemoryStore::report_usage(std::span<const UsageReport> reports,
                                                                           Instant now, const UsagePlanner& planner) {
    return complete(as_attempt_reports(reports), now, as_attempt_planner(planner));
}

}  // namespace belfry::store
