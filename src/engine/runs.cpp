#include "engine/runs.hpp"

#include <algorithm>
#include <set>

#include "decide/completion.hpp"
#include "engine/attempts.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

namespace {

// The run as the plan leaves it. Not read again: it is done, and an error of that reading would say that it is not.
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
    auto tasks = store_.claim({claim.tenant, claim.queue, claim.worker, claim.limit, *now, claim.lease, claim.assignee});
    if (!tasks) return tasks;
    for (const auto& task : *tasks) observer_.claimed(task, *now);
    return tasks;
}

namespace {

// A lease does not say whose it is, but its run names the schedule.
std::optional<Error> leave_to_tenant(store::Store& store, const std::string& tenant, std::vector<model::LeaseRef>& leases) {
    std::vector<std::int64_t> keys;
    for (const auto& lease : leases) {
        if (const auto run = model::parse_run_id(lease.run_id)) keys.push_back(run->schedule);
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const auto found = store.look(keys);
    if (!found) return found.error();
    std::set<std::int64_t> own;
    for (const auto& each : *found) {
        if (each.tenant == model::key_of(tenant)) own.insert(each.key);
    }
    std::erase_if(leases, [&own](const model::LeaseRef& lease) {
        const auto run = model::parse_run_id(lease.run_id);
        return !run || !own.contains(run->schedule);
    });
    return std::nullopt;
}

}  // namespace

Result<std::vector<model::LeaseRef>> Runs::heartbeat(std::vector<model::LeaseRef> leases, Micros lease, const std::string& tenant) {
    if (!tenant.empty()) {
        if (auto error = leave_to_tenant(store_, tenant, leases)) return *error;
    }
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.heartbeat(leases, *now + lease);
}

Result<std::vector<model::LeaseRef>> Runs::pass_on(const std::vector<store::PassedOn>& leases) {
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.pass_on(leases, *now);
}

Result<std::vector<Result<decide::AttemptPlan>>> Runs::complete(const std::string& tenant, const std::vector<Ending>& endings) {
    const auto now = store_.now();
    if (!now) return now.error();
    std::vector<store::Ending> all;
    for (const auto& ending : endings) all.push_back({ending.lease, ending.end, {}});
    return end_attempts(store_, observer_, all, *now, tenant);
}

Result<model::Run> Runs::change(const std::string& tenant, const std::string& run_id, const Decide& decide) {
    const auto run = store_.run(tenant, run_id);
    if (!run) return run;
    const auto now = store_.now();
    if (!now) return now.error();
    decide::CompiledPtr schedule;
    model::Run before;
    store::Needs needs{.now = *now};
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

Result<model::Run> Runs::finish(const std::string& tenant, const std::string& run_id, std::optional<int> attempt, const decide::AttemptEnd& end,
                                const std::string& node) {
    if (attempt) {
        const auto ended = complete(tenant, {{{run_id, *attempt, node}, end}});
        if (!ended) return ended.error();
        if (!ended->front()) return ended->front().error();
        auto run = store_.run(tenant, run_id);
        // It has ended, whatever that error promises.
        if (!run) return Error{ErrorCode::unknown, "the attempt has ended, but its run could not be read: " + run.error().message};
        return run;
    }
    return change(tenant, run_id, [&](const decide::Facts& facts, Instant now) -> Result<decide::Plan> {
        if (facts.run->execution == model::ExecutionStatus::running) {
            return Error{ErrorCode::conflict, "a worker holds the run: name its attempt, or cancel the run", "/attempt"};
        }
        return decide::plan_completion(facts, {run_id, facts.run->execution, end.status, end.result, end.error}, now);
    });
}

Result<model::Run> Runs::cancel(const std::string& tenant, const std::string& run_id, const std::string& reason) {
    return change(tenant, run_id, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_completion(facts, {run_id, facts.run->execution, model::ExecutionStatus::cancelled, nullptr, reason}, now);
    });
}

Result<model::Run> Runs::terminate(const std::string& tenant, const std::string& run_id, const std::string& reason) {
    return change(tenant, run_id, [&](const decide::Facts& facts, Instant now) {
        return decide::plan_completion(facts, {run_id, facts.run->execution, model::ExecutionStatus::terminated, nullptr, reason}, now);
    });
}

Result<model::Run> Runs::approve(const std::string& tenant, const std::string& run_id, const decide::ApprovalDecision& decision,
                                 const Context& context) {
    return change(tenant, run_id, [&](const decide::Facts& facts, Instant now) { return decide::plan_approval(facts, decision, now, context); });
}

}  // namespace belfry::engine
