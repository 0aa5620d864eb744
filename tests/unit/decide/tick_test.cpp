#include "decide/schedule/tick.hpp"

#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using test::events_of;
using test::instant;
using test::Life;
using test::Lines;
using test::lines_of;

void every_minute(model::Schedule& schedule) {
    schedule.spec.cron = {"* * * * *"};
    schedule.overlap.policy = model::OverlapPolicy::allow_all;
    schedule.missed.policy = model::MissedPolicy::fire_all;
}

TEST(PlanTick, FiresTheOccurrenceThatIsDueAndMovesTheCursorToTheNext) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "active, next 2026-06-01T11:00:00Z"}));
    EXPECT_EQ(life.state().runs, 1);
    EXPECT_EQ(life.state().in_flight, 1);
    EXPECT_EQ(life.state().last_fired_at, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(life.state().last_run_id, life.plan.runs.front().id);
}

TEST(PlanTick, IsOneWholePlanThatCanBeComparedWithAnother) {
    const auto facts = test::facts_at("2026-06-01T09:30:00Z");
    const auto now = instant("2026-06-01T10:00:00Z");

    const model::RunSlot slot{model::RunCause::tick, now};
    const auto id = run_id(facts.schedule->definition.id, slot);
    Plan expected{facts.schedule->definition.id, 1, now};
    expected.runs.push_back({.id = id,
                             .slot = slot,
                             .fire_at = now,
                             .dispatch = model::DispatchStatus::dispatched,
                             .execution = model::ExecutionStatus::queued,
                             .trigger_number = 1,
                             .overlap = model::OverlapPolicy::skip});
    expected.state = facts.state;
    expected.state.revision = 2;
    expected.state.next_occurrence = expected.state.next_fire = instant("2026-06-01T11:00:00Z");
    expected.state.runs = 1;
    expected.state.in_flight = 1;
    expected.state.last_fired_at = now;
    expected.state.last_run_id = id;
    expected.state.newest_decided = now;
    expected.state.events = 2;
    expected.events.push_back(
        {2, model::EventType::schedule_triggered, now,
         test::json(R"({"workflow_instance_id":"schedule:report:1780308000","workflow_run_id":")" + id +
                    R"(","outcome":"queued","effective_overlap_policy":"skip","trigger_number":1,)"
                    R"("occurrence_time":"2026-06-01T10:00:00Z","cause":"tick"})")});

    EXPECT_EQ(plan_tick(facts, now), expected);
    EXPECT_EQ(plan_tick(facts, now), plan_tick(facts, now)) << "the same facts and the same now give the same plan";
}

TEST(PlanTick, DecidesNothingBeforeTheFireTime) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.tick("2026-06-01T09:59:59.999999Z"), Lines{"nothing"});
}

TEST(PlanTick, DecidesAnOccurrenceOnce) {
    Life life("2026-06-01T09:30:00Z");
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"), Lines{"nothing"});
    EXPECT_EQ(life.tick("2026-06-01T10:00:30Z"), Lines{"nothing"});
}

TEST(PlanTick, ANewScheduleDoesNotFireForTheInstantOfItsCreation) {
    Life life("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"), Lines{"nothing"});
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T11:00:00Z"));
}

TEST(PlanTick, LateInsideTheGraceIsMerelyLateAndFires) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.tick("2026-06-01T10:01:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "active, next 2026-06-01T11:00:00Z"}));
    EXPECT_EQ(life.state().last_fired_at, instant("2026-06-01T10:01:00Z"));
}

TEST(PlanTick, LaterThanTheGraceIsMissed) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(
        life.tick("2026-06-01T10:01:00.000001Z"),
        (Lines{"tick 2026-06-01T10:00:00Z skipped missed_run (policy skip)", "active, next 2026-06-01T11:00:00Z"}));
    EXPECT_EQ(life.state().last_fired_at, std::nullopt);
}

TEST(PlanTick, SeveralOccurrencesInsideTheGraceAllFireOldestFirst) {
    Life life("2026-06-01T09:59:30Z", [](auto& schedule) {
        every_minute(schedule);
        schedule.missed.grace = std::chrono::minutes{5};
    });
    EXPECT_EQ(life.tick("2026-06-01T10:02:30Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:01:00Z dispatched #2",
                     "tick 2026-06-01T10:02:00Z dispatched #3", "active, next 2026-06-01T10:03:00Z"}));
}

TEST(PlanTick, CatchingUpIsPacedAndTheCursorWaitsWhereItStopped) {
    Life life("2026-06-01T09:59:30Z", every_minute);
    const Limits limits{.catchup_per_tick = 2};
    EXPECT_EQ(life.tick("2026-06-01T10:04:10Z", limits),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:01:00Z dispatched #2",
                     "active, next 2026-06-01T10:02:00Z"}));
    EXPECT_EQ(life.tick("2026-06-01T10:04:10Z", limits),
              (Lines{"tick 2026-06-01T10:02:00Z dispatched #3", "tick 2026-06-01T10:03:00Z dispatched #4",
                     "active, next 2026-06-01T10:04:00Z"}));
    EXPECT_EQ(life.tick("2026-06-01T10:04:10Z", limits),
              (Lines{"tick 2026-06-01T10:04:00Z dispatched #5", "active, next 2026-06-01T10:05:00Z"}));
    EXPECT_EQ(life.tick("2026-06-01T10:04:10Z", limits), Lines{"nothing"});
}

