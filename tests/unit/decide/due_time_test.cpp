// What the audit says about when a run was due.
#include <gtest/gtest.h>

#include "decide/explain/why.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using test::Life;

TEST(DueTime, TheEventOfATickTellsTheFireTimeWithItsJitter) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT50M"; });
    const auto due = format_instant(*life.state().next_fire);
    ASSERT_NE(due, "2026-06-01T10:00:00Z");
    life.tick(due);
    const auto& payload = life.plan.events.front().payload.get_object();
    EXPECT_EQ(payload.at("occurrence_time"), Json(due));
    EXPECT_EQ(payload.at("scheduled_at"), Json("2026-06-01T10:00:00Z")) << "by which the run is known";
}

TEST(DueTime, ABackfillTellsTheOccurrenceItself) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT50M"; });
    life.backfill("2026-06-01T09:40:00Z", "2026-06-01T07:00:00Z", "2026-06-01T07:30:00Z");
    const auto& payload = life.plan.events.front().payload.get_object();
    EXPECT_EQ(payload.at("occurrence_time"), Json("2026-06-01T07:00:00Z"));
    EXPECT_FALSE(payload.contains("scheduled_at"));
}

TEST(DueTime, AnEventIsAboutItsOccurrenceWhateverTheJitterAndATakenSlotAboutNone) {
    const auto ten = test::instant("2026-06-01T10:00:00Z");
    model::Event event{.type = model::EventType::schedule_triggered};
    event.payload = test::json(R"({"occurrence_time":"2026-06-01T10:19:26Z","scheduled_at":"2026-06-01T10:00:00Z"})");
    EXPECT_TRUE(tells_about(event, ten));
    event.type = model::EventType::schedule_trigger_skipped;
    event.payload = test::json(R"({"occurrence_time":"2026-06-01T10:00:00Z","reason":"calendar"})");
    EXPECT_TRUE(tells_about(event, ten));
    event.payload = test::json(R"({"occurrence_time":"2026-06-01T10:00:00Z","reason":"schedule_slot_exists"})");
    EXPECT_FALSE(tells_about(event, ten)) << "the occurrence has another outcome, which this does not tell";
}

}  // namespace
}  // namespace belfry::decide
