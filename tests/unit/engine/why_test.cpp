#include "engine/explain/why.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine::why_test {

namespace {

using decide::Verdict;
using model::SkipReason;
using test::EngineWorld;
using test::instant;

// "report" fires every hour in UTC and was created at 10:00:30 on Monday, 1 June 2026.
constexpr const char* kStart = "2026-06-01T10:00:30Z";

WhyAnswer ask(EngineWorld& world, const std::string& at,
              const store::ScheduleRef& ref = {.tenant = "default", .name = "report"}) {
    auto answer = why(*world.store, test::zones(), ref, instant(at));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : WhyAnswer{};
}

std::string verdict(EngineWorld& world, const std::string& at) {
    return std::string(name_of(ask(world, at).why.verdict));
}

bool says(const WhyAnswer& answer, std::string_view words) {
    return (answer.why.answer + " " + answer.why.explanation).find(words) != std::string::npos;
}

void finish(EngineWorld& world, const model::Run& run, model::ExecutionStatus status, const std::string& error = {}) {
    decide::AttemptEnd end;
    end.status = status;
    end.error = error;
    ASSERT_TRUE(world.runs.finish("default", run.id, {}, end));
}

}  // namespace

TEST(Why, TellsOfARunAndHowItWent) {
    EngineWorld world(kStart);
    world.create();
    world.play("2026-06-01T11:00:00Z");
    auto answer = ask(world, "2026-06-01T11:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::dispatched);
    EXPECT_TRUE(says(answer, "waits for a worker")) << answer.why.answer;
    ASSERT_EQ(answer.runs.size(), 1U);
    ASSERT_EQ(answer.events.size(), 1U);
    EXPECT_EQ(answer.events.front().event.type, model::EventType::schedule_triggered);
    EXPECT_EQ(answer.why.previous_occurrence, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(answer.why.next_occurrence, instant("2026-06-01T12:00:00Z"));

    finish(world, answer.runs.front(), model::ExecutionStatus::failed, "no paper");
    answer = ask(world, "2026-06-01T11:00:00Z");
    EXPECT_TRUE(says(answer, "failed")) << answer.why.answer;
    EXPECT_TRUE(says(answer, "no paper")) << answer.why.answer;
}

TEST(Why, TellsWhyAnOccurrenceWasSkipped) {
    EngineWorld world(kStart);
    world.create();
    world.play("2026-06-01T12:00:00Z");
    const auto answer = ask(world, "2026-06-01T12:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::skipped);
    EXPECT_EQ(answer.why.reason, SkipReason::overlap_in_flight);
    EXPECT_TRUE(says(answer, "an earlier run was still in flight")) << answer.why.answer;
}

TEST(Why, ShowsTheGuardsUpToTheOneThatRefused) {
    EngineWorld world(kStart);
    world.create();
    world.play("2026-06-01T12:00:00Z");
    const auto& guards = ask(world, "2026-06-01T12:00:00Z").why.guards;
    ASSERT_EQ(guards.size(), 12U);
    EXPECT_EQ(guards[7].outcome, decide::GuardOutcome::passed);
    EXPECT_EQ(guards[8].guard, "overlap");
    EXPECT_EQ(guards[8].outcome, decide::GuardOutcome::refused);
    EXPECT_TRUE(guards[8].text.ends_with("1 in flight")) << guards[8].text;
    EXPECT_EQ(guards[9].outcome, decide::GuardOutcome::not_reached);
    EXPECT_EQ(ask(world, "2026-06-01T11:00:00Z").why.guards.back().outcome, decide::GuardOutcome::passed);
    EXPECT_TRUE(ask(world, "2026-06-01T11:30:00Z").why.guards.empty()) << "no occurrence, so nothing was judged";
}

TEST(Why, FindsTheRecordOfManyThatCoversTheMoment) {
    EngineWorld world(kStart);
    world.create();
    world.play("2026-06-01T10:30:00Z");
    world.clock.set(instant("2026-06-02T10:30:00Z"));
    world.settle();
    const auto answer = ask(world, "2026-06-01T20:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::skipped);
    EXPECT_EQ(answer.why.reason, SkipReason::missed_run);
    ASSERT_FALSE(answer.runs.empty());
    ASSERT_TRUE(answer.runs.front().range);
    EXPECT_EQ(answer.runs.front().range->count, 24);
    EXPECT_TRUE(says(answer, "2026-06-02T10:00:00Z")) << answer.why.answer;
    EXPECT_EQ(verdict(world, "2026-06-01T20:30:00Z"), "not_an_occurrence")
        << "what lies between the occurrences of the record is none";
}

TEST(Why, TellsOfTheFutureAsThePreviewDoes) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) {
        schedule.calendars = {"weekends-only"};
        schedule.inputs_rotation = {Json(1), Json(2)};
    });
    EXPECT_EQ(verdict(world, "2026-06-06T11:00:00Z"), "will_dispatch");
    const auto answer = ask(world, "2026-06-02T11:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::will_skip);
    EXPECT_EQ(answer.why.reason, SkipReason::calendar);
    EXPECT_EQ(answer.why.guards[9].text, "a calendar does not allow that date: weekends-only");
    EXPECT_EQ(verdict(world, "2026-06-06T11:00:01Z"), "not_an_occurrence");
}

TEST(Why, KnowsThatMaxRunsWillBeUsedUp) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) { schedule.max_runs = 2; });
    EXPECT_EQ(verdict(world, "2026-06-01T12:00:00Z"), "will_dispatch");
    const auto answer = ask(world, "2026-06-01T13:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::completed);
    EXPECT_TRUE(says(answer, "maxRuns")) << answer.why.answer;
}

