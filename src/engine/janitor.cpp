#include "engine/housekeeping.hpp"

namespace belfry::engine {

namespace {

constexpr Micros kWaitForLead = Seconds{1};  // a server that does not lead asks again after this

}  // namespace

Janitor::Janitor(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : store_(store), observer_(observer), leading_(std::move(leading)), options_(options), trouble_("janitor", observer, std::move(random)) {}

Micros Janitor::step() {
    if (!options_.keep_for && !options_.keep_newest) return options_.every;
    if (!leading_()) {
        trouble_.pass();  // whoever leads has it now, or not
        return kWaitForLead;
    }
    const auto now = store_.now();
    if (!now) return trouble_.meet(now.error());
    store::PruneRequest request;
    request.after_key = after_;
    request.limit = options_.batch;
    if (options_.keep_for) request.retention.occurred_before = *now - *options_.keep_for;
    request.retention.keep_newest = options_.keep_newest;
    const auto outcome = store_.prune_some(request);
    if (!outcome) return trouble_.meet(outcome.error());
    trouble_.pass();
    if (outcome->removed > 0) observer_.pruned(outcome->removed);
    after_ = outcome->next_after.value_or(0);
    return outcome->next_after ? options_.between : options_.every;
}

}  // namespace belfry::engine
