#include <algorithm>
#include <iterator>
#include <tuple>

#include "decide/approval/approval.hpp"
#include "decide/run/completion.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/usecases/attempts.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

namespace {

bool took_too_long(const model::Lease& lease) { return lease.deadline && lease.until >= *lease.deadline; }

std::string why(const model::Lease& lease) {
    if (took_too_long(lease)) return "the attempt took longer than its timeout";
    return "worker " + lease.worker + " stopped sending heartbeats";
}

decide::AttemptEnd end_of(const model::Lease& lease) {
    if (!model::is_publisher(lease.worker)) {
        // The receiver behind a connection sends no heartbeats, so its time has ended and no worker was lost.
        const bool lost = !took_too_long(lease) && !model::is_handed_over(lease.worker);
        return {.status = model::ExecutionStatus::timed_out,
                .category = model::FailureCategory::timeout,
                .error = why(lease),
                .worker_lost = lost};
    }
    // It is unknown whether the message was delivered, so it is sent again, under the same key.
    return {.status = model::ExecutionStatus::failed,
            .error = "the server stopped before it delivered the task",
            .put_back = true};
}

// Other servers may accept a clock step before this one does. Leases that they grant by the new time would look
// expired here.
bool is_in_doubt(const ClockGuard* clock) { return clock != nullptr && clock->reading().pending; }

std::string item_of(const model::Lease& lease) {
    return lease.ref.run_id + " " + std::to_string(lease.ref.attempt) + " " + lease.ref.node;
}

Quarantined about(const std::string& run_id) {
    return {.key = model::parse_run_id(run_id).value_or(model::RunKey{}).schedule, .subject = "run " + run_id};
}

}  // namespace

Reaper::Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick,
                  FailureTracker("reaper", observer, std::move(random))),
      store_(store),
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

void Reaper::rest(bool leading) {
    if (leading) return;
    for (auto* const backlog : {&overdue_, &approvals_, &leases_}) backlog->leave();
}

std::vector<Quarantined> Reaper::quarantined() const {
    std::vector<Quarantined> all;
    for (const auto* const backlog : {&overdue_, &approvals_, &leases_})
        std::ranges::move(backlog->quarantined(), std::back_inserter(all));
    return all;
}

// Moves back the leases that a clock step has moved, and ends the others.
Result<bool> Reaper::end_expired(Instant now) {
    if (is_in_doubt(options_.clock)) return false;
    const auto reach = leases_.reach(options_.batch);
    const auto leases = store_.expired(now, reach);
    if (!leases) return leases.error();
    leases_.begin(leases->size(), reach, now);
    if (leases->empty()) return leases_.end();
    // Read the time again: leases that were renewed during this step must not look as if they came from the future.
    const auto fresh = store_.now();
    if (!fresh) return fresh.error();
    if (is_in_doubt(options_.clock)) return false;
    std::vector<store::Redated> redated;
    std::vector<model::Lease> over;
    for (const auto& lease : *leases) {
        if (!leases_.takes(item_of(lease))) continue;
        if (const auto by = moved(lease, *fresh); by != Micros{0}) {
            redated.push_back({lease, by});
        } else if (lease.until < now) {
            over.push_back(lease);
        }
    }
    if (!redated.empty()) {
        if (auto done = store_.redate(redated, *fresh); !done) return done.error();
        for (const auto& each : redated) (void)leases_.note(item_of(each.lease), about(each.lease.ref.run_id), {});
    }
    if (auto ended = end_all(over, now); !ended) return ended.error();
    return leases_.end();
}

Result<void> Reaper::end_all(const std::vector<model::Lease>& leases, Instant now) {
    if (leases.empty()) return {};
    std::vector<store::AttemptReport> reports;
    // The store checks the lease again: a heartbeat in between keeps it, even through a server whose clock is behind.
    for (const auto& lease : leases)
        reports.push_back(
            {.lease = lease.ref, .end = end_of(lease), .expired_before = now, .renewed_at = lease.renewed});
    const auto ended = end_attempts(store_, observer_, reports, now);
    if (!ended) return ended.error();
    for (std::size_t i = 0; i < ended->size(); ++i) {
        const auto& lease = leases[i];
        const auto& one = (*ended)[i];
        if (one) observer_.reaped(lease.ref.run_id, lease.worker);
        if (auto error = leases_.note(item_of(lease), about(lease.ref.run_id), one ? Result<void>() : one.error()))
            return *error;
    }
    return {};
}

Micros Reaper::moved(const model::Lease& lease, Instant now) const {
    if (lease.renewed > now + kClockTolerance) return now - lease.renewed;
    return options_.clock != nullptr ? options_.clock->moved_since(lease.renewed) : Micros{0};
}

Result<void> Reaper::decide_run(const std::string& tenant, const std::string& run_id, Instant now,
                                const Decide& decide) {
    const auto run = store_.run(tenant, run_id);
    if (!run) return run.error();
    decide::CompiledPtr schedule;
    // The end of a run decides no occurrence, so it works even if the schedule cannot be read.
    store::FactsRequest needs{.now = now, .stand_in = true};
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
            return decide::plan_completion(facts,
                                           {late.run_id, facts.run->execution, model::ExecutionStatus::timed_out,
                                            nullptr, "the run took longer than its workflow allows"},
                                           now);
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
        const auto ended = decide_run(tenant, approval.run_id, now, [&node, now](const decide::Facts& facts) {
            return decide::plan_approval_expiry(facts, node, now);
        });
        if (auto error = approvals_.note(item, about(approval.run_id), ended)) return *error;
    }
    return approvals_.end();
}

}  // namespace belfry::engine
