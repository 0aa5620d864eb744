#include "decide/run/completion.hpp"

#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::completion_test {
namespace {

using enum model::ExecutionStatus;
using model::ExecutionStatus;
using test::instant;
using test::Life;
using test::Lines;

constexpr std::array kEveryStatus{none,   awaiting_approval, queued,     running,  succeeded,
                                  failed, cancelled,         terminated, timed_out};

TEST(PlanCompletion, ASuccessIsRememberedAndFreesTheSlotInFlight) {
    Life life("2026-06-01T09:30:00Z");
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.finish("2026-06-01T10:05:00Z", succeeded, test::json(R"({"rows":7})")),
              (Lines{R"(end tick 2026-06-01T10:00:00Z succeeded {"rows":7})", "active, next 2026-06-01T11:00:00Z"}));
    EXPECT_EQ(life.state().in_flight, 0);
    EXPECT_EQ(life.state().last_completed_at, instant("2026-06-01T10:05:00Z"));
    EXPECT_EQ(life.state().last_completed_run, life.state().last_run_id);
    EXPECT_EQ(life.state().failures, 0);
}

TEST(PlanCompletion, AFailureIsCountedWithItsError) {
    Life life("2026-06-01T09:30:00Z");
    life.tick("2026-06-01T10:00:00Z");
    life.finish("2026-06-01T10:05:00Z", failed, nullptr, "no route to host");
    EXPECT_EQ(life.state().failures, 1);
    EXPECT_EQ(life.state().consecutive_failures, 1);
    EXPECT_EQ(life.state().last_error_at, instant("2026-06-01T10:05:00Z"));
    EXPECT_EQ(life.state().last_error, "no route to host");
}

TEST(PlanCompletion, ATimeoutIsAFailureAndACancellationIsNeither) {
    const auto consecutive_after = [](ExecutionStatus status) {
        Life life("2026-06-01T09:30:00Z");
        life.facts.state.consecutive_failures = 2;
        life.tick("2026-06-01T10:00:00Z");
        life.finish("2026-06-01T10:05:00Z", status);
        return life.state().consecutive_failures;
    };
    EXPECT_EQ(consecutive_after(timed_out), 3);
    EXPECT_EQ(consecutive_after(failed), 3);
    EXPECT_EQ(consecutive_after(cancelled), 2);
    EXPECT_EQ(consecutive_after(terminated), 2);
    EXPECT_EQ(consecutive_after(succeeded), 0);
}

TEST(PlanCompletion, NeverDecidesTiming) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.spec.jitter.after = "PT5M"; });
    life.tick(format_instant(*life.state().next_fire));
    const auto before = life.state();
    life.finish("2026-06-01T17:00:00Z");
    EXPECT_EQ(life.state().next_occurrence, before.next_occurrence);
    EXPECT_EQ(life.state().next_fire, before.next_fire);
    EXPECT_EQ(life.state().last_fired_at, before.last_fired_at);
}

TEST(PlanCompletion, ATerminalStatusIsFinal) {
    const auto facts = test::with_in_flight(test::facts_at("2026-06-01T09:30:00Z"), 1);
    for (const auto from : {succeeded, failed, cancelled, terminated, timed_out}) {
        for (const auto to : {succeeded, failed, cancelled, terminated, timed_out}) {
            const auto plan =
                plan_completion(facts, {facts.in_flight.front().id, from, to}, instant("2026-06-01T10:00:00Z"));
            ASSERT_FALSE(plan) << name_of(from) << " to " << name_of(to);
            EXPECT_EQ(plan.error().code, ErrorCode::conflict);
        }
    }
}

TEST(PlanCompletion, ARunDoesNotEndInAStateThatIsNoEnd) {
    const auto facts = test::with_in_flight(test::facts_at("2026-06-01T09:30:00Z"), 1);
    for (const auto to : {none, awaiting_approval, queued, running}) {
        const auto plan =
            plan_completion(facts, {facts.in_flight.front().id, running, to}, instant("2026-06-01T10:00:00Z"));
        ASSERT_FALSE(plan) << name_of(to);
        EXPECT_EQ(plan.error().code, ErrorCode::invalid_argument);
    }
}

