// Says "this server is here" in time, hears who else is, and leads the housekeeping when the store says so.
//
// The store gives out a term with every change of leadership. A leader trusts its term only inside its window: from the
// moment before it asked (by the monotonic clock) for as long as the lease it asked for. A server that was frozen finds its
// window over and waits for the next answer. Housekeeping is written so that a second leader would do no harm; the term
// keeps two from doing the same work.
//
// Servers accept a step of the store's clock a moment apart. After a step forward the leader attends by the new time at once, and the others
// by the old one for a lease longer: so nobody takes a term whose leader lives. What a later time has left behind is cleared away by a server
// that has believed in its time for kSettledLeases.
#pragma once

#include <atomic>
#include <functional>

#include "base/clock.hpp"
#include "base/clock_guard.hpp"
#include "base/mutex.hpp"
#include "engine/shares.hpp"
#include "engine/trouble.hpp"
#include "engine/worker.hpp"
#include "store/store.hpp"

namespace belfry::engine {

struct AttendantOptions {
    std::string server;  // its id, different with every start
    Micros lease = Seconds{10};
    Micros every = Seconds{3};
    const ClockGuard* clock = nullptr;  // what the store's clock passes through
};

class Attendant final : public Worker {
public:
    // `on_shares` is called on the worker's thread when others came or went.
    // REQUIRES: the store, the clock and the observer outlive it.
    Attendant(store::Store& store, const SteadyClock& steady, Observer& observer, AttendantOptions options, Backoff::Random random,
              std::function<void(const Shares&)> on_shares);

    [[nodiscard]] std::string_view name() const override { return "attendant"; }
    Micros step() override;

    // From any thread: whether this server leads at this moment.
    [[nodiscard]] bool leading() const;
    [[nodiscard]] std::int64_t term() const { return term_; }
    [[nodiscard]] std::size_t servers() const { return servers_; }

    // From any thread: how the store's clock stands, as of the last step.
    [[nodiscard]] ClockState clock() const;

    // Gives up its place, so that others need not wait for the lease. After its last step.
    void leave();

private:
    void take_in(const store::Attendance& attendance, Micros asked_at);
    [[nodiscard]] store::AttendRequest request(Instant now, Micros asked_at) const;
    void look_at_clock(Instant now, Instant newest);

    store::Store& store_;
    const SteadyClock& steady_;
    Observer& observer_;
    const AttendantOptions options_;
    Trouble trouble_;
    std::function<void(const Shares&)> on_shares_;
    Shares shares_;
    std::optional<Micros> began_at_;                  // its first step
    Instant newest_ = {};                             // as the last attendance told it
    std::atomic<std::int64_t> trusted_until_us_ = 0;  // of the monotonic clock
    std::atomic<std::int64_t> term_ = 0;
    std::atomic<std::size_t> servers_ = 1;
    mutable Mutex mutex_;
    ClockState clock_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
