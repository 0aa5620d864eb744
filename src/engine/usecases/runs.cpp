#include "engine/usecases/runs.hpp"

#include <algorithm>
#include <set>

#include "decide/run/completion.hpp"
#include "engine/usecases/attempts.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

namespace {

constexpr std::size_t kPurgeBatch = 1'000;  // runs removed in one transaction
constexpr int kPurgeRounds = 1'000;         // in one call; the next call continues

// The run after the plan. Not read from the store again: the change is committed, and a read error would look like a
// failure.
model::Run run_after(model::Run run, const decide::Plan& plan) {
    for (const auto& start : plan.starts) {
        if (start.run_id == run.id) run.execution = model::ExecutionStatus::queued;
    }
    for (const auto& end : plan.ends) {
        if (end.run_id != run.id) continue;
        run.execution = end.status;
        run.result = end.result;
        run.error = end.error;
        run.completed_at = plan.decided_at;
    }
    return run;
}

}  // namespace

Result<std::vector<model::Task>> Runs::claim(const Claim& claim) {
    const auto now = store_.now();
    if (!now) return now.error();
    auto tasks = store_.claim(
        {claim.tenant, claim.queue, claim.worker, claim.limit, *now, claim.lease, claim.assignee, claim.bytes});
    if (!tasks) return tasks;
    for (const auto& task : *tasks) observer_.claimed(task, *now);
    return tasks;
}

namespace {

// A lease does not name its tenant, but its run names the schedule.
std::optional<Error> leave_to_tenant(store::ScheduleStore& store, const std::string& tenant,
                                     std::vector<model::LeaseRef>& leases) {
    std::vector<std::int64_t> keys;
    for (const auto& lease : leases) {
        if (const auto run = model::parse_run_id(lease.run_id)) keys.push_back(run->schedule);
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const auto found = store.peek_next_fires(keys);
    if (!found) return found.error();
    std::set<std::int64_t> own;
    for (const auto& each : *found) {
        if (each.tenant == model::tenant_key(tenant)) own.insert(each.key);
    }
    std::erase_if(leases, [&own](const model::LeaseRef& lease) {
        const auto run = model::parse_run_id(lease.run_id);
        return !run || !own.contains(run->schedule);
    });
    return std::nullopt;
}

}  // namespace

Result<std::vector<model::LeaseRef>> Runs::heartbeat(std::vector<model::LeaseRef> leases, Micros lease,
                                                     const std::string& tenant) {
    if (!tenant.empty()) {
        if (auto error = leave_to_tenant(store_, tenant, leases)) return *error;
    }
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.heartbeat(leases, *now, *now + lease);
}

Result<std::vector<model::LeaseRef>> Runs::transfer_lease(const std::vector<store::LeaseTransfer>& leases) {
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.transfer_lease(leases, *now);
}

Result<std::vector<Result<decide::AttemptPlan>>> Runs::complete(const std::string& tenant,
                                                                const std::vector<AttemptReport>& reports,
                                                                const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::vector<store::AttemptReport> all;
    for (const auto& report : reports) all.push_back({report.lease, report.end, {}, tenant});
    auto ended = end_attempts(store_, observer_, all, *now);
    if (ended) look_at_refused(tenant, reports, *ended, context);
    return ended;
}

Result<std::vector<Result<decide::AttemptPlan>>> Runs::report_usage(const std::string& tenant,
                                                                    const std::vector<UsageReport>& reports) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::vector<store::UsageReport> all;
    for (const auto& report : reports) all.push_back({report.lease, report.usage, tenant});
    auto taken = engine::report_usage(store_, observer_, all, *now);
    if (taken) look_at_refused(tenant, reports, *taken, {});
    return taken;
}

// If the attempt cannot be recorded, the caller gets that error instead, and a retry is rejected again. The other
// reports stay.
template <typename Report>
void Runs::look_at_refused(const std::string& tenant, const std::vector<Report>& reports,
                           std::vector<Result<decide::AttemptPlan>>& results, const Context& context) {
    const auto is_refused = [](const Result<decide::AttemptPlan>& one) {
        return !one && one.error().code == ErrorCode::conflict;
    };
    std::vector<model::LeaseRef> refused;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (is_refused(results[i])) refused.push_back(reports[i].lease);
    }
    if (auto recorded = look_for_bypass(tenant, refused, context); !recorded) {
        for (auto& one : results) {
            if (is_refused(one)) one = recorded.error();
        }
    }
}

// Usually the lease was lost. A late report of an attempt that existed before the approval was requested is no
// bypass.
Result<void> Runs::look_for_bypass(const std::string& tenant, const std::vector<model::LeaseRef>& refused,
                                   const Context& context) {
    if (refused.empty()) return {};
    std::vector<std::string> runs;
    for (const auto& lease : refused) runs.push_back(lease.run_id);
    const auto approvals = store_.approvals_of(tenant, runs);
    if (!approvals) return approvals.error();
    for (const auto& approval : *approvals) {
        if (approval.status != model::ApprovalStatus::pending) continue;
        const bool meant = std::ranges::any_of(refused, [&](const model::LeaseRef& lease) {
            return lease.run_id == approval.run_id && (approval.node.empty() || lease.node == approval.node) &&
                   lease.attempt > approval.attempts;
        });
        if (!meant) continue;
        if (auto recorded = record_bypass_of(tenant, approval, context); !recorded) return recorded;
    }
    return {};
}

