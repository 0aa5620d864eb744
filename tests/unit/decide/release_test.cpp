// When a buffered run gets its turn, and by which facts.
#include "decide/run/attempt.hpp"
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using enum model::OverlapPolicy;
using model::ExecutionStatus;
using test::instant;
using test::Life;
using test::Lines;
using test::lines_of;

test::Edit buffering(const test::Edit& more = {}) {
    return [more](model::Schedule& schedule) {
        schedule.overlap.policy = buffer_all;
        if (more) more(schedule);
    };
}

// 10:00 runs; 11:00, 12:00 and 13:00 wait.
Life with_three_waiting(const test::Edit& more = {}) {
    Life life("2026-06-01T09:30:00Z", buffering(more));
    life.play("2026-06-01T13:00:00Z");
    EXPECT_EQ(life.state().buffered, 3);
    return life;
}

// The facts as a store has them when the oldest run in flight ends: it does not count as ended yet.
Facts when_it_ends(const Life& life) {
    auto facts = life.facts;
    model::Run run;
    run.id = facts.in_flight.front().id;
    run.slot = facts.in_flight.front().slot;
    run.execution = ExecutionStatus::running;
    run.attempts = 1;
    facts.run = run;
    return facts;
}

Lines end_attempt(const Facts& facts, const AttemptEnd& end, const std::string& at) {
    const auto plan = std::get<Plan>(plan_attempt_end(facts, end, instant(at)).value());
    test::expect_sound(facts, plan);
    return lines_of(facts, plan);
}

TEST(Release, ARefusalIsRecordedAndTheNextOneGetsTheTurn) {
    auto life = with_three_waiting([](auto& schedule) { schedule.calendars = {"june-2nd"}; });
    life.facts.buffered[0].slot.occurrence += std::chrono::hours{24};  // on the day that the calendar leaves out
    EXPECT_EQ(
        life.finish("2026-06-01T13:10:00Z"),
        (Lines{"end tick 2026-06-01T10:00:00Z succeeded",
               "release tick 2026-06-02T11:00:00Z skipped calendar (june-2nd)",
               "release tick 2026-06-01T12:00:00Z dispatched #2", "active, next 2026-06-01T14:00:00Z, 1 buffered"}));
}

TEST(Release, TheConditionKnowsHowTheRunEndedThatMadeRoom) {
    const auto life = with_three_waiting(
        [](auto& schedule) { schedule.condition = test::json(R"({"/prior_run_result/stop":{"neq":true}})"); });
    const AttemptEnd end{.status = ExecutionStatus::succeeded, .result = test::json(R"({"stop":true})")};
    const auto lines = end_attempt(when_it_ends(life), end, "2026-06-01T13:10:00Z");
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[1],
              "release tick 2026-06-01T11:00:00Z skipped condition_failed (/prior_run_result/stop is true, must not be "
              "true)");
    EXPECT_EQ(lines.back(), "active, next 2026-06-01T14:00:00Z");
}

TEST(Release, AFailureCountsForTheConditionOfWhatItReleases) {
    const auto life = with_three_waiting(
        [](auto& schedule) { schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":1}})"); });
    const auto lines = end_attempt(when_it_ends(life), {.status = ExecutionStatus::failed}, "2026-06-01T13:10:00Z");
    EXPECT_EQ(lines[1],
              "release tick 2026-06-01T11:00:00Z skipped condition_failed (/last_24h_stats/failed is 1, must be less "
              "than 1)");
    const auto good = end_attempt(when_it_ends(life), {.status = ExecutionStatus::succeeded}, "2026-06-01T13:10:00Z");
    EXPECT_EQ(good[1], "release tick 2026-06-01T11:00:00Z dispatched #2");
}

TEST(Release, WhatTheLastRunLeavesInTheBufferIsSkippedAsUsedUp) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.overlap.policy = model::OverlapPolicy::buffer_all;
        schedule.max_runs = 2;
    });
    life.play("2026-06-01T12:00:00Z");
    const auto lines = life.finish("2026-06-01T12:10:00Z");
    EXPECT_EQ(std::ranges::count_if(lines,
                                    [](const auto& line) {
                                        return line.find("skipped remaining_actions_exhausted") != std::string::npos;
                                    }),
              1)
        << lines.size();
    EXPECT_EQ(life.state().status, model::ScheduleStatus::deleted);
}

TEST(Release, AReplayThatWaitsLeavesItsDeadLetter) {
    Life life("2026-06-01T09:30:00Z",
              [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_all; });
    life.tick("2026-06-01T10:00:00Z");
    const auto dead = life.plan.runs.front().id;
    life.trigger("2026-06-01T10:10:00Z", {.replays = dead});
    ASSERT_EQ(life.plan.runs.front().dispatch, model::DispatchStatus::buffered);
    EXPECT_EQ(life.plan.replays, "") << "a guard may still refuse it";
    life.trigger("2026-06-01T10:11:00Z", {.overlap = model::OverlapPolicy::allow_all, .replays = dead});
    EXPECT_EQ(life.plan.replays, dead);
}