TEST(PlanTick, PacingDropsNothingWhateverThePace) {
    for (const int pace : {1, 2, 3, 7, 100}) {
        Life life("2026-06-01T09:59:30Z", every_minute);
        Lines all;
        for (int ticks = 0; ticks < 100; ++ticks) {
            const auto lines = life.tick("2026-06-01T10:19:30Z", {.catchup_per_tick = pace});
            if (life.plan.empty()) break;
            EXPECT_LE(life.plan.runs.size(), static_cast<std::size_t>(pace));
            all.insert(all.end(), lines.begin(), lines.end() - 1);
        }
        ASSERT_EQ(all.size(), 20U) << pace;
        EXPECT_EQ(all.front(), "tick 2026-06-01T10:00:00Z dispatched #1");
        EXPECT_EQ(all.back(), "tick 2026-06-01T10:19:00Z dispatched #20");
    }
}

TEST(PlanTick, AOneTimeScheduleFiresOnceAndIsCompleted) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec = {.at = {"2026-06-01T10:00:00Z"}}; });
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"), (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "completed"}));
    EXPECT_EQ(events_of(life.plan).back(), R"(3 ScheduleCompleted {"reason":"all_instants_fired"})");
    EXPECT_EQ(life.tick("2026-06-02T10:00:00Z"), Lines{"nothing"});
}

TEST(PlanTick, AOneTimeScheduleThatWasMissedIsCompletedWithThatOutcome) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec = {.at = {"2026-06-01T10:00:00Z"}}; });
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z"),
              (Lines{"tick 2026-06-01T10:00:00Z skipped missed_run (policy skip)", "completed"}));
}

TEST(PlanTick, TheEndOfTheWindowIsIncludedAndCompletesTheSchedule) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.end_at = "2026-06-01T11:00:00Z"; });
    life.tick("2026-06-01T10:00:00Z");
    life.finish("2026-06-01T10:10:00Z");
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z"), (Lines{"tick 2026-06-01T11:00:00Z dispatched #2", "completed"}));
    EXPECT_EQ(events_of(life.plan).back(), R"(4 ScheduleCompleted {"reason":"no_occurrence_left"})");
}

TEST(PlanTick, NothingFiresBeforeTheStartOfTheWindow) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.start_at = "2026-06-03T00:00:00Z"; });
    EXPECT_EQ(life.tick("2026-06-02T23:59:59Z"), Lines{"nothing"});
    EXPECT_EQ(life.tick("2026-06-03T00:00:00Z"),
              (Lines{"tick 2026-06-03T00:00:00Z dispatched #1", "active, next 2026-06-03T01:00:00Z"}));
}

TEST(PlanTick, ATakenSlotIsPassedInSilence) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T10:00:00Z")});
    const auto plan = plan_tick(facts, instant("2026-06-01T10:00:00Z"));
    test::expect_sound(facts, plan);
    EXPECT_EQ(lines_of(facts, plan), Lines{"active, next 2026-06-01T11:00:00Z"});
    EXPECT_EQ(plan.events, std::vector<model::Event>{});
    EXPECT_EQ(plan.state.skips, 0);
}

TEST(PlanTick, ATakenSlotIsPassedInSilenceEvenWhenAnEarlierGuardRefuses) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T10:00:00Z")});
    facts.switches.server = false;
    const auto plan = plan_tick(facts, instant("2026-06-01T10:00:00Z"));
    test::expect_sound(facts, plan);
    EXPECT_EQ(lines_of(facts, plan), Lines{"active, next 2026-06-01T11:00:00Z"});
}

// A clock that was set back, then an outage: the cursor stands on occurrences that have their outcome.
TEST(PlanTick, TakenSlotsAtTheStartOfALongOutageArePassedInSilenceToo) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T10:00:00Z")});
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T11:00:00Z")});
    const auto plan = plan_tick(facts, instant("2026-06-01T15:30:00Z"));
    test::expect_sound(facts, plan);
    EXPECT_EQ(lines_of(facts, plan),
              (Lines{"tick 2026-06-01T12:00:00Z..2026-06-01T15:00:00Z skipped missed_run (policy skip) 4 occurrences",
                     "active, next 2026-06-01T16:00:00Z"}));
}