TEST(Why, TellsThatNothingWasPlannedAndWhatIsNear) {
    EngineWorld world(kStart);
    world.create();
    world.play("2026-06-01T13:10:00Z");
    const auto answer = ask(world, "2026-06-01T12:34:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::not_an_occurrence);
    EXPECT_TRUE(says(answer, "the occurrence before is 2026-06-01T12:00:00Z, the next is 2026-06-01T13:00:00Z"))
        << answer.why.answer;
    EXPECT_TRUE(answer.runs.empty());
}

TEST(Why, NamesTheWindow) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) { schedule.spec.end_at = "2026-06-01T15:00:00Z"; });
    const auto answer = ask(world, "2026-06-01T16:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::not_an_occurrence);
    EXPECT_TRUE(says(answer, "after endAt, 2026-06-01T15:00:00Z")) << answer.why.explanation;
}

TEST(Why, BeforeItsCreationThereWasNothing) {
    EngineWorld world(kStart);
    world.create();
    const auto answer = ask(world, "2026-06-01T09:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::not_created);
    EXPECT_TRUE(says(answer, "created at 2026-06-01T10:00:30Z")) << answer.why.answer;
    EXPECT_TRUE(says(answer, "backfill")) << answer.why.explanation;
}

TEST(Why, TellsOfAPauseThatIsOverByItsHistory) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    const store::ScheduleRef ref{.tenant = "default", .name = "report"};
    world.play("2026-06-01T11:30:00Z");
    ASSERT_TRUE(world.schedules.pause(ref, {.reason = "stocktaking"}, {.principal = "ada"}));
    EXPECT_EQ(verdict(world, "2026-06-01T13:00:00Z"), "paused") << "while it lies ahead";
    world.play("2026-06-01T13:30:00Z");
    ASSERT_TRUE(world.schedules.resume(ref, {}));
    world.play("2026-06-01T15:30:00Z");
    const auto answer = ask(world, "2026-06-01T12:00:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::paused);
    EXPECT_TRUE(says(answer, "paused since 2026-06-01T11:30:00Z by ada, because: stocktaking")) << answer.why.answer;
    EXPECT_EQ(verdict(world, "2026-06-01T11:00:00Z"), "dispatched");
    EXPECT_EQ(verdict(world, "2026-06-01T14:00:00Z"), "dispatched");
}

TEST(Why, APauseWithAnEndLetsLaterOccurrencesFire) {
    EngineWorld world(kStart);
    world.create();
    ASSERT_TRUE(
        world.schedules.pause({.tenant = "default", .name = "report"}, {.until = instant("2026-06-01T12:30:00Z")}, {}));
    EXPECT_EQ(verdict(world, "2026-06-01T12:00:00Z"), "paused");
    EXPECT_EQ(verdict(world, "2026-06-01T13:00:00Z"), "will_dispatch");
}

TEST(Why, JudgesTheOldTimesByTheOldDefinition) {
    EngineWorld world(kStart);
    world.create();
    world.play("2026-06-01T12:30:00Z");
    const auto changed = world.schedules.update({.tenant = "default", .name = "report"}, {},
                                                [](model::Schedule schedule) -> Result<model::Schedule> {
                                                    schedule.spec.cron = {"15 * * * *"};
                                                    return schedule;
                                                },
                                                {});
    ASSERT_TRUE(changed) << changed.error().message;
    world.play("2026-06-01T14:00:00Z");
    const auto answer = ask(world, "2026-06-01T12:15:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::not_an_occurrence) << "12:15 was none when it came";
    EXPECT_EQ(answer.why.next_occurrence, instant("2026-06-01T13:00:00Z")) << "by the times that it had then";
    EXPECT_TRUE(says(answer, "changed since")) << answer.why.explanation;
    EXPECT_EQ(verdict(world, "2026-06-01T12:00:00Z"), "skipped");
    EXPECT_EQ(verdict(world, "2026-06-01T13:15:00Z"), "skipped");
    EXPECT_EQ(verdict(world, "2026-06-01T13:00:00Z"), "not_an_occurrence");
}

TEST(Why, TheAuditAnswersWhenTheRowHasBeenPruned) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    for (int hour = 11; hour <= 14; ++hour) {
        const auto at = "2026-06-01T" + std::to_string(hour) + ":00:00Z";
        world.play(at);
        finish(world, ask(world, at).runs.front(), model::ExecutionStatus::succeeded);
    }
    ASSERT_EQ(world.store->prune({.tenant = "default", .name = "report"}, {.keep_newest = 1}, 100).value(), 3);
    const auto answer = ask(world, "2026-06-01T12:00:00Z");
    EXPECT_TRUE(answer.runs.empty());
    EXPECT_EQ(answer.why.verdict, Verdict::dispatched);
    EXPECT_TRUE(says(answer, "has been pruned")) << answer.why.explanation;
    EXPECT_EQ(answer.events.size(), 1U);
}

TEST(Why, ADeletedScheduleStillAnswers) {
    EngineWorld world(kStart);
    const auto id = world.create().definition.id;
    world.play("2026-06-01T11:30:00Z");
    ASSERT_TRUE(world.schedules.remove({.tenant = "default", .name = "report"}, "old", {}));
    world.play("2026-06-01T14:00:00Z");
    const store::ScheduleRef ref{.tenant = "default", .id = id};
    EXPECT_EQ(ask(world, "2026-06-01T11:00:00Z", ref).why.verdict, Verdict::dispatched);
    EXPECT_EQ(ask(world, "2026-06-01T12:00:00Z", ref).why.verdict, Verdict::deleted);
    EXPECT_EQ(ask(world, "2026-06-01T15:00:00Z", ref).why.verdict, Verdict::deleted);
}

TEST(Why, AnOccurrenceThatNobodyHasDecidedYetIsDue) {
    EngineWorld world(kStart);
    world.create();
    world.settle();
    world.clock.set(instant("2026-06-01T11:00:05Z"));
    EXPECT_EQ(verdict(world, "2026-06-01T11:00:00Z"), "due");
}

TEST(Why, FindsATriggerByItsMinuteAndNamesTheOthers) {
    EngineWorld world("2026-06-01T10:05:17.250Z");
    world.create([](model::Schedule& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    ASSERT_TRUE(world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {}));
    ASSERT_TRUE(world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {}));
    const auto answer = ask(world, "2026-06-01T10:05:00Z");
    EXPECT_EQ(answer.why.verdict, Verdict::dispatched);
    EXPECT_EQ(answer.runs.size(), 2U);
    EXPECT_TRUE(says(answer, "A trigger was started")) << answer.why.answer;
    EXPECT_EQ(verdict(world, "2026-06-01T10:05:17Z"), "dispatched") << "and by its second";
    EXPECT_EQ(verdict(world, "2026-06-01T10:05:16Z"), "not_created");
}

TEST(Why, AScheduleWhoseInstantsHaveFiredIsCompleted) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) {
        schedule.spec = {};
        schedule.spec.at = {"2026-06-01T11:00:00Z"};
    });
    world.play("2026-06-01T12:00:00Z");
    EXPECT_EQ(verdict(world, "2026-06-01T11:00:00Z"), "dispatched");
    EXPECT_EQ(verdict(world, "2026-06-01T11:30:00Z"), "completed");
    EXPECT_EQ(verdict(world, "2026-06-01T13:00:00Z"), "completed");
}

TEST(Why, FindsAMomentAmongThousandsOfEvents) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) {
        schedule.spec.cron = {"* * * * * *"};
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
    });
    world.play("2026-06-01T12:00:00Z");
    const auto answer = ask(world, "2026-06-01T10:20:34Z");
    EXPECT_EQ(answer.why.verdict, Verdict::dispatched);
    ASSERT_EQ(answer.events.size(), 1U);
    EXPECT_TRUE(decide::tells_about(answer.events.front().event, instant("2026-06-01T10:20:34Z")));
}

}  // namespace belfry::engine::why_test
