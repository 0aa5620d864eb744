// An engine whose steps a test takes by hand, on a clock that it sets: no threads, no waiting.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time/clock.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/jobs/ticker.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::test {

class ManualClock final : public Clock {
public:
    explicit ManualClock(Instant start) : now_(start) {}
    [[nodiscard]] Instant now() const override { return now_; }
    void set(Instant instant) { now_ = instant; }
    void pass(Micros time) { now_ = now() + time; }

private:
    std::atomic<Instant> now_;  // a pool's threads read it while the test sets it
};

// Passes as the manual clock does, but never goes back.
class ManualSteadyClock final : public SteadyClock {
public:
    explicit ManualSteadyClock(const ManualClock& clock) : clock_(clock) {}
    [[nodiscard]] Micros now() const override {
        const std::scoped_lock lock(mutex_);
        return latest_ = std::max(latest_, clock_.now().time_since_epoch());
    }

private:
    const ManualClock& clock_;
    mutable std::mutex mutex_;
    mutable Micros latest_{0};
};

// Keeps what the engine tells.
class Journal final : public engine::Observer {
public:
    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override;
    void ticked(const engine::TickReport& report) override { ticks.push_back(report); }
    void quarantined(const engine::Quarantined& schedule) override {
        lines.push_back("quarantined: " + schedule.error.message);
    }
    void released(const engine::Quarantined&) override { lines.emplace_back("released"); }
    void failed(std::string_view worker, const Error& error, Micros) override {
        lines.push_back(std::string(worker) + " failed: " + error.message);
    }
    void recovered(std::string_view worker) override { lines.push_back(std::string(worker) + " recovered"); }
    void leads(bool leading, std::int64_t term) override {
        lines.push_back((leading ? "leads " : "leads no more ") + std::to_string(term));
    }
    void shares(std::size_t servers) override { lines.push_back("shares with " + std::to_string(servers)); }

    Lines lines;
    std::vector<engine::TickReport> ticks;
    std::size_t plans = 0;
};

// One engine on a store; without one given, on a store in memory whose clock is the world's.
class EngineWorld {
public:
    explicit EngineWorld(const std::string& now, engine::TickerOptions options = {});
    EngineWorld(const std::string& now, const std::function<std::shared_ptr<store::Store>(const Clock&)>& open,
                engine::TickerOptions options = {});

    ~EngineWorld() { store->listen({}); }
    EngineWorld(const EngineWorld&) = delete;
    EngineWorld& operator=(const EngineWorld&) = delete;

    // Of the tenant "default" unless the edit says otherwise. REQUIRES: it is accepted.
    store::ScheduleRecord create(const Edit& edit = {});

    // Steps the ticker until it wants to wait; how many steps it took.
    int settle();
    // Goes from one wish of the ticker to the next until the time is reached.
    void play(const std::string& until);

    // All runs of the schedule, oldest first: `tick 2026-06-01T10:00:00Z dispatched`, `… skipped missed_run x60`.
    [[nodiscard]] Lines runs_of(const std::string& name = "report", const std::string& tenant = "default");

    ManualClock clock;
    ManualSteadyClock steady;
    std::shared_ptr<store::Store> store;
    Journal journal;
    UuidMaker ids;
    engine::Schedules schedules;
    engine::Runs runs;
    engine::Backfills backfills;
    engine::Ticker ticker;

private:
    std::uint64_t random_ = 0;
};

}  // namespace belfry::test