// Jitter had fired 12:00 early, before an update put the cursor back on it.
TEST(PlanTick, ARangeThatWasSkippedDoesNotCountTheRunsInsideIt) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T12:00:00Z")});
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T12:30:00Z")});  // of an older spec
    const auto plan = plan_tick(facts, instant("2026-06-01T14:30:00Z"));
    test::expect_sound(facts, plan);
    EXPECT_EQ(lines_of(facts, plan),
              (Lines{"tick 2026-06-01T10:00:00Z..2026-06-01T14:00:00Z skipped missed_run (policy skip) 4 occurrences",
                     "active, next 2026-06-01T15:00:00Z"}));
}

TEST(PlanTick, AnOutageWhoseOccurrencesAllHaveTheirOutcomeOnlyMovesTheCursor) {
    auto facts = test::facts_at("2026-06-01T09:30:00Z");
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T10:00:00Z")});
    facts.taken.push_back({model::RunCause::tick, instant("2026-06-01T11:00:00Z")});
    const auto plan = plan_tick(facts, instant("2026-06-01T11:30:00Z"));
    test::expect_sound(facts, plan);
    EXPECT_EQ(lines_of(facts, plan), Lines{"active, next 2026-06-01T12:00:00Z"});
}

TEST(PlanTick, JitterMovesTheFireTimeAndTheOccurrenceStaysTheIdentity) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT5M"; });
    const auto fire = *life.state().next_fire;
    const auto nominal = instant("2026-06-01T10:00:00Z");
    ASSERT_GT(fire, nominal) << "another id draws another offset: choose one that is not zero";
    ASSERT_LE(fire, nominal + std::chrono::minutes{5});
    EXPECT_EQ(life.state().next_occurrence, nominal);

    EXPECT_EQ(life.tick(format_instant(fire - Micros{1})), Lines{"nothing"});
    EXPECT_EQ(life.tick(format_instant(fire)).front(), "tick 2026-06-01T10:00:00Z dispatched #1");
    EXPECT_EQ(life.plan.runs.front().fire_at, fire);
    EXPECT_EQ(life.plan.runs.front().id, run_id(life.facts.schedule->definition.id, {model::RunCause::tick, nominal}));
    EXPECT_EQ(life.state().next_occurrence, instant("2026-06-01T11:00:00Z"));
}

TEST(PlanTick, JitterBeforeTheOccurrenceFiresEarlyAndOnce) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.before = "PT10M"; });
    const auto fire = *life.state().next_fire;
    ASSERT_LT(fire, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(life.tick(format_instant(fire)).front(), "tick 2026-06-01T10:00:00Z dispatched #1");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z"), Lines{"nothing"});
}

TEST(PlanTick, LatenessIsCountedFromTheFireTimeAndNotFromTheOccurrence) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT5M"; });
    const auto fire = *life.state().next_fire;
    const auto facts = life.facts;
    EXPECT_EQ(life.tick(format_instant(fire + Seconds{60})).front(), "tick 2026-06-01T10:00:00Z dispatched #1");
    const auto missed = plan_tick(facts, fire + Seconds{60} + Micros{1});
    EXPECT_EQ(lines_of(facts, missed).front(), "tick 2026-06-01T10:00:00Z skipped missed_run (policy skip)");
}

TEST(PlanTick, WhatIsPausedDeletedOrCompletedDoesNotTick) {
    Life paused("2026-06-01T09:30:00Z");
    paused.pause("2026-06-01T09:40:00Z");
    EXPECT_EQ(paused.tick("2026-06-01T12:00:00Z"), Lines{"nothing"});

    Life deleted("2026-06-01T09:30:00Z");
    deleted.remove("2026-06-01T09:40:00Z");
    EXPECT_EQ(deleted.tick("2026-06-01T12:00:00Z"), Lines{"nothing"});
}

TEST(PlanTick, ApprovalIsTheFirstStateOfTheRunAndCountsAsInFlight) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.approval.requires_approval = true; });
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(), "tick 2026-06-01T10:00:00Z dispatched #1 awaiting_approval");
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(),
              "tick 2026-06-01T11:00:00Z skipped overlap_in_flight (1 in flight)");
}

TEST(PlanTick, ABudgetIsSpentInsideOneTick) {
    Life life("2026-06-01T09:59:30Z", every_minute);
    life.facts.budget.limit_runs(2, 0, test::instant("2026-06-01T09:59:30Z"));
    EXPECT_EQ(life.tick("2026-06-01T10:03:10Z"),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched #1", "tick 2026-06-01T10:01:00Z dispatched #2",
                     "tick 2026-06-01T10:02:00Z skipped budget_exceeded (runsPerDay of the tenant: 2 of 2; it starts "
                     "again at 2026-06-02T00:00:00Z)",
                     "tick 2026-06-01T10:03:00Z skipped budget_exceeded (runsPerDay of the tenant: 2 of 2; it starts "
                     "again at 2026-06-02T00:00:00Z)",
                     "active, next 2026-06-01T10:04:00Z"}));
}

}  // namespace
}  // namespace belfry::decide
