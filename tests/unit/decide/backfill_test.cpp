#include "decide/schedule/backfill.hpp"

#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::backfill_test {
namespace {

using enum model::OverlapPolicy;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;
using test::lines_of;

test::Edit nightly(model::OverlapPolicy policy) {
    return [policy](model::Schedule& schedule) {
        schedule.spec.cron = {"0 2 * * *"};
        schedule.overlap.policy = policy;
    };
}

constexpr const char* kFrom = "2026-06-02T00:00:00Z";
constexpr const char* kTo = "2026-06-05T23:59:59Z";
constexpr const char* kNow = "2026-06-06T09:00:00Z";

const Lines kFourNights{"backfill 2026-06-02T02:00:00Z dispatched #1", "backfill 2026-06-03T02:00:00Z dispatched #2",
                        "backfill 2026-06-04T02:00:00Z dispatched #3", "backfill 2026-06-05T02:00:00Z dispatched #4",
                        "active, next 2026-06-07T02:00:00Z"};

TEST(PlanBackfill, FourNightsBeforeTheScheduleWasCreatedRunOldestFirst) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo), kFourNights);
    EXPECT_EQ(life.plan.events.front().payload.at("workflow_instance_id"), Json("schedule:report:backfill:1780365600"));
}

TEST(PlanBackfill, FourNightsOfAPausedWindowRun) {
    Life life("2026-06-01T09:00:00Z", nightly(allow_all));
    life.pause("2026-06-01T10:00:00Z");
    life.resume("2026-06-06T08:00:00Z");
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo), kFourNights);
}

// An outage leaves one record for all its occurrences; each of them may still be run.
TEST(PlanBackfill, FourNightsThatAnOutageSkippedRunEveryOneOfThem) {
    Life life("2026-06-01T09:00:00Z", nightly(allow_all));
    EXPECT_EQ(life.tick(kNow).front(),
              "tick 2026-06-02T02:00:00Z..2026-06-06T02:00:00Z skipped missed_run (policy skip) 5 occurrences");
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo), kFourNights);
}

TEST(PlanBackfill, ANightThatACalendarOrAConditionSkippedMayBeRunLater) {
    Life life("2026-06-01T09:00:00Z", [](auto& schedule) {
        nightly(allow_all)(schedule);
        schedule.condition = test::json(R"({"/last_24h_stats/total":{"gt":99}})");
    });
    EXPECT_EQ(
        life.tick("2026-06-02T02:00:00Z").front(),
        "tick 2026-06-02T02:00:00Z skipped condition_failed (/last_24h_stats/total is 0, must be greater than 99)");
    EXPECT_EQ(life.backfill("2026-06-02T09:00:00Z", kFrom, "2026-06-02T09:00:00Z").front(),
              "backfill 2026-06-02T02:00:00Z dispatched #1");
}

TEST(PlanBackfill, NeverRunsAnOccurrenceThatATickHasDispatched) {
    Life life("2026-06-01T09:00:00Z", nightly(allow_all));
    life.play("2026-06-03T02:00:00Z");
    life.tick(kNow);
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo),
              (Lines{"backfill 2026-06-04T02:00:00Z dispatched #3", "backfill 2026-06-05T02:00:00Z dispatched #4",
                     "active, next 2026-06-07T02:00:00Z"}));
}

TEST(PlanBackfill, NeverRunsAnOccurrenceThatWaitsInTheBuffer) {
    Life life("2026-06-01T09:00:00Z", nightly(buffer_one));
    life.play("2026-06-03T02:00:00Z");
    EXPECT_EQ(life.state().buffered, 1);
    EXPECT_EQ(life.backfill("2026-06-03T09:00:00Z", kFrom, "2026-06-03T09:00:00Z"), Lines{"nothing"});
}

TEST(PlanBackfill, AskedTwiceRunsOnce) {
    Life life(kNow, nightly(allow_all));
    life.backfill(kNow, kFrom, kTo);
    const auto dispatched = life.plan.runs.size();
    life.backfill(kNow, kFrom, kTo);
    EXPECT_TRUE(life.plan.runs.empty());
    EXPECT_EQ(life.plan.events.size(), dispatched) << "each is recorded as a slot that exists";
    EXPECT_EQ(life.plan.events.front().payload.at("reason"), Json("schedule_slot_exists"));
}

