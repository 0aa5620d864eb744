#include "engine/telemetry/engine_metrics.hpp"

#include <gtest/gtest.h>

#include "support/worlds/schedules.hpp"

namespace belfry::engine {
namespace {

using model::DispatchStatus;
using model::RunCause;
using model::SkipReason;

const Instant kNoon = parse_instant("2026-06-01T12:00:00Z").value();

decide::PlannedRun run(DispatchStatus dispatch, RunCause cause = RunCause::tick) {
    return {.slot = {cause, kNoon}, .fire_at = kNoon, .dispatch = dispatch};
}

decide::PlannedRun skipped(SkipReason reason) {
    auto result = run(DispatchStatus::skipped);
    result.reason = reason;
    return result;
}

EngineReading after(const decide::Plan& plan, Instant at = kNoon) {
    EngineMetrics metrics;
    metrics.decided(test::definition(), plan, at);
    return metrics.read();
}

TEST(EngineMetrics, S2_83_CountsTheRunsThatWereEmittedAndThoseOfBackfillsApart) {
    const auto reading =
        after({.runs = {run(DispatchStatus::dispatched), run(DispatchStatus::dispatched, RunCause::backfill),
                        run(DispatchStatus::dispatched, RunCause::trigger), run(DispatchStatus::buffered)},
               .releases = {run(DispatchStatus::dispatched)}});
    EXPECT_EQ(reading.runs_emitted, 4U);
    EXPECT_EQ(reading.backfill_runs, 1U);
    EXPECT_EQ(reading.runs_buffered, 1U);
}

TEST(EngineMetrics, S2_84_CountsSkippedRunsByReasonAndOverlapApart) {
    auto range = skipped(SkipReason::missed_run);
    range.range = model::SkippedRange{.last = kNoon, .count = 500};
    const auto reading =
        after({.runs = {skipped(SkipReason::overlap_in_flight), skipped(SkipReason::max_concurrency_reached),
                        skipped(SkipReason::calendar), skipped(SkipReason::buffer_full), range}});
    EXPECT_EQ(reading.runs_skipped, 504U);
    EXPECT_EQ(reading.runs_skipped_overlap, 2U);
    EXPECT_EQ(reading.skipped_by_reason, (std::map<SkipReason, std::uint64_t>{{SkipReason::overlap_in_flight, 1},
                                                                              {SkipReason::max_concurrency_reached, 1},
                                                                              {SkipReason::calendar, 1},
                                                                              {SkipReason::buffer_full, 1},
                                                                              {SkipReason::missed_run, 500}}));
}

TEST(EngineMetrics, S2_85_CountsRunsThatCouldNotBeLaunched) {
    EXPECT_EQ(after({.runs = {run(DispatchStatus::failed)}}).runs_failed_launch, 1U);
    const auto ended = [](const char* error) {
        return after({.ends = {{.run_id = "r", .status = model::ExecutionStatus::failed, .error = error}}})
            .runs_failed_launch;
    };
    EXPECT_EQ(ended("connection launcher did not take it in 2 calls: refused"), 1U);
    EXPECT_EQ(ended("node a: connection orders refused it: too large"), 1U);
    EXPECT_EQ(ended("the connection to the bank was refused"), 0U);
}

TEST(EngineMetrics, S2_86_MeasuresHowLateTheRunsOfTicksWereCommitted) {
    const auto late = std::chrono::milliseconds{30};
    const auto reading =
        after({.runs = {run(DispatchStatus::dispatched), run(DispatchStatus::dispatched, RunCause::trigger),
                        run(DispatchStatus::dispatched, RunCause::backfill), skipped(SkipReason::calendar)}},
              kNoon + late);
    EXPECT_EQ(reading.lateness.count, 1U);
    EXPECT_EQ(reading.lateness.sum, late);
    EXPECT_EQ(reading.lateness.longest, late);
}

TEST(EngineMetrics, ARunThatIsSpreadIntoTheFutureIsNotLate) {
    auto spread = run(DispatchStatus::dispatched);
    spread.fire_at = kNoon + Seconds{30};
    const auto reading = after({.runs = {spread}});
    EXPECT_EQ(reading.lateness.sum, Micros{0});
    EXPECT_EQ(reading.lateness.count, 1U);
}

TEST(EngineMetrics, S2_82_CountsWhatTicksFoundDue) {
    EngineMetrics metrics;
    metrics.ticked({10, 7, 2, Micros{1'500}});
    metrics.ticked({1, 1, 0, Micros{500}});
    const auto reading = metrics.read();
    EXPECT_EQ(reading.ticks, 2U);
    EXPECT_EQ(reading.schedules_due, 11U);
    EXPECT_EQ(reading.decided, 8U);
    EXPECT_EQ(reading.passed_over, 2U);
    EXPECT_EQ(reading.tick_time.sum, Micros{2'000});
}

TEST(EngineMetrics, S4_99_CountsARunOfATenantInEveryStatusThatItReaches) {
    EngineMetrics metrics;
    auto range = skipped(SkipReason::missed_run);
    range.range = model::SkippedRange{.last = kNoon, .count = 500};
    metrics.decided(test::definition(), {.runs = {run(DispatchStatus::dispatched), run(DispatchStatus::failed), range}},
                    kNoon);
    metrics.decided(test::definition(), {.ends = {{"r1", model::ExecutionStatus::timed_out}}}, kNoon);
    const auto tenants = metrics.read().tenants;
    ASSERT_EQ(tenants.size(), 1U);
    const auto target = test::definition().target.type;
    EXPECT_EQ(tenants.at(test::definition().tenant).runs,
              (std::map<std::pair<RunMark, model::TargetType>, std::uint64_t>{{{RunMark::dispatched, target}, 1},
                                                                              {{RunMark::undispatched, target}, 1},
                                                                              {{RunMark::skipped, target}, 500},
                                                                              {{RunMark::timed_out, target}, 1}}));
}

TEST(EngineMetrics, S4_100_OnlyTheFirstAttemptAtAPlannedTimeCountsAsLatency) {
    EngineMetrics metrics;
    const auto late = Seconds{3};
    model::Task task{.tenant = "acme", .slot = {RunCause::tick, kNoon}, .attempt = 1};
    metrics.claimed(task, kNoon + late);
    task.attempt = 2;
    metrics.claimed(task, kNoon + std::chrono::hours{1});
    task.attempt = 1;
    task.slot.cause = RunCause::backfill;
    metrics.claimed(task, kNoon + std::chrono::hours{24});
    const auto reading = metrics.read().tenants.at("acme");
    EXPECT_EQ(reading.start_latency.count, 1U);
    EXPECT_EQ(reading.start_latency.sum, late);
    EXPECT_EQ(reading.runs.at({RunMark::started, task.target.type}), 2U);
}

TEST(EngineMetrics, TenantsBeyondTheBoundAreCountedTogether) {
    EngineMetrics metrics;
    auto schedule = test::definition();
    for (std::size_t i = 0; i < kTenantsMax + 50; ++i) {
        schedule.tenant = "tenant-" + std::to_string(i);
        metrics.decided(schedule, {.runs = {run(DispatchStatus::dispatched)}}, kNoon);
    }
    const auto tenants = metrics.read().tenants;
    EXPECT_EQ(tenants.size(), kTenantsMax + 1);
    EXPECT_EQ(tenants.at("other").runs.at({RunMark::dispatched, schedule.target.type}), 50U);
}

TEST(EngineMetrics, AScheduleInQuarantineCountsOnceHoweverOftenItIsTried) {
    EngineMetrics metrics;
    Quarantined bad{.key = 1, .error = {}, .tries = 1};
    metrics.quarantined(bad);
    bad.tries = 2;
    metrics.quarantined(bad);
    EXPECT_EQ(metrics.read().quarantined, 1);
    metrics.released(bad);
    EXPECT_EQ(metrics.read().quarantined, 0);
}

TEST(EngineMetrics, CountsTheRestAndKnowsWhatHoldsNow) {
    EngineMetrics metrics;
    metrics.decided(test::definition(),
                    {.ends = {{"r1", model::ExecutionStatus::succeeded},
                              {"r2", model::ExecutionStatus::failed},
                              {"r3", model::ExecutionStatus::timed_out}}},
                    kNoon);
    metrics.failed("ticker", {}, {});
    metrics.reaped("r1", "w");
    metrics.pruned(40);
    metrics.leads(true, 1);
    metrics.shares(3);
    const auto reading = metrics.read();
    EXPECT_EQ(reading.runs_ended, 3U);
    EXPECT_EQ(reading.runs_ended_badly, 2U);
    EXPECT_EQ(reading.store_failures, 1U);
    EXPECT_EQ(reading.reaped, 1U);
    EXPECT_EQ(reading.pruned, 40U);
    EXPECT_TRUE(reading.leading);
    EXPECT_EQ(reading.servers, 3);
}

}  // namespace
}  // namespace belfry::engine
