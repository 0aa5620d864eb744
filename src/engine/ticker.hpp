// Fires schedules on time.
//
// It keeps every schedule's next fire time in memory, sleeps until the earliest, and then asks the store to decide the rows
// in one transaction per batch. Memory only says where to look. In the transaction the row is locked, its stored time is
// compared with the store's clock, the decision is made from what the store says, and the runs, the audit events, the
// counters and the new cursor are committed together. So, when the process dies
//
//   before the commit   nothing has happened, and whoever looks next finds the schedule as due as before
//   after the commit    the cursor has moved with the runs; nobody can decide the occurrence again
//   inside the commit   the store finds out which of the two it was, or says `unknown`: then the rows are looked at again
//
// What memory does not know yet arrives in three ways: announcements of other changes at once, a sweep over all cursors
// now and then, and the answers of the ticks themselves.
//
// With several servers each looks after its share first. What another should have fired is looked at a moment later, first
// without a lock; so a server that is dead or frozen delays its share by that moment, and one that lives is not disturbed.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "decide/facts.hpp"
#include "engine/lanes.hpp"
#include "engine/observer.hpp"
#include "engine/quarantine.hpp"
#include "engine/shares.hpp"
#include "engine/signals.hpp"
#include "engine/timer.hpp"
#include "engine/trouble.hpp"
#include "engine/worker.hpp"
#include "store/store.hpp"

namespace belfry::engine {

struct TickerOptions {
    Micros tick = Seconds{1};                  // TICK_MS: the longest sleep
    decide::Limits limits = {};                // MAX_CATCHUP_PER_TICK, LOOKAHEAD_MS
    std::size_t batch = store::kTickBatchMax;  // schedules in one transaction
    std::size_t lanes = 1;                     // transactions side by side
    int runs_per_batch = 10'000;               // runs in one transaction: what is left over is next
    // How long the decisions of one transaction may take: what is left over is next, too. A database ends a transaction that it hears nothing of for
    // a few seconds, and the same batch would be too long again.
    Micros planning = Seconds{1};
    Micros help_after = std::chrono::milliseconds{250};  // how long another server's share is left to it
    Micros sweep_every = Seconds{20};                    // all cursors are read this often
    Micros sweep_least = Seconds{1};                     // and not more often than this, whatever is announced
    QuarantineWaits quarantine = {};
};

class Ticker final : public Worker {
public:
    // REQUIRES: the store, the clock and the observer outlive it.
    Ticker(store::Store& store, const SteadyClock& steady, Observer& observer, TickerOptions options, Backoff::Random random);

    [[nodiscard]] std::string_view name() const override { return "ticker"; }
    Micros step() override;

    // From any thread; what was told is heeded with the next step.
    void hear(const store::Announcement& announcement);
    void share(const Shares& shares);

    // Before the first step: who knows the answers of signals. Without, they are null. REQUIRES: it outlives the ticker's steps.
    void ask(Signals& signals) { signals_ = &signals; }

    // From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const { return quarantine_.all(); }
    struct Standing {
        std::size_t schedules = 0;              // in memory
        bool complete = false;                  // a sweep has been over all of them since the start
        std::optional<Instant> last_step = {};  // the store's time of the last step that reached it
        std::optional<Instant> next_fire = {};
        Micros silent_for = Micros::max();  // since that step, by the monotonic clock
    };
    [[nodiscard]] Standing standing() const;
    [[nodiscard]] Micros longest_sleep() const { return options_.tick; }
    // The next of a tenant's schedules by their fire times and then their keys, after that one and until then, at most `limit`.
    // As memory has it: what fires right now still has its old time, and a quarantined one that of its next try. Looks at all
    // schedules, and keeps the ticker waiting for a small part of them at a time.
    [[nodiscard]] std::vector<store::Upcoming> upcoming(std::int64_t tenant, const std::optional<store::Upcoming>& after,
                                                        std::optional<Instant> until, std::size_t limit) const;

private:
    struct Inbox {
        std::vector<store::ScheduleMoved> moved;
        bool look_again = false;
        std::optional<Shares> shares;
    };

    void read_inbox();
    void place(std::int64_t key, std::int64_t tenant, std::optional<Instant> at);
    // It was looked at and has more that is due.
    void place_behind(std::int64_t key, std::int64_t tenant, Instant now);
    void put(std::int64_t key, std::int64_t tenant, std::optional<Instant> at, bool behind = false) BELFRY_REQUIRES(timers_mutex_);
    [[nodiscard]] std::int64_t tenant_of(std::int64_t key) const BELFRY_REQUIRES(timers_mutex_);
    void look_later(std::int64_t key, Instant now);
    struct Picked {
        std::vector<std::int64_t> fresh = {};
        std::vector<std::int64_t> behind = {};
    };
    [[nodiscard]] Result<Picked> pick(Instant now);
    // What one transaction decides.
    struct Batch {
        std::vector<std::int64_t> keys = {};
        bool behind = false;  // they have a backlog: what is on time must not wait long for them
        Result<store::TickOutcome> outcome = Error{};
        std::unordered_map<std::int64_t, Micros> waiting = {};                // for their signals, and how long at most
        std::unordered_map<std::string, decide::CompiledPtr> schedules = {};  // that it decided, by their ids
        Micros took = {};
        Instant committed_at = {};
    };
    [[nodiscard]] Result<void> tick(const Picked& picked, Instant now);
    void add_batches(std::vector<Batch>& batches, const std::vector<std::int64_t>& keys, bool behind) const;
    void decide(Batch& batch, Instant now);
    // The facts with the answer of the signal; nothing while it is being asked for.
    [[nodiscard]] std::optional<decide::Facts> with_signal(const decide::Facts& facts, Instant now, Batch& batch) const;
    void settle(const Batch& batch, Instant now);
    // A batch that took too long and failed is tried again in halves; those that succeed grow again.
    void resize(const std::vector<Batch>& batches);
    // Also finds the schedules whose buffered runs a tick may release: dispatch was off when their turn came, or nobody heard of it.
    [[nodiscard]] Result<void> sweep(Instant now);
    [[nodiscard]] Micros time_to_wait(Instant now);
    void note_standing(Instant now);

    store::Store& store_;
    const SteadyClock& steady_;
    Observer& observer_;
    const TickerOptions options_;
    Signals* signals_ = nullptr;
    Trouble trouble_;
    Lanes lanes_;
    Quarantine quarantine_;
    std::size_t batch_;     // schedules in one transaction, for now
    Micros asked_at_ = {};  // when this step heard the store's time

    Shares shares_;
    // Changed by step() alone, under the lock, which is what upcoming() needs; step() reads without it.
    mutable Mutex timers_mutex_;
    Timer mine_;
    Timer others_;  // by their own fire times; looked at `help_after` later
    Timer behind_;  // of this server's share, with a backlog: by their turns

    // The sweep that goes on, or the one to come.
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
