#include <algorithm>
#include <iterator>
#include <tuple>

#include "decide/approval.hpp"
#include "decide/completion.hpp"
#include "engine/attempts.hpp"
#include "engine/housekeeping.hpp"
#include "model/identity.hpp"

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

Quarantined about(const std::string& run_id) {
    return {.key = model::parse_run_id(run_id).value_or(model::RunKey{}).schedule, .subject = "run " + run_id};
}

}  // namespace

Reaper::Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick, Trouble("reaper", observer, std::move(random))),
      options_(options),
      overdue_("reaper", observer, options.quarantine),
      approvals_("reaper", observer, options.quarantine),
      leases_("reaper", observer, options.quarantine) {}

Result<Micros> Reaper::work(Instant now) {
    const auto late = end_overdue(now);
    if (!late) return late.error();
    const auto unapproved = expire_approvals(now);
    if (!unapproved) return unapproved.error();
    const auto expired = end_expired(now);
    if (!expired) return expired.error();
    return *late || *unapproved || *expired ? Micros{0} : options_.tick;
}

void Reaper::leave() {
    for (auto* const backlog : {&overdue_, &approvals_, &leases_}) backlog->leave();
}

std::vector<Quarantined> Reaper::quarantined() const {
    std::vector<Quarantined> all;
    for (const auto* const backlog : {&overdue_, &approvals_, &leases_}) std::ranges::move(backlog->quarantined(), std::back_inserter(all));
    return all;
}

Result<bool> Reaper::end_expired(Instant now) {
    const auto reach = leases_.reach(options_.batch);
    const auto leases = store_.expired(now, reach);
    if (!leases) return leases.error();
    leases_.begin(leases->size(), reach, now);
    const auto item = [](const model::LeaseRef& ref) { return ref.run_id + " " + std::to_string(ref.attempt) + " " + ref.node; };
    std::vector<const model::Lease*> taken;
    std::vector<store::Ending> endings;
    for (const auto& lease : *leases) {
        if (!leases_.takes(item(lease.ref))) continue;
        taken.push_back(&lease);
        // The store looks at the lease once more: a heartbeat that came in between keeps it.
        endings.push_back({lease.ref, end_of(lease), now});
    }
    if (endings.empty()) return leases_.end();
    const auto ended = end_attempts(store_, observer_, endings, now);
    if (!ended) return ended.error();
    for (std::size_t i = 0; i < ended->size(); ++i) {
        const auto& [ref, worker] = std::tie(taken[i]->ref, taken[i]->worker);
        const auto& one = (*ended)[i];
        if (one) observer_.reaped(ref.run_id, worker);
        if (auto error = leases_.note(item(ref), about(ref.run_id), one ? Result<void>() : one.error())) return *error;
    }
    return leases_.end();
}

Result<void> Reaper::decide_run(const std::string& tenant, const std::string& run_id, Instant now, const Decide& decide) {
    const auto run = store_.run(tenant, run_id);
    if (!run) return run.error();
    decide::CompiledPtr schedule;
    // The end of a run looks at no occurrence: it ends also when its schedule cannot be read.
    store::Needs needs{.now = now, .stand_in = true};
    needs.run = run_id;
    const auto plan = store_.change({tenant, run->schedule_id}, needs, [&](const decide::Facts& facts) {
        schedule = facts.schedule;
        return decide(facts);
    });
    if (!plan) return plan.error();
    observer_.decided(schedule->definition, *plan, now);
    return {};
}

Result<bool> Reaper::end_overdue(Instant now) {
    const auto reach = overdue_.reach(options_.batch);
    const auto runs = store_.overdue(now, reach);
    if (!runs) return runs.error();
    overdue_.begin(runs->size(), reach, now);
    for (const auto& late : *runs) {
        if (!overdue_.takes(late.run_id)) continue;
        const auto ended = decide_run(late.tenant, late.run_id, now, [&](const decide::Facts& facts) {
            return decide::plan_completion(
                facts,
                {late.run_id, facts.run->execution, model::ExecutionStatus::timed_out, nullptr, "the run took longer than its workflow allows"}, now);
        });
        if (auto error = overdue_.note(late.run_id, about(late.run_id), ended)) return *error;
    }
    return overdue_.end();
}

Result<bool> Reaper::expire_approvals(Instant now) {
    const auto reach = approvals_.reach(options_.batch);
    const auto found = store_.overdue_approvals(now, reach);
    if (!found) return found.error();
    approvals_.begin(found->size(), reach, now);
    for (const auto& [tenant, approval] : *found) {
        const auto item = approval.run_id + " " + approval.node;
        if (!approvals_.takes(item)) continue;
        const auto& node = approval.node;
        const auto ended = decide_run(tenant, approval.run_id, now,
                                      [&node, now](const decide::Facts& facts) { return decide::plan_approval_expiry(facts, node, now); });
        if (auto error = approvals_.note(item, about(approval.run_id), ended)) return *error;
    }
    return approvals_.end();
}

}  // namespace belfry::engine
