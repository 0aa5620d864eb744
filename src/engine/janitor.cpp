#include <utility>

#include "engine/housekeeping.hpp"
#include "store/registry.hpp"

namespace belfry::engine {

namespace {

constexpr Micros kWaitForLead = Seconds{1};  // a server that does not lead asks again after this

}  // namespace

Janitor::Janitor(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), kWaitForLead, Trouble("janitor", observer, std::move(random))), options_(options) {}

Result<Micros> Janitor::work(Instant now) {
    const auto done = forget_some(now);
    if (!done) return done.error();
    if (!*done) return options_.between;
    const bool last = chore_ == Chore::deliveries;
    chore_ = last ? Chore::requests : static_cast<Chore>(static_cast<int>(chore_) + 1);
    return last ? options_.every : options_.between;
}

Result<bool> Janitor::forget_some(Instant now) {
    if (chore_ == Chore::runs) return forget_runs(now);
    const auto removed = forget_rows(now);
    if (!removed) return removed.error();
    return std::cmp_less(*removed, options_.batch);
}

Result<std::int64_t> Janitor::forget_rows(Instant now) {
    if (chore_ == Chore::requests) return store_.prune_requests(now - options_.keep_requests, options_.batch);
    if (chore_ == Chore::feed) return store_.registry().prune_feed(now - options_.keep_feed_for, options_.batch);
    return store_.registry().prune_deliveries(now - options_.keep_deliveries_for, options_.batch);
}

Result<bool> Janitor::forget_runs(Instant now) {
    if (!options_.keep_for && !options_.keep_newest) return true;
    store::PruneRequest request;
    request.after_key = after_;
    request.limit = options_.batch;
    if (options_.keep_for) request.retention.occurred_before = now - *options_.keep_for;
    request.retention.keep_newest = options_.keep_newest;
    const auto outcome = store_.prune_some(request);
    if (!outcome) return outcome.error();
    if (outcome->removed > 0) observer_.pruned(outcome->removed);
    after_ = outcome->next_after.value_or(0);
    return !outcome->next_after;
}

}  // namespace belfry::engine
