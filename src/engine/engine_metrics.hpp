// Counts what the engine does. Lock-free and thread-safe; the reading is what /metrics shows.
#pragma once

#include <array>
#include <map>

#include "base/metrics.hpp"
#include "engine/observer.hpp"

namespace belfry::engine {

struct EngineReading {
    std::uint64_t ticks = 0;          // transactions that looked at schedules
    std::uint64_t schedules_due = 0;  // looked at because their time had come
    std::uint64_t decided = 0;        // of them
    std::uint64_t passed_over = 0;
    std::uint64_t runs_emitted = 0;   // dispatched, whatever asked for them
    std::uint64_t backfill_runs = 0;  // of them, by backfills
    std::uint64_t runs_buffered = 0;
    std::uint64_t runs_failed_launch = 0;  // could not be handed over
    std::uint64_t runs_skipped = 0;        // occurrences: a record of many counts them all
    std::uint64_t runs_skipped_overlap = 0;
    std::map<model::SkipReason, std::uint64_t> skipped_by_reason = {};  // those that happened
    std::uint64_t runs_ended = 0;
    std::uint64_t runs_ended_badly = 0;  // failed or timed out
    std::uint64_t store_failures = 0;
    std::uint64_t reaped = 0;
    std::uint64_t pruned = 0;
    std::int64_t quarantined = 0;    // now
    bool leading = false;            // now
    std::int64_t servers = 1;        // now
    HistogramReading lateness = {};  // from the fire time to the commit, of runs that ticks dispatched
    HistogramReading tick_time = {};
};

class EngineMetrics final : public Observer {
public:
    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override;
    void ticked(const TickReport& report) override;
    void reaped(const std::string& run_id, const std::string& worker) override;
    void pruned(std::int64_t runs) override;
    void quarantined(const Quarantined& schedule) override;
    void released(const Quarantined& schedule) override;
    void failed(std::string_view worker, const Error& error, Micros wait) override;
    void leads(bool leading, std::int64_t term) override;
    void shares(std::size_t servers) override;

    [[nodiscard]] EngineReading read() const;

private:
    static constexpr auto kReasons = static_cast<std::size_t>(model::SkipReason::buffer_full) + 1;

    void count(const decide::PlannedRun& run);

    Counter ticks_, due_, decided_, passed_over_;
    Counter emitted_, backfilled_, buffered_, failed_launch_;
    std::array<Counter, kReasons> skipped_;
    Counter ended_, ended_badly_;
    Counter store_failures_, reaped_, pruned_;
    std::atomic<std::int64_t> quarantined_ = 0;
    std::atomic<bool> leading_ = false;
    std::atomic<std::int64_t> servers_ = 1;
    Histogram lateness_, tick_time_;
};

}  // namespace belfry::engine
