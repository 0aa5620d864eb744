#include "decide/approval.hpp"
#include "decide/completion.hpp"
#include "engine/attempts.hpp"
#include "engine/housekeeping.hpp"

namespace belfry::engine {

namespace {

std::string why(const model::Lease& lease) {
    if (lease.deadline && lease.until >= *lease.deadline) return "the attempt took longer than its timeout";
    return "worker " + lease.worker + " stopped sending heartbeats";
}

decide::AttemptEnd end_of(const model::Lease& lease) {
    if (!model::is_courier(lease.worker)) {
        return {.status = model::ExecutionStatus::timed_out, .category = model::FailureCategory::timeout, .error = why(lease)};
    }
    // Nobody knows whether it was handed over: it is, once more, under the same key.
    return {.status = model::ExecutionStatus::failed, .error = "its server ended before it was handed over", .put_back = true};
}

}  // namespace

Reaper::Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick, Trouble("reaper", observer, std::move(random))), options_(options) {}

Result<Micros> Reaper::work(Instant now) {
    const auto late = end_overdue(now);
    if (!late) return late.error();
    const auto unapproved = expire_approvals(now);
    if (!unapproved) return unapproved.error();
    const auto leases = store_.expired(now, options_.batch);
    if (!leases) return leases.error();
    std::vector<store::Ending> endings;
    for (const auto& lease : *leases) {
        // The store looks at the lease once more: a heartbeat that came in between keeps it.
        endings.push_back({lease.ref, end_of(lease), now});
    }
    if (!endings.empty()) {
        const auto ended = end_attempts(store_, observer_, endings, now);
        if (!ended) return ended.error();
        for (std::size_t i = 0; i < ended->size(); ++i) {
            if ((*ended)[i]) observer_.reaped((*leases)[i].ref.run_id, (*leases)[i].worker);
        }
    }
    const bool all = leases->size() < options_.batch && *late < options_.batch && *unapproved < options_.batch;
    return all ? options_.tick : Micros{0};
}

Result<void> Reaper::decide_run(const std::string& tenant, const std::string& run_id, Instant now, const Decide& decide) {
    const auto run = store_.run(tenant, run_id);
    if (!run) return {};  // forgotten meanwhile
    decide::CompiledPtr schedule;
    store::Needs needs{.now = now};
    needs.run = run_id;
    const auto plan = store_.change({tenant, run->schedule_id}, needs, [&](const decide::Facts& facts) {
        schedule = facts.schedule;
        return decide(facts);
    });
    if (plan) {
        observer_.decided(schedule->definition, *plan, now);
    } else if (plan.error().code != ErrorCode::conflict) {
        return plan.error();
    }
    return {};
}

Result<std::size_t> Reaper::end_overdue(Instant now) {
    const auto runs = store_.overdue(now, options_.batch);
    if (!runs) return runs.error();
    for (const auto& late : *runs) {
        const auto ended = decide_run(late.tenant, late.run_id, now, [&](const decide::Facts& facts) {
            return decide::plan_completion(
                facts,
                {late.run_id, facts.run->execution, model::ExecutionStatus::timed_out, nullptr, "the run took longer than its workflow allows"}, now);
        });
        if (!ended) return ended.error();
    }
    return runs->size();
}

Result<std::size_t> Reaper::expire_approvals(Instant now) {
    const auto overdue = store_.overdue_approvals(now, options_.batch);
    if (!overdue) return overdue.error();
    for (const auto& [tenant, approval] : *overdue) {
        const auto& node = approval.node;
        const auto ended = decide_run(tenant, approval.run_id, now,
                                      [&node, now](const decide::Facts& facts) { return decide::plan_approval_expiry(facts, node, now); });
        if (!ended) return ended.error();
    }
    return overdue->size();
}

}  // namespace belfry::engine
