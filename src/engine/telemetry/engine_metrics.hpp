// Counts what the engine does. Lock-free and thread-safe; /metrics shows the reading.
//
// The counts per tenant are bounded: all tenants after the first kTenantsMax are counted together.
#pragma once

#include <array>
#include <map>

#include "base/metrics.hpp"
#include "base/text/named_values.hpp"
#include "engine/telemetry/observer.hpp"

namespace belfry::engine {

inline constexpr std::size_t kTenantsMax = 200;  // with counts of their own

// The stages that a run can reach. A run counts once in each.
enum class RunMark : std::uint8_t {
    dispatched,
    skipped,
    buffered,
    undispatched,
    started,
    succeeded,
    failed,
    cancelled,
    terminated,
    timed_out
};
[[nodiscard]] std::string_view name_of(RunMark mark);

struct TenantReading {
    std::map<std::pair<RunMark, model::TargetType>, std::uint64_t> runs = {};  // without zero counts
    // From the planned time to the first attempt; without backfills.
    HistogramReading start_latency = {};
};

struct EngineReading {
    std::uint64_t ticks = 0;          // transactions that read schedules
    std::uint64_t schedules_due = 0;  // read because they were due
    std::uint64_t decided = 0;        // of those
    std::uint64_t passed_over = 0;
    std::uint64_t runs_emitted = 0;   // dispatched, for any cause
    std::uint64_t backfill_runs = 0;  // of those, for backfills
    std::uint64_t runs_buffered = 0;
    std::uint64_t runs_failed_launch = 0;  // could not be delivered
    std::uint64_t runs_skipped = 0;        // occurrences: a record of many counts all of them
    std::uint64_t runs_skipped_overlap = 0;
    std::map<model::SkipReason, std::uint64_t> skipped_by_reason = {};  // without zero counts
    std::uint64_t runs_ended = 0;
    std::uint64_t runs_ended_badly = 0;  // failed or timed out
    std::uint64_t store_failures = 0;
    std::uint64_t reaped = 0;
    std::uint64_t redelivered = 0;  // tasks that became ready again because their worker was lost
    std::uint64_t pruned = 0;
    std::uint64_t removed = 0;
    std::int64_t quarantined = 0;    // now
    bool leading = false;            // now
    std::int64_t servers = 1;        // now
    HistogramReading lateness = {};  // from the fire time to the commit, for runs that ticks dispatched
    HistogramReading tick_time = {};
    std::int64_t term = 0;                              // the newest that this server knows
    std::map<std::string, TenantReading> tenants = {};  // by name, and "other"
};

class EngineMetrics final : public Observer {
public:
    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override;
    void ticked(const TickReport& report) override;
    void claimed(const model::Task& task, Instant at) override;
    void reaped(const std::string& run_id, const std::string& worker) override;
    void pruned(std::int64_t runs) override;
    void removed(std::int64_t schedules) override;
    void quarantined(const Quarantined& schedule) override;
    void released(const Quarantined& schedule) override;
    void failed(std::string_view worker, const Error& error, Micros wait) override;
    void leads(bool leading, std::int64_t term) override;
    void shares(std::size_t servers) override;

    [[nodiscard]] EngineReading read() const;

private:
    static constexpr auto kReasons = static_cast<std::size_t>(model::SkipReason::buffer_full) + 1;

    static constexpr auto kMarks = static_cast<std::size_t>(RunMark::timed_out) + 1;
    static constexpr auto kTargets = static_cast<std::size_t>(model::TargetType::task) + 1;

    struct Tenant {
        std::array<std::array<Counter, kTargets>, kMarks> runs;
        Histogram start_latency;
        void count(RunMark mark, model::TargetType target, std::uint64_t count = 1) {
            runs[static_cast<std::size_t>(mark)][static_cast<std::size_t>(target)].add(count);
        }
    };

    void count(const decide::PlannedRun& run, model::TargetType target, Tenant& tenant);

    Counter ticks_, due_, decided_, passed_over_;
    Counter emitted_, backfilled_, buffered_, failed_launch_;
    std::array<Counter, kReasons> skipped_;
    Counter ended_, ended_badly_;
    Counter store_failures_, reaped_, redelivered_, pruned_, removed_;
    std::atomic<std::int64_t> quarantined_ = 0;
    std::atomic<bool> leading_ = false;
    std::atomic<std::int64_t> servers_ = 1;
    std::atomic<std::int64_t> term_ = 0;
    Histogram lateness_, tick_time_;
    NamedValues<Tenant> tenants_{kTenantsMax};
};

}  // namespace belfry::engine