// What the cursor has not passed belongs to the ticks, or it would run twice.
TEST(PlanBackfill, LeavesWhatATickHasYetToDecideToTheTick) {
    Life life("2026-06-01T09:00:00Z", [](auto& schedule) {
        nightly(allow_all)(schedule);
        schedule.missed.policy = model::MissedPolicy::fire_all;
    });
    EXPECT_EQ(life.backfill("2026-06-03T09:00:00Z", "2026-06-01T00:00:00Z", "2026-06-03T09:00:00Z"),
              (Lines{"backfill 2026-06-01T02:00:00Z dispatched #1", "active, next 2026-06-02T02:00:00Z"}));
    EXPECT_EQ(life.tick("2026-06-03T09:00:00Z"),
              (Lines{"tick 2026-06-02T02:00:00Z dispatched #2", "tick 2026-06-03T02:00:00Z dispatched #3",
                     "active, next 2026-06-04T02:00:00Z"}));
}

TEST(PlanBackfill, LeavesAnOccurrenceWhoseJitterIsStillRunningToTheTick) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT50M"; });
    const auto fire = *life.state().next_fire;
    ASSERT_GT(fire, instant("2026-06-01T10:00:01Z"));
    EXPECT_EQ(life.backfill("2026-06-01T10:00:01Z", "2026-06-01T10:00:00Z", "2026-06-01T10:00:00Z"), Lines{"nothing"});
    EXPECT_EQ(life.tick(format_instant(fire)).front(), "tick 2026-06-01T10:00:00Z dispatched #1");
}

TEST(PlanBackfill, UsesTheCanonicalTimesWithoutJitterAndRunsAtOnce) {
    Life life(kNow, [](auto& schedule) {
        nightly(allow_all)(schedule);
        schedule.spec.jitter.after = "PT5M";
    });
    const auto lines = life.backfill(kNow, kFrom, kTo);
    EXPECT_EQ(Lines(lines.begin(), lines.end() - 1), Lines(kFourNights.begin(), kFourNights.end() - 1));
    for (const auto& run : life.plan.runs) EXPECT_EQ(run.fire_at, instant(kNow));
}

TEST(PlanBackfill, BothEndsOfTheRangeAreIncluded) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, "2026-06-02T02:00:00Z", "2026-06-03T02:00:00Z").size(), 3U);
}

TEST(PlanBackfill, BuffersBecomeAllowAll) {
    for (const auto policy : {buffer_one, buffer_all}) {
        Life life(kNow, nightly(policy));
        EXPECT_EQ(life.backfill(kNow, kFrom, kTo), kFourNights);
        for (const auto& run : life.plan.runs) EXPECT_EQ(run.overlap, allow_all);
    }
}

TEST(PlanBackfill, OverlapAppliesToEachOccurrence) {
    Life life(kNow, nightly(skip));
    EXPECT_EQ(life.backfill(kNow, kFrom, "2026-06-03T23:59:59Z"),
              (Lines{"backfill 2026-06-02T02:00:00Z dispatched #1",
                     "backfill 2026-06-03T02:00:00Z skipped overlap_in_flight (1 in flight)",
                     "active, next 2026-06-07T02:00:00Z"}));
    Life cancelling(kNow, nightly(cancel_other));
    EXPECT_EQ(cancelling.backfill(kNow, kFrom, "2026-06-03T23:59:59Z"),
              (Lines{"backfill 2026-06-02T02:00:00Z dispatched #1 cancelled",
                     "backfill 2026-06-03T02:00:00Z dispatched #2", "active, next 2026-06-07T02:00:00Z"}));
}

TEST(PlanBackfill, AnOverrideReplacesThePolicy) {
    Life life(kNow, nightly(skip));
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo, allow_all), kFourNights);
    Life buffered(kNow, nightly(skip));
    EXPECT_EQ(buffered.backfill(kNow, kFrom, kTo, buffer_all), kFourNights)
        << "an override that buffers is allow_all as well";
    Life skipping(kNow, nightly(allow_all));
    EXPECT_EQ(skipping.backfill(kNow, kFrom, kTo, skip)[1],
              "backfill 2026-06-03T02:00:00Z skipped overlap_in_flight (1 in flight)");
}

