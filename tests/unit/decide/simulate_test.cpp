#include "decide/explain/simulate.hpp"

#include "support/worlds/schedules.hpp"

namespace belfry::decide::simulate_test {
namespace {

using enum model::OverlapPolicy;
using enum model::ExecutionStatus;
using std::chrono::minutes;
using test::facts_at;
using test::instant;
using test::Lines;
using test::lines_of;

// From 10:00 to 14:00, with runs that go as assumed, in turn.
Lines play(const Facts& facts, std::vector<AssumedRun> runs, const std::string& to = "2026-06-01T14:00:00Z") {
    return lines_of(simulate(facts, {instant("2026-06-01T09:30:00Z"), instant(to), std::move(runs)}));
}

Facts hourly(model::OverlapPolicy policy, const test::Edit& more = {}) {
    return facts_at("2026-06-01T09:30:00Z", [&](model::Schedule& schedule) {
        schedule.overlap.policy = policy;
        if (more) more(schedule);
    });
}

TEST(Simulate, RunsThatEndInTimeDoNotOverlap) {
    EXPECT_EQ(play(hourly(skip), {{minutes{10}}}, "2026-06-01T12:00:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T10:10:00Z",
                     "tick 2026-06-01T11:00:00Z dispatched #2 -> succeeded 2026-06-01T11:10:00Z",
                     "tick 2026-06-01T12:00:00Z dispatched #3"}));
}

TEST(Simulate, ARunThatEndsExactlyAtTheNextOccurrenceDoesNotOverlapIt) {
    EXPECT_EQ(play(hourly(skip), {{minutes{60}}}, "2026-06-01T11:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T11:00:00Z",
                     "tick 2026-06-01T11:00:00Z dispatched #2"}));
}

TEST(Simulate, ALongRunSkipsTheOccurrencesThatItOverlaps) {
    EXPECT_EQ(play(hourly(skip), {{minutes{130}}, {minutes{5}}}, "2026-06-01T13:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T12:10:00Z",
                     "tick 2026-06-01T11:00:00Z skipped overlap_in_flight (1 in flight)",
                     "tick 2026-06-01T12:00:00Z skipped overlap_in_flight (1 in flight)",
                     "tick 2026-06-01T13:00:00Z dispatched #2 -> succeeded 2026-06-01T13:05:00Z"}));
}

TEST(Simulate, ABufferedOccurrenceStartsWhenTheRunBeforeItEnds) {
    EXPECT_EQ(
        play(hourly(buffer_all), {{minutes{90}}}, "2026-06-01T13:30:00Z"),
        (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T11:30:00Z",
               "tick 2026-06-01T11:00:00Z dispatched #2 ready 2026-06-01T11:30:00Z -> succeeded 2026-06-01T13:00:00Z",
               "tick 2026-06-01T12:00:00Z dispatched #3 ready 2026-06-01T13:00:00Z",
               "tick 2026-06-01T13:00:00Z buffered"}));
}

TEST(Simulate, BufferOneKeepsOneAndSkipsTheRest) {
    EXPECT_EQ(play(hourly(buffer_one), {{minutes{190}}}, "2026-06-01T13:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T13:10:00Z",
                     "tick 2026-06-01T11:00:00Z dispatched #2 ready 2026-06-01T13:10:00Z",
                     "tick 2026-06-01T12:00:00Z skipped buffer_full (1 buffered)",
                     "tick 2026-06-01T13:00:00Z skipped buffer_full (1 buffered)"}));
}

TEST(Simulate, CancelOtherEndsTheRunBefore) {
    EXPECT_EQ(play(hourly(cancel_other), {{minutes{90}}}, "2026-06-01T12:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> cancelled 2026-06-01T11:00:00Z",
                     "tick 2026-06-01T11:00:00Z dispatched #2 -> cancelled 2026-06-01T12:00:00Z",
                     "tick 2026-06-01T12:00:00Z dispatched #3"}));
}

