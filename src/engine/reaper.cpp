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

// Other servers may accept a step before this one does, and leases that they give by the new time would look as if they had run out.
bool is_in_doubt(const ClockGuard* clock) { return clock != nullptr && clock->reading().pending; }

Result<void> end_all(store::Store& store, Observer& observer, const std::vector<model::Lease>& leases, Instant now) {
    std::vector<store::Ending> endings;
    for (const auto& lease : leases) {
        // The store looks at the lease once more: a heartbeat that came in between keeps it.
        endings.push_back({lease.ref, end_of(lease), now});
    }
    const auto ended = end_attempts(store, observer, endings, now);
    if (!ended) return ended.error();
    for (std::size_t i = 0; i < ended->size(); ++i) {
        if ((*ended)[i]) observer.reaped(leases[i].ref.run_id, leases[i].worker);
    }
    return {};
}

}  // namespace

Reaper::Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick, Trouble("reaper", observer, std::move(random))), options_(options) {}

Result<Micros> Reaper::work(Instant now) {
    const auto late = end_overdue(now);
    if (!late) return late.error();
    const auto unapproved = expire_approvals(now);
    if (!unapproved) return unapproved.error();
    if (is_in_doubt(options_.clock)) return options_.tick;
    const auto leases = store_.expired(now, options_.batch);
    if (!leases) return leases.error();
    if (auto ended = end_leases(*leases, now); !ended) return ended.error();
    const bool all = leases->size() < options_.batch && *late < options_.batch && *unapproved < options_.batch;
    return all ? options_.tick : Micros{0};
}

Micros Reaper::moved(const model::Lease& lease, Instant now) const {
    if (lease.renewed > now + kClockTolerance) return now - lease.renewed;
    return options_.clock != nullptr ? options_.clock->moved_since(lease.renewed) : Micros{0};
}

Result<void> Reaper::end_leases(const std::vector<model::Lease>& leases, Instant now) {
    if (leases.empty()) return {};
    // Asked for once more: what was renewed while this step took its time is not of a later one.
    const auto fresh = store_.now();
    if (!fresh) return fresh.error();
    if (is_in_doubt(options_.clock)) return {};
    std::vector<store::Redated> redated;
    std::vector<model::Lease> over;
    for (const auto& lease : leases) {
        if (const auto by = moved(lease, *fresh); by != Micros{0}) {
            redated.push_back({lease, by});
        } else if (lease.until < now) {
            over.push_back(lease);
        }
    }
    if (!redated.empty()) {
        if (auto done = store_.redate(redated, *fresh); !done) return done;
    }
    return over.empty() ? Result<void>() : end_all(store_, observer_, over, now);
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
