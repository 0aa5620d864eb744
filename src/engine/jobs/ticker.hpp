// Fires schedules on time.
//
// The ticker keeps every schedule's next fire time in memory and sleeps until the earliest. Then it lets the store
// decide the due rows, one transaction per batch. Memory only shows where to look. The transaction locks the row,
// compares its stored time with the store's clock, decides from the stored facts, and commits the runs, the audit
// events, the counters and the new cursor together. So when the process dies
//
//   before the commit   nothing has happened, and the schedule is still due
//   after the commit    the cursor has moved with the runs, so no server can decide the occurrence again
//   during the commit   the store finds out which it was, or returns `unknown`: then the ticker reads the rows again
//
// Memory learns of changes in three ways: notifications arrive at once, a sweep reads all cursors regularly, and
// every tick returns the new times of its schedules.
//
// With several servers, each handles its own shard first. The ticker checks overdue schedules of other shards a
// moment later, first without a lock. So a dead or frozen server delays its shard by that moment, and a living one is
// not disturbed.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/time/clock.hpp"
#include "decide/facts.hpp"
#include "engine/jobs/background_job.hpp"
#include "engine/jobs/failure_tracker.hpp"
#include "engine/jobs/parallel_batches.hpp"
#include "engine/jobs/quarantine.hpp"
#include "engine/jobs/shard_assignment.hpp"
#include "engine/jobs/timer.hpp"
#include "engine/outgoing/signals.hpp"
#include "engine/telemetry/observer.hpp"
#include "store/notification.hpp"
#include "store/schedule_store.hpp"

namespace belfry::engine {

struct TickerOptions {
    Micros tick = Seconds{1};                  // TICK_MS: the longest sleep
    decide::Limits limits = {};                // MAX_CATCHUP_PER_TICK, LOOKAHEAD_MS
    std::size_t batch = store::kTickBatchMax;  // schedules in one transaction
    std::size_t parallelism = 1;               // concurrent transactions
    int runs_per_batch = 10'000;               // runs in one transaction; the rest follow in the next
    // How long the decisions of one transaction may take; the rest follow in the next. A database ends a transaction
    // that is idle for a few seconds, and the same batch would take too long again.
    Micros planning = Seconds{1};
    Micros help_after = std::chrono::milliseconds{250};  // how long to leave an overdue schedule to its own server
    Micros sweep_every = Seconds{20};                    // how often to read all cursors
    Micros sweep_least = Seconds{1};                     // the shortest time between two sweeps
    QuarantineWaits quarantine = {};
};

class Ticker final : public BackgroundJob {
public:
    // REQUIRES: the store, the clock and the observer outlive it.
    Ticker(store::ScheduleStore& store, const SteadyClock& steady, Observer& observer, TickerOptions options,
           Backoff::Random random);

    [[nodiscard]] std::string_view name() const override { return "ticker"; }
    Micros step() override;

    // From any thread; the next step applies it.
    void on_notification(const store::Notification& notification);
    void share(const ShardAssignment& shares);

    // Call before the first step. Sets the source of signal answers; without it they are null. REQUIRES: it outlives
    // the ticker's steps.
    void ask(Signals& signals) { signals_ = &signals; }

    // From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const { return quarantine_.all(); }
    struct Standing {
        std::size_t schedules = 0;              // in memory
        bool complete = false;                  // a sweep has read all of them since the start
        std::optional<Instant> last_step = {};  // the store's time at the last successful step
        std::optional<Instant> next_fire = {};
        Micros silent_for = Micros::max();  // since that step, by the monotonic clock
    };
    [[nodiscard]] Standing standing() const;
    [[nodiscard]] Micros longest_sleep() const { return options_.tick; }
    // Returns a tenant's schedules by fire time and then by key: those after `after` and not after `until`, at most
    // `limit`. From memory: a schedule that fires right now still has its old time, and a quarantined one has that of
    // its next attempt. Reads all schedules, but blocks the ticker for only a small part of them at a time.
    [[nodiscard]] std::vector<store::Upcoming> upcoming(std::int64_t tenant,
                                                        const std::optional<store::Upcoming>& after,
                                                        std::optional<Instant> until, std::size_t limit) const;

private:
    struct Inbox {
        std::vector<store::ScheduleMoved> moved;
        bool look_again = false;
        std::optional<ShardAssignment> shares;
    };

