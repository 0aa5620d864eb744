#include "engine/attempts.hpp"
#include "engine/housekeeping.hpp"

namespace belfry::engine {

Reaper::Reaper(store::Store& store, Observer& observer, Leading leading, Options options, Backoff::Random random)
    : Housekeeper(store, observer, std::move(leading), options.tick, Trouble("reaper", observer, std::move(random))), options_(options) {}

Result<Micros> Reaper::work(Instant now) {
    const auto leases = store_.expired(now, options_.batch);
    if (!leases) return leases.error();
    std::vector<store::Ending> endings;
    for (const auto& lease : *leases) {
        const decide::AttemptEnd end{.status = model::ExecutionStatus::timed_out,
                                     .category = model::FailureCategory::timeout,
                                     .error = "worker " + lease.worker + " stopped sending heartbeats"};
        // The store looks at the lease once more: a heartbeat that came in between keeps it.
        endings.push_back({lease.ref, end, now});
    }
    if (!endings.empty()) {
        const auto ended = end_attempts(store_, observer_, endings, now);
        if (!ended) return ended.error();
        for (std::size_t i = 0; i < ended->size(); ++i) {
            if ((*ended)[i]) observer_.reaped((*leases)[i].ref.run_id, (*leases)[i].worker);
        }
    }
    return leases->size() < options_.batch ? options_.tick : Micros{0};
}

}  // namespace belfry::engine
