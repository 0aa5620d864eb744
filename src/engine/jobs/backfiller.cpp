#include "decide/schedule/backfill.hpp"

#include <algorithm>

#include "engine/jobs/housekeeping.hpp"
#include "engine/usecases/no_op_plan.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

using model::BackfillStatus;

namespace {

constexpr std::size_t kBackfillsWaitingMax = 10'000;  // waiting backfills that are read beside those that take turns

// The last occurrence of the next page.
Instant reach_of(const decide::Facts& facts, const model::Backfill& backfill, int page) {
    const auto from = backfill.next_from.value_or(backfill.from);
    const auto occurrences = facts.schedule->spec.between(from, backfill.to, static_cast<std::size_t>(page));
    return occurrences.empty() ? from : occurrences.back();
}

// Plans one page and the state of the backfill after it. A backfill that cannot continue fails with the reason; one
// that waits for a run to end stays unchanged.
Result<store::BackfillStep> plan_page(const decide::Facts& facts, model::Backfill backfill, Instant now, int page) {
    const decide::BackfillRequest request{backfill.next_from.value_or(backfill.from), backfill.to, backfill.overlap,
                                          backfill.concurrency, backfill.rerun};
    auto planned =
        decide::plan_backfill(facts, request, now, page, {.principal = backfill.created_by, .source = "backfill"});
    if (planned && planned->waits && planned->plan.empty() && planned->next_from == backfill.next_from) {
        return store::BackfillStep{no_op_plan(facts), std::move(backfill)};
    }
    backfill.updated_at = now;
    backfill.version += 1;
    if (!planned) {
        backfill.status = BackfillStatus::failed;
        backfill.error = planned.error().message;
        return store::BackfillStep{no_op_plan(facts), backfill};
    }
    for (const auto& run : planned->plan.runs) {
        (run.dispatch == model::DispatchStatus::dispatched ? backfill.dispatched : backfill.skipped) += 1;
    }
    backfill.next_from = planned->next_from;
    if (!planned->next_from) backfill.status = BackfillStatus::completed;
    return store::BackfillStep{std::move(planned->plan), backfill};
}

}  // namespace

Backfiller::Backfiller(store::ScheduleStore& store, Observer& observer, Leading leading, Options options,
                       Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick,
                  FailureTracker("backfiller", observer, std::move(random))),
      store_(store),
      options_(options),
      backlog_("backfiller", observer, options.quarantine) {}

Result<Micros> Backfiller::work(Instant now) {
    const auto reach = backlog_.reach(options_.at_once + std::min(waiting_, kBackfillsWaitingMax));
    waiting_ = 0;
    const auto running = store_.running_backfills(reach);
    if (!running) return running.error();
    backlog_.begin(running->size(), reach, now);
    bool more = false;
    for (const auto& [tenant, backfill] : *running) {
        if (!backlog_.takes(backfill.id)) continue;
        const auto left = work_off(tenant, backfill, now);
        const Quarantined about{.key = model::key_of(backfill.schedule_id),
                                .schedule_id = backfill.schedule_id,
                                .subject = "backfill " + backfill.id};
        if (auto error = backlog_.note(backfill.id, about, left ? Result<void>() : left.error())) return *error;
        more = more || (left && *left);
    }
    // Waiting backfills do not hold up the others: the next pass reads that many more, up to the maximum.
    const bool another = backlog_.end() && waiting_ < kBackfillsWaitingMax;
    return another || more ? Micros{0} : options_.tick;
}

Result<bool> Backfiller::work_off(const std::string& tenant, const model::Backfill& backfill, Instant now) {
    const auto from = backfill.next_from.value_or(backfill.from);
    const auto known = reach_.find(backfill.id);
    const auto reach = std::max(from, known == reach_.end() ? from : known->second);
    decide::CompiledPtr schedule;
    bool looked_only = false;
    bool waits = false;
    const auto planner = [&](const decide::Facts& facts, const model::Backfill& stored) -> Result<store::BackfillStep> {
        schedule = facts.schedule;
        if (stored.status != BackfillStatus::running) return store::BackfillStep{no_op_plan(facts), stored};
        const auto needed = reach_of(facts, stored, options_.page);
        reach_[backfill.id] = needed;
        // The facts do not reach that far, so the next step requests more. The store rejects a step without progress.
        looked_only = stored.next_from != backfill.next_from || needed > reach;
        if (looked_only) return store::BackfillStep{no_op_plan(facts), stored};
        auto page = plan_page(facts, stored, now, options_.page);
        waits = page && page->backfill.version == stored.version;
        return page;
    };
    store::FactsRequest needs{.now = now, .in_flight = true};
    needs.slots = std::pair{from, reach + model::kRerunSpan};
    const auto step = store_.step_backfill(tenant, backfill.id, needs, planner);
    if (looked_only) return true;
    if (waits) {
        ++waiting_;
        return false;
    }
    if (!step) {
        // Another server has advanced it, or a client has removed it.
        const auto code = step.error().code;
        if (code == ErrorCode::conflict || code == ErrorCode::not_found) return false;
        if (code == ErrorCode::corrupt) return end_with_schedule(tenant, backfill, step.error(), now);
        return step.error();
    }
    if (!step->plan.empty() && schedule) observer_.decided(schedule->definition, step->plan, now);
    if (step->backfill.version != backfill.version) observer_.backfilled(tenant, step->backfill);
    if (step->backfill.status == BackfillStatus::running) return true;
    reach_.erase(backfill.id);
    return false;
}

// The backfill's schedule cannot be read. If the schedule is deleted, the backfill ends. Otherwise an operator may
// still repair it.
Result<bool> Backfiller::end_with_schedule(const std::string& tenant, const model::Backfill& backfill,
                                           const Error& unreadable, Instant now) {
    const auto planner = [&](const decide::Facts& facts, model::Backfill stored) -> Result<store::BackfillStep> {
        if (facts.state.status != model::ScheduleStatus::deleted || is_over(stored.status)) return unreadable;
        stored.status = BackfillStatus::cancelled;
        stored.error = "the schedule was deleted";
        stored.updated_at = now;
        stored.version += 1;
        return store::BackfillStep{no_op_plan(facts), stored};
    };
    const auto step = store_.step_backfill(tenant, backfill.id, {.now = now, .stand_in = true}, planner);
    if (!step) return step.error();
    observer_.backfilled(tenant, step->backfill);
    reach_.erase(backfill.id);
    return false;
}

}  // namespace belfry::engine
