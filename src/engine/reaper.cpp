#include "engine/attempts.hpp"
#include "engine/housekeeping.hpp"

namespace belfry::engine {

Reaper::Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : store_(store), observer_(observer), leading_(std::move(leading)), options_(options), trouble_("reaper", observer, std::move(random)) {}

Micros Reaper::step() {
    if (!leading_()) {
        trouble_.pass();  // whoever leads has it now, or not
        return options_.tick;
    }
    const auto now = store_.now();
    if (!now) return trouble_.meet(now.error());
    const auto leases = store_.expired(*now, options_.batch);
    if (!leases) return trouble_.meet(leases.error());
    std::vector<store::Ending> endings;
    for (const auto& lease : *leases) {
        const decide::AttemptEnd end{.status = model::ExecutionStatus::timed_out,
                                     .category = model::FailureCategory::timeout,
                                     .error = "worker " + lease.worker + " stopped sending heartbeats"};
        // The store looks at the lease once more: a heartbeat that came in between keeps it.
        endings.push_back({lease.ref, end, *now});
    }
    if (!endings.empty()) {
        const auto ended = end_attempts(store_, observer_, endings, *now);
        if (!ended) return trouble_.meet(ended.error());
        for (std::size_t i = 0; i < ended->size(); ++i) {
            if ((*ended)[i]) observer_.reaped((*leases)[i].ref.run_id, (*leases)[i].worker);
        }
    }
    trouble_.pass();
    return leases->size() < options_.batch ? options_.tick : Micros{0};
}

}  // namespace belfry::engine