TEST(PlanBackfill, HonoursCalendarsAndApprovalAndNotTheCondition) {
    Life life(kNow, [](auto& schedule) {
        nightly(allow_all)(schedule);
        schedule.calendars = {"june-2nd"};
        schedule.approval.requires_approval = true;
        schedule.condition = test::json(R"({"/last_24h_stats/total":{"gt":99}})");
    });
    EXPECT_EQ(
        life.backfill(kNow, kFrom, "2026-06-03T23:59:59Z"),
        (Lines{"backfill 2026-06-02T02:00:00Z skipped calendar (june-2nd)",
               "backfill 2026-06-03T02:00:00Z dispatched #1 awaiting_approval", "active, next 2026-06-07T02:00:00Z"}));
}

TEST(PlanBackfill, ADryRunIsThePlanThatNobodyApplies) {
    Life life(kNow, nightly(allow_all));
    const auto before = life.facts;
    const auto dry = plan_backfill(life.facts, {instant(kFrom), instant(kTo), {}}, instant(kNow), 100).value();
    EXPECT_EQ(life.facts.state, before.state);
    EXPECT_EQ(lines_of(life.facts, dry.plan), kFourNights);
    life.backfill(kNow, kFrom, kTo);
    EXPECT_EQ(life.plan, dry.plan);
}

TEST(PlanBackfill, MaxRunsEndsItMidWayAndDeletesTheSchedule) {
    Life life(kNow, [](auto& schedule) {
        nightly(allow_all)(schedule);
        schedule.max_runs = 2;
    });
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo, {}, 3),
              (Lines{"backfill 2026-06-02T02:00:00Z dispatched #1", "backfill 2026-06-03T02:00:00Z dispatched #2",
                     "deleted"}));
    EXPECT_EQ(events_of(life.plan).back(),
              R"(4 ScheduleDeleted {"reason":"max_runs_exhausted","deleted_at":"2026-06-06T09:00:00Z"})");
}

TEST(PlanBackfill, ALongRangeComesInPages) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo, {}, 3),
              (Lines{"backfill 2026-06-02T02:00:00Z dispatched #1", "backfill 2026-06-03T02:00:00Z dispatched #2",
                     "backfill 2026-06-04T02:00:00Z dispatched #3", "active, next 2026-06-07T02:00:00Z",
                     "next page from 2026-06-05T02:00:00Z"}));
    EXPECT_EQ(life.backfill(kNow, "2026-06-05T02:00:00Z", kTo, {}, 3),
              (Lines{"backfill 2026-06-05T02:00:00Z dispatched #4", "active, next 2026-06-07T02:00:00Z"}));
}

TEST(PlanBackfill, APageThatEndsWithTheRangeIsTheLast) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo, {}, 4), kFourNights);
}

TEST(PlanBackfill, ARangeThatIsEmptyOrNotInThePastIsRefused) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, kTo, kFrom), Lines{"refused: to is before from"});
    EXPECT_EQ(life.backfill(kNow, kFrom, "2026-06-06T09:00:01Z"),
              Lines{"refused: a backfill covers the past: to must not be after now"});
}

TEST(PlanBackfill, ARangeWithoutOccurrencesDecidesNothing) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, "2026-06-02T03:00:00Z", "2026-06-02T23:00:00Z"), Lines{"nothing"});
}

TEST(PlanBackfill, OnlyOccurrencesInsideTheWindowRun) {
    Life life(kNow, [](auto& schedule) {
        nightly(allow_all)(schedule);
        schedule.spec.start_at = "2026-06-05T00:00:00Z";
    });
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo),
              (Lines{"backfill 2026-06-05T02:00:00Z dispatched #1", "active, next 2026-06-07T02:00:00Z"}));
}

TEST(PlanBackfill, WhatIsDeletedIsRefused) {
    Life life(kNow, nightly(allow_all));
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo), kFourNights);
    life.remove(kNow);
    EXPECT_EQ(life.backfill(kNow, kFrom, kTo), Lines{"refused: cannot backfill a schedule that is deleted"});
}

}  // namespace
}  // namespace belfry::decide::backfill_test