    void read_inbox();
    void place(std::int64_t key, std::int64_t tenant, std::optional<Instant> at);
    // The schedule was decided and has more occurrences that are due.
    void place_behind(std::int64_t key, std::int64_t tenant, Instant now);
    void put(std::int64_t key, std::int64_t tenant, std::optional<Instant> at, bool behind = false)
        BELFRY_REQUIRES(timers_mutex_);
    [[nodiscard]] std::int64_t tenant_of(std::int64_t key) const BELFRY_REQUIRES(timers_mutex_);
    void look_later(std::int64_t key, Instant now);
    struct Picked {
        std::vector<std::int64_t> fresh = {};
        std::vector<std::int64_t> behind = {};
    };
    [[nodiscard]] Result<Picked> pick(Instant now);
    // The schedules that one transaction decides.
    struct Batch {
        std::vector<std::int64_t> keys = {};
        bool behind = false;  // they have a backlog: schedules that are on time must not wait long for them
        Result<store::TickOutcome> outcome = Error{};
        std::unordered_map<std::int64_t, Micros> waiting = {};  // for a signal, and for how long at most
        std::vector<decide::CompiledPtr> decided = {};          // in order; twice if the store repeated the decision
        Micros took = {};
        Instant committed_at = {};
    };
    [[nodiscard]] Result<void> tick(const Picked& picked, Instant now);
    [[nodiscard]] std::size_t behind_most() const;
    void add_batches(std::vector<Batch>& batches, const std::vector<std::int64_t>& keys, bool behind) const;
    void decide(Batch& batch, Instant now);
    // Puts the schedules of the batch into the timers again and reports what was decided. Runs on any thread.
    void settle(const Batch& batch, Instant now) BELFRY_REQUIRES(settling_);
    void report(const Batch& batch);
    // After a batch took too long and failed, halves the batch size; after success, doubles it again.
    void resize(const std::vector<Batch>& batches);
    // Also finds schedules whose buffered runs a tick may release: dispatch was off at their turn, or a notification
    // was lost.
    [[nodiscard]] Result<void> sweep(Instant now);
    [[nodiscard]] Micros time_to_wait(Instant now);
    void note_standing(Instant now);

    store::ScheduleStore& store_;
    const SteadyClock& steady_;
    Observer& observer_;
    const TickerOptions options_;
    Signals* signals_ = nullptr;
    FailureTracker failures_;
    ParallelBatches batches_;
    Quarantine quarantine_;
    std::size_t batch_;     // current number of schedules in one transaction
    Micros asked_at_ = {};  // when this step read the store's time, by the monotonic clock

    Mutex settling_;
    ShardAssignment shares_;
    // Only step() and the threads that it waits for write, under the lock, so that upcoming() may read under it. step()
    // reads without it.
    mutable Mutex timers_mutex_;
    Timer mine_;
    Timer others_;  // other shards, by fire time; checked `help_after` later
    Timer behind_;  // this server's schedules with a backlog, in turn

    // The current sweep, or the next one.
    bool sweeping_ = true;
    bool swept_once_ = false;
    bool sweep_again_ = false;
    std::int64_t sweep_after_ = 0;
    Micros sweep_began_ = {};

    mutable Mutex mutex_;
    Inbox inbox_ BELFRY_GUARDED_BY(mutex_);
    Standing standing_ BELFRY_GUARDED_BY(mutex_);
    Micros stepped_at_ BELFRY_GUARDED_BY(mutex_) = {};
};

}  // namespace belfry::engine
