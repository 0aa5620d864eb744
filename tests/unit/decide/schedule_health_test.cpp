#include "decide/explain/schedule_health.hpp"

#include <gtest/gtest.h>

#include "support/worlds/schedules.hpp"

namespace belfry::decide {

namespace {

using test::instant;

class ScheduleHealthTest : public ::testing::Test {
protected:
    ScheduleHealth judge() { return judge_health({schedule, state, runs, missed, quarantined, now}); }

    void run_decided(Seconds late) {
        model::Run run;
        run.fire_at = now - std::chrono::hours{1};
        run.decided_at = run.fire_at + late;
        runs.push_back(run);
    }

    model::Schedule schedule = test::definition();
    model::ScheduleState state = {};
    std::vector<model::Run> runs = {};
    std::int64_t missed = 0;
    std::string quarantined = {};
    Instant now = instant("2026-06-01T10:00:00Z");
};

}  // namespace

TEST_F(ScheduleHealthTest, NothingWrongIsOk) {
    run_decided(Seconds{0});
    EXPECT_EQ(judge().verdict, HealthVerdict::ok);
    EXPECT_TRUE(judge().reasons.empty());
    EXPECT_EQ(judge().breaker, BreakerState::none);
}

TEST_F(ScheduleHealthTest, OneFailureWarnsAndThreeFail) {
    state.consecutive_failures = 1;
    EXPECT_EQ(judge().verdict, HealthVerdict::warning);
    state.consecutive_failures = 3;
    EXPECT_EQ(judge().verdict, HealthVerdict::failing);
}

TEST_F(ScheduleHealthTest, AnOpenBreakerFails) {
    schedule.breaker_failures = 2;
    state.consecutive_failures = 1;
    EXPECT_EQ(judge().breaker, BreakerState::closed);
    state.consecutive_failures = 2;
    EXPECT_EQ(judge().breaker, BreakerState::open);
    EXPECT_EQ(judge().verdict, HealthVerdict::failing);
}

TEST_F(ScheduleHealthTest, WhatIsDueAndUndecidedFails) {
    state.next_fire = now - Seconds{60};
    EXPECT_EQ(judge().verdict, HealthVerdict::ok) << "a minute is forgiven";
    state.next_fire = now - Seconds{61};
    EXPECT_EQ(judge().verdict, HealthVerdict::failing);
    EXPECT_EQ(judge().overdue, Seconds{61});
    state.status = model::ScheduleStatus::paused;
    EXPECT_EQ(judge().verdict, HealthVerdict::paused);
    EXPECT_FALSE(judge().overdue) << "the end of a pause is no fire time";
}

TEST_F(ScheduleHealthTest, LatenessIsMeasuredOnTheScheduleOwnTimes) {
    run_decided(Seconds{1});
    run_decided(Seconds{90});
    run_decided(Seconds{2});
    EXPECT_EQ(judge().lateness_median, Seconds{2});
    EXPECT_EQ(judge().lateness_most, Seconds{90});
    EXPECT_EQ(judge().verdict, HealthVerdict::warning);
    for (auto& run : runs) run.slot.cause = model::RunCause::trigger;
    EXPECT_FALSE(judge().lateness_most);
}

TEST_F(ScheduleHealthTest, QuarantineFailsAndMissedOnesWarn) {
    missed = 3;
    EXPECT_EQ(judge().reasons, std::vector<std::string>{"3 occurrences were missed in the last day"});
    quarantined = "its row cannot be read";
    EXPECT_EQ(judge().verdict, HealthVerdict::failing);
}

}  // namespace belfry::decide