TEST(Simulate, AConditionSeesTheResultsThatWereAssumed) {
    const auto facts = hourly(
        skip, [](auto& schedule) { schedule.condition = test::json(R"({"/prior_run_result/ok":{"neq":false}})"); });
    EXPECT_EQ(
        play(facts,
             {{minutes{1}, succeeded, test::json(R"({"ok":true})")},
              {minutes{1}, succeeded, test::json(R"({"ok":false})")}},
             "2026-06-01T13:30:00Z"),
        (Lines{
            "tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T10:01:00Z",
            "tick 2026-06-01T11:00:00Z dispatched #2 -> succeeded 2026-06-01T11:01:00Z",
            "tick 2026-06-01T12:00:00Z skipped condition_failed (/prior_run_result/ok is false, must not be false)",
            "tick 2026-06-01T13:00:00Z skipped condition_failed (/prior_run_result/ok is false, must not be false)"}));
}

TEST(Simulate, TheStatisticsOfTheLastDayMoveWithTheVirtualClock) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 */8 * * *"};
        schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":2}})");
    });
    EXPECT_EQ(
        play(facts, {{minutes{1}, failed}}, "2026-06-02T20:00:00Z"),
        (Lines{
            "tick 2026-06-01T16:00:00Z dispatched #1 -> failed 2026-06-01T16:01:00Z",
            "tick 2026-06-02T00:00:00Z dispatched #2 -> failed 2026-06-02T00:01:00Z",
            "tick 2026-06-02T08:00:00Z skipped condition_failed (/last_24h_stats/failed is 2, must be less than 2)",
            "tick 2026-06-02T16:00:00Z skipped condition_failed (/last_24h_stats/failed is 2, must be less than 2)"}));
}

TEST(Simulate, TheRunsOfTheDayBeforeCountUntilADayHasPassed) {
    auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 */8 * * *"};
        schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
    });
    facts.last_24h = {.succeeded = 1, .failed = 3, .total = 4};
    EXPECT_EQ(
        play(facts, {{minutes{1}}}, "2026-06-02T16:00:00Z"),
        (Lines{"tick 2026-06-01T16:00:00Z skipped condition_failed (/last_24h_stats/failed is 3, must be less than 3)",
               "tick 2026-06-02T00:00:00Z skipped condition_failed (/last_24h_stats/failed is 3, must be less than 3)",
               "tick 2026-06-02T08:00:00Z skipped condition_failed (/last_24h_stats/failed is 3, must be less than 3)",
               "tick 2026-06-02T16:00:00Z dispatched #1"}));
}

TEST(Simulate, TheTotalOfTheLastDayCountsRunsThatAreStillInFlight) {
    const auto facts = hourly(
        allow_all, [](auto& schedule) { schedule.condition = test::json(R"({"/last_24h_stats/total":{"lt":2}})"); });
    EXPECT_EQ(
        play(facts, {{minutes{500}}}, "2026-06-01T12:30:00Z"),
        (Lines{
            "tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T11:00:00Z dispatched #2",
            "tick 2026-06-01T12:00:00Z skipped condition_failed (/last_24h_stats/total is 2, must be less than 2)"}));
}

TEST(Simulate, RotationTakesTurnsOnlyWithDispatches) {
    const auto facts = hourly(skip, [](auto& schedule) {
        schedule.inputs_rotation = {test::json("1"), test::json("2")};
    });
    EXPECT_EQ(play(facts, {{minutes{90}}}, "2026-06-01T12:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 1 -> succeeded 2026-06-01T11:30:00Z",
                     "tick 2026-06-01T11:00:00Z skipped overlap_in_flight (1 in flight)",
                     "tick 2026-06-01T12:00:00Z dispatched #2 2"}));
}

