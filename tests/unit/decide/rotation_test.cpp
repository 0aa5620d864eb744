// Inputs taken in turn by successive dispatches.
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::rotation_test {
namespace {

using test::Life;
using test::Lines;

void three_audiences(model::Schedule& schedule) {
    schedule.overlap.policy = model::OverlapPolicy::allow_all;
    schedule.inputs_template = test::json(R"({"audience":"everyone"})");
    schedule.inputs_rotation = {test::json(R"({"audience":"tech"})"), test::json(R"({"audience":"business"})"),
                                test::json(R"({"audience":"arts"})")};
}

TEST(Rotation, EntriesTakeTurnsAndWrapAround) {
    Life life("2026-06-01T09:30:00Z", three_audiences);
    EXPECT_EQ(life.play("2026-06-01T13:00:00Z"),
              (Lines{R"(tick 2026-06-01T10:00:00Z dispatched #1 {"audience":"tech"})",
                     R"(tick 2026-06-01T11:00:00Z dispatched #2 {"audience":"business"})",
                     R"(tick 2026-06-01T12:00:00Z dispatched #3 {"audience":"arts"})",
                     R"(tick 2026-06-01T13:00:00Z dispatched #4 {"audience":"tech"})"}));
    EXPECT_EQ(life.state().rotation_index, 4);
    EXPECT_EQ(life.plan.runs.front().rotation_index_used, 0);
    EXPECT_EQ(life.plan.events.front().payload.at("rotation_index_used"), Json(0));
}

TEST(Rotation, ASkipTakesNoTurn) {
    Life life("2026-06-01T21:30:00Z", [](auto& schedule) {
        three_audiences(schedule);
        schedule.spec.cron = {"0 12 * * *"};
        schedule.calendars = {"june-2nd"};
    });
    EXPECT_EQ(life.play("2026-06-04T12:00:00Z"),
              (Lines{"tick 2026-06-02T12:00:00Z skipped calendar (june-2nd)",
                     R"(tick 2026-06-03T12:00:00Z dispatched #1 {"audience":"tech"})",
                     R"(tick 2026-06-04T12:00:00Z dispatched #2 {"audience":"business"})"}));
}

TEST(Rotation, ABufferedOccurrenceTakesItsTurnWhenItIsDispatched) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        three_audiences(schedule);
        schedule.overlap.policy = model::OverlapPolicy::buffer_one;
    });
    life.play("2026-06-01T11:00:00Z");
    EXPECT_EQ(life.state().rotation_index, 1);
    EXPECT_EQ(life.finish("2026-06-01T11:30:00Z")[1],
              R"(release tick 2026-06-01T11:00:00Z dispatched #2 {"audience":"business"})");
    EXPECT_EQ(life.state().rotation_index, 2);
}

TEST(Rotation, TriggersAndBackfillsTakeTurnsLikeTicks) {
    Life life("2026-06-01T09:30:00Z", three_audiences);
    EXPECT_EQ(life.trigger("2026-06-01T09:40:00Z").front(),
              R"(trigger 2026-06-01T09:40:00Z dispatched #1 {"audience":"tech"})");
    EXPECT_EQ(life.backfill("2026-06-01T09:50:00Z", "2026-06-01T08:00:00Z", "2026-06-01T08:59:00Z").front(),
              R"(backfill 2026-06-01T08:00:00Z dispatched #2 {"audience":"business"})");
    EXPECT_EQ(life.tick("2026-06-01T10:00:00Z").front(),
              R"(tick 2026-06-01T10:00:00Z dispatched #3 {"audience":"arts"})");
}

TEST(Rotation, WithoutRotationTheTemplateIsTheInputAndWithoutThatTheTargets) {
    Life templated("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.inputs_template = test::json(R"({"from":"template"})");
        schedule.target.input = test::json(R"({"from":"target"})");
    });
    EXPECT_EQ(templated.tick("2026-06-01T10:00:00Z").front(),
              R"(tick 2026-06-01T10:00:00Z dispatched #1 {"from":"template"})");
    EXPECT_EQ(templated.state().rotation_index, 0);
    Life plain("2026-06-01T09:30:00Z",
               [](auto& schedule) { schedule.target.input = test::json(R"({"from":"target"})"); });
    EXPECT_EQ(plain.tick("2026-06-01T10:00:00Z").front(),
              R"(tick 2026-06-01T10:00:00Z dispatched #1 {"from":"target"})");
}

TEST(Rotation, ClearingTheEntriesResetsTheIndexWithThem) {
    Life life("2026-06-01T09:30:00Z", three_audiences);
    life.play("2026-06-01T11:00:00Z");
    EXPECT_EQ(life.state().rotation_index, 2);
    life.update("2026-06-01T11:10:00Z", [](auto& schedule) { schedule.inputs_rotation.clear(); });
    EXPECT_EQ(life.state().rotation_index, 0);
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(),
              R"(tick 2026-06-01T12:00:00Z dispatched #3 {"audience":"everyone"})");
}

TEST(Rotation, AnUpdateOfOtherFieldsKeepsTheIndex) {
    Life life("2026-06-01T09:30:00Z", three_audiences);
    life.play("2026-06-01T11:00:00Z");
    life.update("2026-06-01T11:10:00Z", [](auto& schedule) { schedule.notes = "still the same entries"; });
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(),
              R"(tick 2026-06-01T12:00:00Z dispatched #3 {"audience":"arts"})");
}

}  // namespace
}  // namespace belfry::decide::rotation_test
