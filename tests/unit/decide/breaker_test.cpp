// The breaker: when it opens, what it skips, and what closes it.
#include "decide/explain/schedule_health.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::breaker_test {
namespace {

using enum model::ExecutionStatus;
using test::events_of;
using test::instant;
using test::Life;
using test::Lines;

// Open since 10:10.
Life broken(std::optional<Micros> retry_after = {}, const test::Edit& more = {}) {
    Life life("2026-06-01T09:30:00Z", [&](auto& schedule) {
        schedule.breaker_failures = 1;
        schedule.breaker_retry_after = retry_after;
        if (more) more(schedule);
    });
    life.tick("2026-06-01T10:00:00Z");
    life.finish("2026-06-01T10:10:00Z", failed);
    return life;
}

BreakerState state_at(const Life& life, const char* at) {
    return breaker_of(life.facts.schedule->definition, life.state(), instant(at));
}

TEST(Breaker, OpeningItIsAnEvent) {
    const auto life = broken();
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(3 ScheduleBreakerOpened {"consecutive_failures":1,"opened_at":"2026-06-01T10:10:00Z"})"});
    EXPECT_EQ(life.state().breaker_opened_at, instant("2026-06-01T10:10:00Z"));
    EXPECT_EQ(state_at(life, "2026-06-01T10:20:00Z"), BreakerState::open);
}

TEST(Breaker, AnOpenOneSkipsAsBreakerOpen) {
    auto life = broken();
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z skipped breaker_open (1 failure)");
    EXPECT_EQ(model::parse_skip_reason("max_attempts_exhausted").value(), model::SkipReason::breaker_open)
        << "its old name is still read";
}

TEST(Breaker, ResumingAnActiveScheduleClosesItAndLeavesItsCursor) {
    auto life = broken();
    EXPECT_EQ(life.resume("2026-06-01T10:20:00Z"), Lines{"active, next 2026-06-01T11:00:00Z"});
    EXPECT_EQ(events_of(life.plan), Lines{R"(4 ScheduleBreakerClosed {"reason":"it was resumed"})"});
    EXPECT_EQ(state_at(life, "2026-06-01T10:20:00Z"), BreakerState::closed);
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z dispatched #2");
    EXPECT_EQ(life.resume("2026-06-01T11:20:00Z"), Lines{"refused: cannot resume a schedule that is active"});
}

TEST(Breaker, AfterRetryAfterOneRunIsLetThroughAndItsSuccessCloses) {
    auto life = broken(std::chrono::minutes{90},
                       [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    EXPECT_EQ(events_of(life.plan).front(),
              R"(3 ScheduleBreakerOpened {"consecutive_failures":1,"opened_at":"2026-06-01T10:10:00Z",)"
              R"("retry_at":"2026-06-01T11:40:00Z"})");
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z skipped breaker_open (1 failure)");
    EXPECT_EQ(state_at(life, "2026-06-01T11:39:59Z"), BreakerState::open);
    EXPECT_EQ(state_at(life, "2026-06-01T11:40:00Z"), BreakerState::half_open);
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(), "tick 2026-06-01T12:00:00Z dispatched #2");
    EXPECT_EQ(life.tick("2026-06-01T13:00:00Z").front(), "tick 2026-06-01T13:00:00Z skipped breaker_open (1 failure)")
        << "one at a time";
    life.finish("2026-06-01T13:10:00Z", succeeded);
    EXPECT_EQ(events_of(life.plan), Lines{R"(7 ScheduleBreakerClosed {"reason":"a run succeeded"})"});
    EXPECT_EQ(life.tick("2026-06-01T14:00:00Z").front(), "tick 2026-06-01T14:00:00Z dispatched #3");
}

TEST(Breaker, TheFailureOfATrialOpensItAgain) {
    auto life = broken(std::chrono::minutes{30});
    EXPECT_EQ(life.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z dispatched #2");
    life.finish("2026-06-01T11:45:00Z", failed);
    EXPECT_EQ(events_of(life.plan),
              Lines{R"(5 ScheduleBreakerOpened {"consecutive_failures":2,"opened_at":"2026-06-01T11:45:00Z",)"
                    R"("retry_at":"2026-06-01T12:15:00Z"})"});
    EXPECT_EQ(life.tick("2026-06-01T12:00:00Z").front(),
              "tick 2026-06-01T12:00:00Z skipped breaker_open (2 failures in a row)");
    EXPECT_EQ(life.tick("2026-06-01T13:00:00Z").front(), "tick 2026-06-01T13:00:00Z dispatched #3");
}

TEST(Breaker, WithoutRetryAfterLaterFailuresAreNoNews) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.breaker_failures = 1;
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
    });
    life.play("2026-06-01T11:00:00Z");
    life.finish("2026-06-01T11:10:00Z", failed);
    EXPECT_EQ(life.plan.events.size(), 1U);
    life.finish("2026-06-01T11:20:00Z", failed);
    EXPECT_TRUE(life.plan.events.empty());
    EXPECT_EQ(life.state().breaker_opened_at, instant("2026-06-01T11:10:00Z"));
}

}  // namespace
}  // namespace belfry::decide::breaker_test