Result<void> Runs::record_bypass_of(const std::string& tenant, const model::Approval& pending, const Context& context) {
    const auto run = store_.run(tenant, pending.run_id);
    if (!run) return run.error();
    return record_bypass({tenant, run->schedule_id}, {pending.run_id, pending.node, "ended_while_waiting"}, context);
}

Result<void> Runs::record_bypass(const store::ScheduleRef& schedule, const decide::BypassAttempt& attempt,
                                 const Context& context) {
    const auto now = store_.now();
    if (!now) return now.error();
    decide::CompiledPtr of;
    const auto plan = store_.change(schedule, {.now = *now}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        of = facts.schedule;
        return decide::plan_bypass_record(facts, attempt, *now, context);
    });
    if (!plan && plan.error().code == ErrorCode::already_exists) return {};  // recorded before
    if (!plan) return plan.error();
    observer_.decided(of->definition, *plan, *now);
    return {};
}

Result<model::Run> Runs::stop(const std::string& tenant, const std::string& run_id, const Decide& decide) {
    return change(tenant, run_id, decide, true);
}

Result<model::Run> Runs::change(const std::string& tenant, const std::string& run_id, const Decide& decide,
                                bool stand_in) {
    const auto run = store_.run(tenant, run_id);
    if (!run) return run;
    const auto now = store_.now();
    if (!now) return now.error();
    decide::CompiledPtr schedule;
    model::Run before;
    store::FactsRequest needs{.now = *now, .stand_in = stand_in};
    needs.run = run_id;
    const auto plan = store_.change({tenant, run->schedule_id}, needs, [&](const decide::Facts& facts) {
        schedule = facts.schedule;
        before = *facts.run;
        return decide(facts, *now);
    });
    if (!plan) return plan.error();
    observer_.decided(schedule->definition, *plan, *now);
    return run_after(std::move(before), *plan);
}

Result<model::Run> Runs::finish(const std::string& tenant, const std::string& run_id, std::optional<int> attempt,
                                const decide::AttemptEnd& end, const std::string& node, const Context& context) {
    if (attempt) {
        const auto ended = complete(tenant, {{{run_id, *attempt, node}, end}}, context);
        if (!ended) return ended.error();
        if (!ended->front()) return ended->front().error();
        auto run = store_.run(tenant, run_id);
        // The attempt has ended, whatever the code of the read error suggests.
        if (!run)
            return Error{ErrorCode::unknown,
                         "the attempt has ended, but its run could not be read: " + run.error().message};
        return run;
    }
    if (end.usage)
        return Error{ErrorCode::invalid_argument, "usage belongs to an attempt, not to a run: set attempt", "/attempt"};
    std::optional<model::Approval> pending;
    auto finished = stop(tenant, run_id, [&](const decide::Facts& facts, Instant now) -> Result<decide::Plan> {
        const auto waits = std::ranges::find(facts.approvals, model::ApprovalStatus::pending, &model::Approval::status);
        if (waits != facts.approvals.end()) {
            pending = *waits;
            return Error{ErrorCode::conflict, (waits->node.empty() ? std::string("the run") : "node " + waits->node) +
                                                  " waits for approval: approve, reject or cancel it"};
        }
        if (facts.run->execution == model::ExecutionStatus::running) {
            return Error{ErrorCode::conflict, "a worker holds the run: set attempt, or cancel the run", "/attempt"};
        }
        return decide::plan_completion(facts, {run_id, facts.run->execution, end.status, end.result, end.error}, now);
    });
    if (!finished && pending) {
        if (auto recorded = record_bypass_of(tenant, *pending, context); !recorded) return recorded.error();
    }
    return finished;
}

Result<model::Run> Runs::cancel(const std::string& tenant, const std::string& run_id, const std::string& reason) {
    return stop(tenant, run_id, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_completion(
            facts, {run_id, facts.run->execution, model::ExecutionStatus::cancelled, nullptr, reason}, now);
    });
}

Result<model::Run> Runs::terminate(const std::string& tenant, const std::string& run_id, const std::string& reason) {
    return stop(tenant, run_id, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_completion(
            facts, {run_id, facts.run->execution, model::ExecutionStatus::terminated, nullptr, reason}, now);
    });
}

Result<model::Run> Runs::approve(const std::string& tenant, const std::string& run_id,
                                 const decide::ApprovalDecision& decision, const Context& context) {
    return change(tenant, run_id, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_approval(facts, decision, now, context);
    });
}

Result<void> Runs::cancel_waiting(const store::ScheduleRef& ref) {
    const store::RunFilter waiting{
        .tenant = ref.tenant, .schedule_id = ref.id, .state = store::RunState::awaiting_approval};
    store::Page page{.limit = store::kPageMax};
    do {
        const auto runs = store_.runs(waiting, page);
        if (!runs) return runs.error();
        for (const auto& run : runs->items) {
            const auto cancelled = cancel(ref.tenant, run.id, "the schedule was purged");
            // A conflict means that the run was decided in the meantime.
            if (!cancelled && cancelled.error().code != ErrorCode::conflict) return cancelled.error();
        }
        page.after = runs->next;
    } while (!page.after.empty());
    return {};
}

Result<void> Runs::purge(const store::ScheduleRef& ref) {
    if (auto cancelled = cancel_waiting(ref); !cancelled) return cancelled;
    for (int i = 0; i < kPurgeRounds; ++i) {
        const auto purged = store_.purge(ref, kPurgeBatch);
        if (!purged) return purged.error();
        if (*purged < static_cast<std::int64_t>(kPurgeBatch)) break;
    }
    return {};
}

}  // namespace belfry::engine