// Every step that an execution may take; all others are refused.
TEST(RunStates, TheStepsAreThese) {
    const std::vector<std::pair<ExecutionStatus, std::vector<ExecutionStatus>>> steps{
        {none, {awaiting_approval, queued}},
        {awaiting_approval, {queued, failed, cancelled, terminated, timed_out}},
        {queued, {running, succeeded, failed, cancelled, terminated, timed_out}},
        {running, {queued, succeeded, failed, cancelled, terminated, timed_out}},
    };
    for (const auto from : kEveryStatus) {
        const auto row =
            std::ranges::find(steps, from, &std::pair<ExecutionStatus, std::vector<ExecutionStatus>>::first);
        for (const auto to : kEveryStatus) {
            const bool expected = row != steps.end() && std::ranges::find(row->second, to) != row->second.end();
            EXPECT_EQ(model::may_become(from, to), expected) << name_of(from) << " to " << name_of(to);
        }
    }
}

TEST(PlanCompletion, ARunThatWaitsForApprovalCannotSucceed) {
    const auto facts = test::with_in_flight(test::facts_at("2026-06-01T09:30:00Z"), 1);
    const auto plan = plan_completion(facts, {facts.in_flight.front().id, awaiting_approval, succeeded},
                                      instant("2026-06-01T10:00:00Z"));
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().message, "the run is awaiting_approval and cannot become succeeded");
}

TEST(PlanCompletion, TheBreakerOpensAtItsLimitAndASuccessClosesIt) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) {
        schedule.breaker_failures = 2;
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
    });
    life.play("2026-06-01T12:00:00Z");
    life.finish("2026-06-01T12:10:00Z", failed);
    life.finish("2026-06-01T12:20:00Z", failed);
    EXPECT_EQ(life.tick("2026-06-01T13:00:00Z").front(),
              "tick 2026-06-01T13:00:00Z skipped breaker_open (2 failures in a row)");
    life.finish("2026-06-01T13:20:00Z", succeeded);
    EXPECT_EQ(life.tick("2026-06-01T14:00:00Z").front(), "tick 2026-06-01T14:00:00Z dispatched #4");
}

TEST(PlanCompletion, APersonClosesTheBreakerByResumingOrByChangingWhatFailed) {
    const auto broken = [] {
        Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.breaker_failures = 1; });
        life.tick("2026-06-01T10:00:00Z");
        life.finish("2026-06-01T10:10:00Z", failed);
        EXPECT_EQ(life.state().consecutive_failures, 1);
        return life;
    };
    auto resumed = broken();
    resumed.pause("2026-06-01T10:20:00Z");
    resumed.resume("2026-06-01T10:30:00Z");
    EXPECT_EQ(resumed.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z dispatched #2");
    auto mended = broken();
    mended.update("2026-06-01T10:20:00Z", [](auto& schedule) { schedule.target.version = 2; });
    EXPECT_EQ(mended.tick("2026-06-01T11:00:00Z").front(), "tick 2026-06-01T11:00:00Z dispatched #2");
    auto renamed = broken();
    renamed.update("2026-06-01T10:20:00Z", [](auto& schedule) { schedule.notes = "seen"; });
    EXPECT_EQ(renamed.tick("2026-06-01T11:00:00Z").front(),
              "tick 2026-06-01T11:00:00Z skipped breaker_open (1 failure)");
}

TEST(PlanCompletion, ADeletedScheduleStillLearnsHowItsLastRunEnded) {
    Life life("2026-06-01T09:30:00Z", [](auto& schedule) { schedule.max_runs = 1; });
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.finish("2026-06-01T10:05:00Z", failed, nullptr, "boom"),
              (Lines{"end tick 2026-06-01T10:00:00Z failed (boom)", "deleted"}));
    EXPECT_EQ(life.state().last_error, "boom");
}

TEST(PlanCompletion, WhilePausedTheBufferWaits) {
    Life life("2026-06-01T09:30:00Z",
              [](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_one; });
    life.play("2026-06-01T11:00:00Z");
    life.pause("2026-06-01T11:10:00Z");
    EXPECT_EQ(life.finish("2026-06-01T11:20:00Z"),
              (Lines{"end tick 2026-06-01T10:00:00Z succeeded", "paused, 1 buffered"}));
    EXPECT_EQ(life.resume("2026-06-01T11:30:00Z").front(), "release tick 2026-06-01T11:00:00Z dispatched #2");
}

}  // namespace
}  // namespace belfry::decide::completion_test