TEST(Release, LiveAndSimulatedReleasesAgree) {
    const auto edit = buffering([](auto& schedule) {
        schedule.spec.cron = {"*/10 10 * * *"};
        schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":1}})");
    });
    const auto facts = test::facts_at("2026-06-01T09:30:00Z", edit);
    const SimulationRequest request{
        instant("2026-06-01T09:30:00Z"), instant("2026-06-01T10:30:00Z"), {{Seconds{1500}, ExecutionStatus::failed}}};
    const auto rows = simulate(facts, request);
    ASSERT_GE(rows.size(), 2U);
    EXPECT_EQ(rows[1].run.reason, model::SkipReason::condition_failed);

    Life life("2026-06-01T09:30:00Z", edit);
    life.play("2026-06-01T10:20:00Z");
    const auto plan =
        plan_attempt_end(when_it_ends(life), {.status = ExecutionStatus::failed}, instant("2026-06-01T10:25:00Z"))
            .value();
    ASSERT_EQ(std::get<Plan>(plan).releases.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(std::get<Plan>(plan).releases[i], rows[i + 1].run);
}

TEST(Release, ResumingReleasesWhatNoRunIsLeftToRelease) {
    auto life = with_three_waiting();
    life.pause("2026-06-01T13:05:00Z");
    EXPECT_EQ(life.finish("2026-06-01T13:10:00Z").back(), "paused, 3 buffered");
    EXPECT_EQ(life.resume("2026-06-01T13:20:00Z"), (Lines{"release tick 2026-06-01T11:00:00Z dispatched #2",
                                                          "active, next 2026-06-01T14:00:00Z, 2 buffered"}));
}

TEST(Release, APauseThatRunsOutReleasesToo) {
    auto life = with_three_waiting();
    life.pause("2026-06-01T13:05:00Z", {.until = instant("2026-06-01T13:30:00Z")});
    life.finish("2026-06-01T13:10:00Z");
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z").front(), "release tick 2026-06-01T11:00:00Z dispatched #2");
}

TEST(Release, ATickReleasesBeforeTheScheduleIsDueOnceDispatchIsOnAgain) {
    auto life = with_three_waiting();
    life.facts.switches.tenant = false;
    EXPECT_EQ(life.finish("2026-06-01T13:10:00Z").back(), "active, next 2026-06-01T14:00:00Z, 3 buffered");
    EXPECT_TRUE(waits_for_release(life.state()));
    EXPECT_EQ(life.tick("2026-06-01T13:20:00Z"), Lines{"nothing"});
    life.facts.switches.tenant = true;
    EXPECT_EQ(life.tick("2026-06-01T13:30:00Z"), (Lines{"release tick 2026-06-01T11:00:00Z dispatched #2",
                                                        "active, next 2026-06-01T14:00:00Z, 2 buffered"}));
    EXPECT_FALSE(waits_for_release(life.state()));
}

TEST(Release, ACompletedScheduleKeepsWhatWaitsWhileDispatchIsOff) {
    Life life("2026-06-01T09:30:00Z", buffering([](auto& schedule) {
                  schedule.spec = {.at = {"2026-06-01T10:00:00Z", "2026-06-01T10:05:00Z"}};
              }));
    life.play("2026-06-01T10:05:00Z");
    life.facts.switches.tenant = false;
    EXPECT_EQ(life.finish("2026-06-01T10:10:00Z").back(), "completed, 1 buffered");
    life.facts.switches.tenant = true;
    EXPECT_EQ(life.tick("2026-06-01T10:20:00Z"),
              (Lines{"release tick 2026-06-01T10:05:00Z dispatched #2", "completed"}));
}

TEST(Release, ATriggerQueuesBehindWhatWaits) {
    auto life = with_three_waiting();
    life.facts.switches.tenant = false;
    life.finish("2026-06-01T13:10:00Z");
    life.facts.switches.tenant = true;
    EXPECT_EQ(life.trigger("2026-06-01T13:20:00Z"),
              (Lines{"release tick 2026-06-01T11:00:00Z dispatched #2", "trigger 2026-06-01T13:20:00Z buffered",
                     "active, next 2026-06-01T14:00:00Z, 3 buffered"}));
    auto hurried = with_three_waiting();
    hurried.facts.switches.tenant = false;
    hurried.finish("2026-06-01T13:10:00Z");
    hurried.facts.switches.tenant = true;
    EXPECT_EQ(hurried.trigger("2026-06-01T13:20:00Z", {.overlap = allow_all}).front(),
              "trigger 2026-06-01T13:20:00Z dispatched #2")
        << "who asks for another policy waits for nobody";
}

TEST(Release, WhatASignalDecidesWaitsForATickWhichAsksIt) {
    auto life = with_three_waiting([](auto& schedule) {
        schedule.condition = test::json(R"({"/signal_rpc_result/go":{"neq":false}})");
        schedule.signal = model::Signal{.url = "http://kpi.example/"};
    });
    EXPECT_EQ(life.finish("2026-06-01T13:10:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "active, next 2026-06-01T14:00:00Z, 3 buffered"}));
    EXPECT_TRUE(waits_for_release(life.state()));
    EXPECT_EQ(life.trigger("2026-06-01T13:10:00.5Z").front(), "trigger 2026-06-01T13:10:00.500000Z buffered")
        << "there is room, and others wait";
    life.facts.signal_result = test::json(R"({"go":true})");
    EXPECT_EQ(life.tick("2026-06-01T13:10:01Z").front(), "release tick 2026-06-01T11:00:00Z dispatched #2");
}

}  // namespace
}  // namespace belfry::decide
