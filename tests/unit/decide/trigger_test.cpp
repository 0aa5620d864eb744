#include "decide/schedule/trigger.hpp"

#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using enum model::OverlapPolicy;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;

TEST(PlanTrigger, RunsNowBesideTheScheduleAndLeavesTheCursorAlone) {
    Life life("2026-06-01T09:30:00Z");
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00.123456Z"),
              (Lines{"trigger 2026-06-01T09:40:00.123000Z dispatched #1", "active, next 2026-06-01T10:00:00Z"}));
    EXPECT_EQ(life.plan.runs.front().fire_at, instant("2026-06-01T09:40:00.123456Z"));
    EXPECT_EQ(life.plan.events.front().payload.at("workflow_instance_id"), Json("schedule:report:1780306800123"));
    EXPECT_EQ(life.plan.events.front().payload.at("cause"), Json("trigger"));
}

TEST(PlanTrigger, WaitsForNoJitter) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT30M"; });
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z").front(), "trigger 2026-06-01T09:40:00Z dispatched #1");
}

TEST(PlanTrigger, PassesWindowCalendarsAndCondition) {
    Life life("2026-06-02T09:30:00Z", [](auto& schedule) {
        schedule.spec.start_at = "2026-07-01T00:00:00Z";
        schedule.calendars = {"june-2nd", "gone"};
        schedule.condition = test::json(R"({"/last_24h_stats/total":{"gt":99}})");
    });
    EXPECT_EQ(life.trigger("2026-06-02T09:40:00Z").front(), "trigger 2026-06-02T09:40:00Z dispatched #1");
}

TEST(PlanTrigger, NeverPassesOverlapOrApproval) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.approval.requires_approval = true; });
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z").front(),
              "trigger 2026-06-01T09:40:00Z dispatched #1 awaiting_approval");
    EXPECT_EQ(life.trigger("2026-06-01T09:41:00Z").front(),
              "trigger 2026-06-01T09:41:00Z skipped overlap_in_flight (1 in flight)");
}

TEST(PlanTrigger, OverlapActsAsItDoesForTicks) {
    Life cancelling("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.overlap.policy = cancel_other; });
    cancelling.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(cancelling.trigger("2026-06-01T10:10:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z cancelled (replaced by a newer run)",
                     "trigger 2026-06-01T10:10:00Z dispatched #2", "active, next 2026-06-01T11:00:00Z"}));
    Life buffering("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.overlap.policy = buffer_one; });
    buffering.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(buffering.trigger("2026-06-01T10:10:00Z"),
              (Lines{"trigger 2026-06-01T10:10:00Z buffered", "active, next 2026-06-01T11:00:00Z, 1 buffered"}));
    EXPECT_EQ(events_of(buffering.plan),
              Lines{R"(3 ScheduleTriggerBuffered {"occurrence_time":"2026-06-01T10:10:00Z",)"
                    R"("effective_overlap_policy":"buffer_one","buffered_count":1,"cause":"trigger"})"});
}

TEST(PlanTrigger, TakesAnOverlapPolicyOfItsOwn) {
    Life life("2026-06-01T09:30:00Z");
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.trigger("2026-06-01T10:10:00Z", {.overlap = allow_all}).front(),
              "trigger 2026-06-01T10:10:00Z dispatched #2");
    EXPECT_EQ(life.plan.runs.front().overlap, allow_all);
}

TEST(PlanTrigger, TakesAnInputOfItsOwnWithoutATurnInTheRotation) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.inputs_rotation = {test::json("1"), test::json("2")};
    });
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z", {.input = test::json(R"({"x":1})")}).front(),
              R"(trigger 2026-06-01T09:40:00Z dispatched #1 {"x":1})");
    EXPECT_EQ(life.state().rotation_index, 0);
}

TEST(PlanTrigger, AnExplicitNullIsAnInputToo) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.inputs_template = test::json("7"); });
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z", {.input = Json(nullptr)}).front(),
              "trigger 2026-06-01T09:40:00Z dispatched #1");
}

TEST(PlanTrigger, WhatIsNotActiveAnswersStatusNotTriggerable) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:35:00Z");
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z"),
              (Lines{"trigger 2026-06-01T09:40:00Z skipped status_not_triggerable (paused)", "paused"}));
    life.remove("2026-06-01T09:45:00Z");
    EXPECT_EQ(life.trigger("2026-06-01T09:50:00Z"),
              (Lines{"trigger 2026-06-01T09:50:00Z skipped status_not_triggerable (deleted)", "deleted"}));
}

TEST(PlanTrigger, CountsAgainstMaxRunsAndTheLastOneDeletesTheSchedule) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.max_runs = 2;
        schedule.overlap.policy = allow_all;
    });
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.trigger("2026-06-01T10:10:00Z", {}, {.principal = "ada"}),
              (Lines{"trigger 2026-06-01T10:10:00Z dispatched #2", "deleted"}));
    EXPECT_EQ(events_of(life.plan).back(),
              R"(4 ScheduleDeleted {"reason":"max_runs_exhausted","deleted_at":"2026-06-01T10:10:00Z",)"
              R"("command_context":{"principal":"ada"}})");
    EXPECT_EQ(life.trigger("2026-06-01T10:20:00Z").front(),
              "trigger 2026-06-01T10:20:00Z skipped status_not_triggerable (deleted)");
}

TEST(PlanTrigger, ASecondOneInTheSameMillisecondIsAConflict) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.overlap.policy = allow_all; });
    life.trigger("2026-06-01T09:40:00.001200Z");
    const auto second = plan_trigger(life.facts, {}, instant("2026-06-01T09:40:00.001900Z"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00.002Z").front(), "trigger 2026-06-01T09:40:00.002000Z dispatched #2");
}

TEST(PlanTrigger, ASecondOneInTheSameMillisecondIsAConflictWhileNothingMayBeTriggeredToo) {
    Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:35:00Z");
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z").front(),
              "trigger 2026-06-01T09:40:00Z skipped status_not_triggerable (paused)");
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z"),
              Lines{"refused: another trigger of this schedule has the same millisecond"});
}

TEST(PlanTrigger, OnAnOccurrenceDoesNotTakeThePlaceOfTheTick) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.overlap.policy = allow_all; });
    EXPECT_EQ(life.trigger("2026-06-01T10:00:00Z").front(), "trigger 2026-06-01T10:00:00Z dispatched #1");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(), "tick 2026-06-01T10:00:00Z dispatched #2");
}

TEST(PlanTrigger, RecordsWhoAskedAndWhyAndLeavesOutWhatIsBlank) {
    Life life("2026-06-01T09:30:00Z");
    life.trigger("2026-06-01T09:40:00Z", {}, {.principal = "ada", .reason = "customer asked"});
    EXPECT_EQ(life.plan.events.front().payload.at("command_context"),
              test::json(R"({"principal":"ada","reason":"customer asked"})"));
    life.finish("2026-06-01T09:41:00Z");
    life.trigger("2026-06-01T09:42:00Z");
    EXPECT_FALSE(life.plan.events.front().payload.as_object().contains("command_context"));
}

}  // namespace
}  // namespace belfry::decide
