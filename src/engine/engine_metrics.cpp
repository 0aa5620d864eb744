#include "engine/engine_metrics.hpp"

namespace belfry::engine {

using model::DispatchStatus;
using model::ExecutionStatus;
using model::SkipReason;

void EngineMetrics::decided(const model::Schedule& /*schedule*/, const decide::Plan& plan, Instant at) {
    for (const auto& run : plan.runs) {
        count(run);
        // What waited in the buffer or was asked for by hand is not late: nobody planned it for an earlier moment.
        const bool planned = run.slot.cause == model::RunCause::tick && run.dispatch == DispatchStatus::dispatched;
        if (planned) lateness_.add(std::max(Micros{0}, at - run.fire_at));
    }
    for (const auto& run : plan.releases) count(run);
    for (const auto& end : plan.ends) {
        ended_.add();
        if (end.status == ExecutionStatus::failed || end.status == ExecutionStatus::timed_out) ended_badly_.add();
    }
}

void EngineMetrics::count(const decide::PlannedRun& run) {
    switch (run.dispatch) {
        case DispatchStatus::dispatched:
            emitted_.add();
            if (run.slot.cause == model::RunCause::backfill) backfilled_.add();
            break;
        case DispatchStatus::buffered: buffered_.add(); break;
        case DispatchStatus::failed: failed_launch_.add(); break;
        case DispatchStatus::skipped:
            if (run.reason) skipped_[static_cast<std::size_t>(*run.reason)].add(run.range ? static_cast<std::uint64_t>(run.range->count) : 1);
            break;
        case DispatchStatus::pending: break;
    }
}

void EngineMetrics::ticked(const TickReport& report) {
    ticks_.add();
    due_.add(report.looked_at);
    decided_.add(report.decided);
    passed_over_.add(report.passed_over);
    tick_time_.add(report.took);
}

void EngineMetrics::reaped(const std::string& /*run_id*/, const std::string& /*worker*/) { reaped_.add(); }
void EngineMetrics::pruned(std::int64_t runs) { pruned_.add(static_cast<std::uint64_t>(runs)); }

// Told again with every try that fails; only the first makes one more.
void EngineMetrics::quarantined(const Quarantined& schedule) {
    if (schedule.tries == 1) quarantined_.fetch_add(1);
}
void EngineMetrics::released(const Quarantined& /*schedule*/) { quarantined_.fetch_sub(1); }

void EngineMetrics::failed(std::string_view /*worker*/, const Error& /*error*/, Micros /*wait*/) { store_failures_.add(); }
void EngineMetrics::leads(bool leading, std::int64_t /*term*/) { leading_ = leading; }
void EngineMetrics::shares(std::size_t servers) { servers_ = static_cast<std::int64_t>(servers); }

EngineReading EngineMetrics::read() const {
    EngineReading reading{.ticks = ticks_.value(),
                          .schedules_due = due_.value(),
                          .decided = decided_.value(),
                          .passed_over = passed_over_.value(),
                          .runs_emitted = emitted_.value(),
                          .backfill_runs = backfilled_.value(),
                          .runs_buffered = buffered_.value(),
                          .runs_failed_launch = failed_launch_.value(),
                          .runs_ended = ended_.value(),
                          .runs_ended_badly = ended_badly_.value(),
                          .store_failures = store_failures_.value(),
                          .reaped = reaped_.value(),
                          .pruned = pruned_.value(),
                          .quarantined = quarantined_,
                          .leading = leading_,
                          .servers = servers_,
                          .lateness = lateness_.read(),
                          .tick_time = tick_time_.read()};
    for (std::size_t i = 0; i < kReasons; ++i) {
        const auto count = skipped_[i].value();
        if (count == 0) continue;
        const auto reason = static_cast<SkipReason>(i);
        reading.skipped_by_reason[reason] = count;
        reading.runs_skipped += count;
        if (reason == SkipReason::overlap_in_flight || reason == SkipReason::max_concurrency_reached) reading.runs_skipped_overlap += count;
    }
    return reading;
}

}  // namespace belfry::engine