TEST(Simulate, TheBreakerOpensAfterTheAssumedFailures) {
    const auto facts = hourly(skip, [](auto& schedule) { schedule.breaker_failures = 2; });
    EXPECT_EQ(play(facts, {{minutes{1}, failed}}, "2026-06-01T12:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> failed 2026-06-01T10:01:00Z",
                     "tick 2026-06-01T11:00:00Z dispatched #2 -> failed 2026-06-01T11:01:00Z",
                     "tick 2026-06-01T12:00:00Z skipped breaker_open (2 failures in a row)"}));
}

TEST(Simulate, MaxRunsEndsIt) {
    const auto facts = hourly(skip, [](auto& schedule) { schedule.max_runs = 2; });
    EXPECT_EQ(play(facts, {{minutes{1}}}, "2026-06-05T00:00:00Z").size(), 2U);
}

TEST(Simulate, RunsThatAreAlreadyInFlightOverlapToo) {
    const auto facts = test::with_in_flight(hourly(skip), 1);
    EXPECT_EQ(play(facts, {{minutes{60}}}, "2026-06-01T11:30:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z skipped overlap_in_flight (1 in flight)",
                     "tick 2026-06-01T11:00:00Z dispatched #1"}));
}

TEST(Simulate, AnOverdueScheduleBeginsWithItsMissedPolicy) {
    auto facts = hourly(skip, [](auto& schedule) { schedule.missed.policy = model::MissedPolicy::fire_once; });
    EXPECT_EQ(
        lines_of(simulate(facts, {instant("2026-06-01T12:30:00Z"), instant("2026-06-01T13:30:00Z"), {{minutes{1}}}})),
        (Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T12:31:00Z",
               "tick 2026-06-01T11:00:00Z..2026-06-01T12:00:00Z skipped missed_run (policy fire_once) 2 occurrences",
               "tick 2026-06-01T13:00:00Z dispatched #2 -> succeeded 2026-06-01T13:01:00Z"}));
}

TEST(Simulate, ChangesNothingAndRepeatsItself) {
    const auto facts = hourly(buffer_all);
    const auto before = facts.state;
    EXPECT_EQ(play(facts, {{minutes{90}}}), play(facts, {{minutes{90}}}));
    EXPECT_EQ(facts.state, before);
}

TEST(Simulate, WithoutAssumptionsRunsEndAtOnce) {
    EXPECT_EQ(play(hourly(skip), {}, "2026-06-01T10:30:00Z"),
              Lines{"tick 2026-06-01T10:00:00Z dispatched #1 -> succeeded 2026-06-01T10:00:00Z"});
}

TEST(Simulate, APauseThatRunsOutEndsInTheSimulationToo) {
    test::Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:30:00Z", {.until = instant("2026-06-01T11:30:00Z")});
    EXPECT_EQ(play(life.facts, {{minutes{1}}}, "2026-06-01T12:30:00Z"),
              Lines{"tick 2026-06-01T12:00:00Z dispatched #1 -> succeeded 2026-06-01T12:01:00Z"});
}

TEST(Simulate, AYearOfMinutesStopsAtItsBound) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    const auto rows = simulate(facts, {instant("2026-06-01T09:30:00Z"), instant("2027-06-01T09:30:00Z"), {}});
    EXPECT_EQ(rows.size(), kSimulatedRunsMax);
    EXPECT_EQ(simulate(facts, {instant("2026-06-01T09:30:00Z"), instant("2027-06-01T09:30:00Z"), {}, 7}).size(), 7U);
}

TEST(Simulate, EndsEarlyWhenItIsAskedTo) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    int steps = 0;
    SimulationRequest request{
        .from = instant("2026-06-01T09:30:00Z"), .to = instant("2027-06-01T09:30:00Z"), .runs = {}};
    request.stop = [&steps] { return ++steps > 10; };
    EXPECT_LE(simulate(facts, request).size(), 10U);
}

}  // namespace
}  // namespace belfry::decide::simulate_test
