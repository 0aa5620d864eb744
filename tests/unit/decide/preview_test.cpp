#include "decide/explain/preview.hpp"

#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using test::facts_at;
using test::instant;
using test::Lines;
using test::lines_of;

Lines preview_of(const Facts& facts, const std::string& from, std::size_t rows) {
    return lines_of(preview(facts, instant(from), rows));
}

TEST(Preview, ShowsEachComingOccurrenceInUtcAndOnTheWall) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 9 * * 1-5"};
        schedule.spec.timezone = "America/New_York";
    });
    EXPECT_EQ(preview_of(facts, "2026-06-05T00:00:00Z", 2),
              (Lines{"2026-06-05T13:00:00Z local 2026-06-05T09:00:00 dispatched",
                     "2026-06-08T13:00:00Z local 2026-06-08T09:00:00 dispatched"}));
}

TEST(Preview, ChangesNothing) {
    auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.inputs_rotation = {test::json("1"), test::json("2")};
        schedule.max_runs = 3;
    });
    const auto before = facts.state;
    const auto first = preview(facts, instant("2026-06-01T09:30:00Z"), 10);
    EXPECT_EQ(facts.state, before);
    EXPECT_EQ(preview(facts, instant("2026-06-01T09:30:00Z"), 10), first);
}

TEST(Preview, ShowsTheRotationInTurnFromTheEntryThatIsNext) {
    auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.inputs_rotation = {test::json(R"("a")"), test::json(R"("b")"), test::json(R"("c")")};
        schedule.calendars = {"june-2nd"};
        schedule.spec.cron = {"0 12 * * *"};
    });
    facts.state.rotation_index = 2;
    EXPECT_EQ(preview_of(facts, "2026-06-01T09:30:00Z", 4),
              (Lines{R"(2026-06-01T12:00:00Z local 2026-06-01T12:00:00 dispatched "c")",
                     "2026-06-02T12:00:00Z local 2026-06-02T12:00:00 skipped calendar (june-2nd)",
                     R"(2026-06-03T12:00:00Z local 2026-06-03T12:00:00 dispatched "a")",
                     R"(2026-06-04T12:00:00Z local 2026-06-04T12:00:00 dispatched "b")"}));
}

TEST(Preview, MarksTheRowsThatAClockChangeTouches) {
    const auto edit = [](const char* cron) {
        return [cron](model::Schedule& schedule) {
            schedule.spec.cron = {cron};
            schedule.spec.timezone = "America/New_York";
        };
    };
    EXPECT_EQ(preview_of(facts_at("2026-03-07T00:00:00Z", edit("0 2 * * *")), "2026-03-07T00:00:00Z", 3),
              (Lines{"2026-03-07T07:00:00Z local 2026-03-07T02:00:00 dispatched",
                     "2026-03-08T07:00:00Z local 2026-03-08T03:00:00 dispatched shifted from 2026-03-08T02:00:00",
                     "2026-03-09T06:00:00Z local 2026-03-09T02:00:00 dispatched"}));
    EXPECT_EQ(preview_of(facts_at("2026-10-31T12:00:00Z", edit("30 1 * * *")), "2026-10-31T12:00:00Z", 2),
              (Lines{"2026-11-01T05:30:00Z local 2026-11-01T01:30:00 dispatched repeated",
                     "2026-11-02T06:30:00Z local 2026-11-02T01:30:00 dispatched"}));
}

TEST(Preview, JudgesEveryRowAsIfTheRunsBeforeItHadEnded) {
    const auto facts = test::with_in_flight(facts_at("2026-06-01T09:30:00Z"), 1);
    for (const auto& row : preview(facts, instant("2026-06-01T09:30:00Z"), 5))
        EXPECT_EQ(row.decision, model::DispatchStatus::dispatched);
}

TEST(Preview, UsesTheContextOfNowForEveryRow) {
    auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.condition = test::json(R"({"/prior_run_result/status":{"eq":"completed"}})");
    });
    for (const auto& row : preview(facts, instant("2026-06-01T09:30:00Z"), 3))
        EXPECT_EQ(row.reason, model::SkipReason::condition_failed);
    facts.prior_run_result = test::json(R"({"status":"completed"})");
    for (const auto& row : preview(facts, instant("2026-06-01T09:30:00Z"), 3))
        EXPECT_EQ(row.decision, model::DispatchStatus::dispatched);
}

TEST(Preview, EndsWithTheLastAllowedRun) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.max_runs = 2; });
    EXPECT_EQ(preview(facts, instant("2026-06-01T09:30:00Z"), 10).size(), 2U);
}

TEST(Preview, EndsWithTheWindow) {
    const auto facts =
        facts_at("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.end_at = "2026-06-01T12:00:00Z"; });
    EXPECT_EQ(preview(facts, instant("2026-06-01T09:30:00Z"), 10).size(), 3U);
}

TEST(Preview, APausedScheduleIsToldWhyItWouldNotFire) {
    test::Life life("2026-06-01T09:30:00Z");
    life.pause("2026-06-01T09:40:00Z");
    EXPECT_EQ(preview_of(life.facts, "2026-06-01T09:40:00Z", 1),
              Lines{"2026-06-01T10:00:00Z local 2026-06-01T10:00:00 skipped status_not_triggerable (paused)"});
}

TEST(Preview, GoesToTenThousandRowsAndNoFurther) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    const auto rows = preview(facts, instant("2026-06-01T09:30:00Z"), 1'000'000);
    ASSERT_EQ(rows.size(), 10'000U);
    EXPECT_EQ(rows.front().occurrence, instant("2026-06-01T09:31:00Z"));
    EXPECT_EQ(rows.back().occurrence, instant("2026-06-01T09:30:00Z") + std::chrono::minutes{10'000});
}

TEST(Preview, GoesTenYearsAheadAndNoFurther) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.cron = {"0 0 1 1 *"}; });
    const auto rows = preview(facts, instant("2026-06-01T09:30:00Z"), 100);
    ASSERT_EQ(rows.size(), 10U);
    EXPECT_EQ(rows.back().occurrence, instant("2036-01-01T00:00:00Z"));
}

TEST(Preview, AgreesWithTheTicksThatFollow) {
    test::Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.spec.cron = {"0 */7 * * *"};
        schedule.calendars = {"june-2nd"};
        schedule.inputs_rotation = {test::json("1"), test::json("2"), test::json("3")};
        schedule.max_runs = 12;
    });
    const auto rows = preview(life.facts, instant("2026-06-01T09:30:00Z"), 30);
    for (const auto& row : rows) {
        life.tick(format_instant(row.occurrence));
        ASSERT_EQ(life.plan.runs.size(), 1U);
        const auto& run = life.plan.runs.front();
        EXPECT_EQ(run.slot.occurrence, row.occurrence);
        EXPECT_EQ(run.dispatch, row.decision);
        EXPECT_EQ(run.reason, row.reason);
        EXPECT_EQ(run.detail, row.detail);
        EXPECT_EQ(run.input, row.input);
        if (run.dispatch == model::DispatchStatus::dispatched) life.finish(format_instant(row.occurrence));
    }
    EXPECT_EQ(life.state().status, model::ScheduleStatus::deleted);
}

}  // namespace
}  // namespace belfry::decide
