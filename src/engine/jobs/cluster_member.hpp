// Renews this server's membership, learns which other servers are alive, and leads the housekeeping when the store
// elects it.
//
// The store issues a new term with every change of leader. A leader trusts its term for one lease, counted by the
// monotonic clock from the moment before it sent the request. A server that was frozen finds this window closed and
// waits for the next response. Housekeeping is safe with two leaders; the term only keeps two servers from doing the
// same work.
//
// Servers accept a step of the store's clock at slightly different times. After a step forward, the leader renews by
// the new time at once, and the other servers use the old time for one more lease. So no server takes the term of a
// living leader. After a step backward, records with a later time remain; a server removes them once it has trusted
// its time for kSettledLeases leases.
#pragma once

#include <atomic>
#include <functional>

#include "base/concurrency/mutex.hpp"
#include "base/time/clock.hpp"
#include "base/time/clock_guard.hpp"
#include "engine/jobs/background_job.hpp"
#include "engine/jobs/failure_tracker.hpp"
#include "engine/jobs/shard_assignment.hpp"
#include "store/cluster_store.hpp"

namespace belfry::engine {

struct ClusterMemberOptions {
    std::string server;  // this server's id, new with every start
    Micros lease = Seconds{10};
    Micros every = Seconds{3};
    const ClockGuard* clock = nullptr;  // the guard that filters the store's clock
};

class ClusterMember final : public BackgroundJob {
public:
    // `on_shares` runs on the job's thread when a server joined or left. REQUIRES: the store, the clock and the
    // observer outlive it.
    ClusterMember(store::ClusterStore& store, const SteadyClock& steady, Observer& observer,
                  ClusterMemberOptions options, Backoff::Random random,
                  std::function<void(const ShardAssignment&)> on_shares);

    [[nodiscard]] std::string_view name() const override { return "cluster member"; }
    Micros step() override;

    // From any thread: whether this server leads now.
    [[nodiscard]] bool leading() const;
    [[nodiscard]] std::int64_t term() const { return term_; }
    [[nodiscard]] std::size_t servers() const { return servers_; }

    // From any thread: the state of the store's clock as of the last step.
    [[nodiscard]] ClockState clock() const;

    // Ends the membership, so that other servers need not wait for its lease. Call after the last step.
    void leave();

private:
    void take_in(const store::ClusterView& view, Micros asked_at);
    [[nodiscard]] store::MembershipRequest request(Instant now, Micros asked_at) const;
    void look_at_clock(Instant now, Instant newest);

    store::ClusterStore& store_;
    const SteadyClock& steady_;
    Observer& observer_;
    const ClusterMemberOptions options_;
    FailureTracker failures_;
    std::function<void(const ShardAssignment&)> on_shares_;
    ShardAssignment shares_;
    std::optional<Micros> began_at_;                  // the time of the first step
    Instant newest_ = {};                             // from the last view
    std::atomic<std::int64_t> trusted_until_us_ = 0;  // by the monotonic clock
    std::atomic<std::int64_t> term_ = 0;
    std::atomic<std::size_t> servers_ = 1;
    mutable Mutex mutex_;
    ClockState clock_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
