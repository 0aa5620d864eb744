#include <algorithm>

#include "engine/housekeeping.hpp"
#include "store/registry.hpp"

namespace belfry::engine {

namespace {

constexpr Micros kDoubtedFor = std::chrono::hours{24};  // a step forward, before anything is forgotten by it
constexpr Micros kWaitForLead = Seconds{1};             // a server that does not lead asks again after this

}  // namespace

Janitor::Janitor(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), kWaitForLead, Trouble("janitor", observer, std::move(random))), options_(options) {}

Result<Micros> Janitor::work(Instant now) {
    if (options_.clock != nullptr) now -= options_.clock->moved_within(kDoubtedFor);
    if (after_ == 0) {
        const auto more = forget_rows(now);
        if (!more) return more.error();
        if (*more) return options_.between;
    }
    if (!options_.keep_for && !options_.keep_newest) return options_.every;
    store::PruneRequest request;
    request.after_key = after_;
    request.limit = options_.batch;
    if (options_.keep_for) request.retention.occurred_before = now - *options_.keep_for;
    request.retention.keep_newest = options_.keep_newest;
    const auto outcome = store_.prune_some(request);
    if (!outcome) return outcome.error();
    if (outcome->removed > 0) observer_.pruned(outcome->removed);
    after_ = outcome->next_after.value_or(0);
    return outcome->next_after ? options_.between : options_.every;
}

Result<bool> Janitor::forget_rows(Instant now) {
    const auto requests = store_.prune_requests(now - options_.keep_requests, options_.batch);
    if (!requests) return requests.error();
    const auto budgets = store_.prune_budgets(model::day_of(now) - options_.keep_budgets_for, options_.batch);
    if (!budgets) return budgets.error();
    auto& registry = store_.registry();
    const auto items = registry.prune_feed(now - options_.keep_feed_for, options_.batch);
    if (!items) return items.error();
    const auto deliveries = registry.prune_deliveries(now - options_.keep_deliveries_for, options_.batch);
    if (!deliveries) return deliveries.error();
    return std::max({*requests, *budgets, *items, *deliveries}) == static_cast<std::int64_t>(options_.batch);
}

}  // namespace belfry::engine
