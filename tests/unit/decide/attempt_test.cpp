// What the end of an attempt does: another one later, or the end of the run.
#include "decide/run/attempt.hpp"

#include "decide/approval/approval.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using model::ExecutionStatus;
using model::FailureCategory;
using test::instant;
using test::Life;

const Instant kNow = instant("2026-06-01T10:05:00Z");
const AttemptEnd kFailed{ExecutionStatus::failed, {}, nullptr, "boom"};
const AttemptEnd kTimedOut{ExecutionStatus::timed_out, {}, nullptr, "too slow"};

TEST(RetryAt, NothingIsRetriedWithoutRetries) { EXPECT_FALSE(retry_at({}, "run", 1, kFailed, kNow)); }

TEST(RetryAt, AttemptsNeverExceedTheLimit) {
    const model::RetryPolicy policy{.max_retries = 2};
    EXPECT_TRUE(retry_at(policy, "run", 1, kFailed, kNow));
    EXPECT_TRUE(retry_at(policy, "run", 2, kFailed, kNow));
    EXPECT_FALSE(retry_at(policy, "run", 3, kFailed, kNow));
}

TEST(RetryAt, TheWaitDoublesAndIsSpreadByAtMostAQuarter) {
    const model::RetryPolicy policy{.max_retries = 100, .backoff = std::chrono::milliseconds{1000}};
    for (int attempt = 1; attempt <= 12; ++attempt) {
        const auto wait = *retry_at(policy, "run", attempt, kFailed, kNow) - kNow;
        const Micros least = std::min<Micros>(Seconds{1} * (1 << (attempt - 1)), kBackoffMax);
        EXPECT_GE(wait, least) << attempt;
        EXPECT_LE(wait, least + least / 4) << attempt;
    }
    EXPECT_LE(*retry_at(policy, "run", 100, kFailed, kNow) - kNow, kBackoffMax + kBackoffMax / 4) << "no overflow";
    EXPECT_EQ(retry_at(policy, "run", 3, kFailed, kNow), retry_at(policy, "run", 3, kFailed, kNow))
        << "stable: a second server says the same";
    EXPECT_NE(retry_at(policy, "run", 3, kFailed, kNow), retry_at(policy, "another", 3, kFailed, kNow))
        << "what failed together comes back apart";
}

TEST(RetryAt, OnlyTheNamedCategoriesAreRetried) {
    const model::RetryPolicy policy{.max_retries = 5,
                                    .retry_on = {FailureCategory::timeout, FailureCategory::rate_limit}};
    EXPECT_TRUE(retry_at(policy, "run", 1, kTimedOut, kNow)) << "a timeout says so itself";
    EXPECT_FALSE(retry_at(policy, "run", 1, kFailed, kNow)) << "nobody knows why it failed";
    EXPECT_TRUE(retry_at(policy, "run", 1, {ExecutionStatus::failed, FailureCategory::rate_limit}, kNow));
    EXPECT_FALSE(retry_at(policy, "run", 1, {ExecutionStatus::failed, FailureCategory::provider_error}, kNow));
}

TEST(RetryAt, WhatWasEndedOnPurposeIsNotRetried) {
    const model::RetryPolicy policy{.max_retries = 5};
    for (const auto status : {ExecutionStatus::succeeded, ExecutionStatus::cancelled, ExecutionStatus::terminated}) {
        EXPECT_FALSE(retry_at(policy, "run", 1, {status}, kNow)) << name_of(status);
    }
}

// A schedule whose run is being worked on for the n-th time.
Facts facts_of_attempt(int attempt, int max_retries) {
    Life life("2026-06-01T09:30:00Z", [&](model::Schedule& schedule) { schedule.retry.max_retries = max_retries; });
    life.tick("2026-06-01T10:00:00Z");
    auto facts = life.facts;
    model::Run run;
    run.id = life.plan.runs.front().id;
    run.slot = life.plan.runs.front().slot;
    run.fire_at = kNow;
    run.execution = ExecutionStatus::running;
    run.attempts = attempt;
    facts.run = run;
    return facts;
}

TEST(PlanAttemptEnd, AFailureWithRetriesLeftTouchesNeitherTheRunNorTheSchedule) {
    const auto plan = plan_attempt_end(facts_of_attempt(1, 1), kFailed, kNow);
    ASSERT_TRUE(plan);
    ASSERT_TRUE(std::holds_alternative<Retry>(*plan));
    EXPECT_GT(std::get<Retry>(*plan).ready_at, kNow);
}

TEST(PlanAttemptEnd, AfterTheTimeOfARunThereIsNoFurtherAttempt) {
    auto facts = facts_of_attempt(1, 1);
    facts.run->fire_at = kNow - facts.caps.timeout;
    const auto plan = plan_attempt_end(facts, kFailed, kNow);
    ASSERT_TRUE(plan);
    EXPECT_FALSE(std::holds_alternative<Retry>(*plan));
}

TEST(PlanAttemptEnd, TheLastFailureEndsTheRun) {
    const auto facts = facts_of_attempt(2, 1);
    const auto plan = plan_attempt_end(facts, kFailed, kNow);
    ASSERT_TRUE(plan);
    const auto& ended = std::get<Plan>(*plan);
    ASSERT_EQ(ended.ends.size(), 1U);
    EXPECT_EQ(ended.ends.front().status, ExecutionStatus::failed);
    EXPECT_EQ(ended.state.in_flight, 0);
    EXPECT_EQ(ended.state.consecutive_failures, 1);
}

TEST(PlanAttemptEnd, ARunThatHasEndedIsNotTriedAgain) {
    auto facts = facts_of_attempt(1, 5);
    facts.run->execution = ExecutionStatus::cancelled;
    EXPECT_EQ(plan_attempt_end(facts, kFailed, kNow).error().code, ErrorCode::conflict);
}

Facts facts_of_waiting_run() {
    Life life("2026-06-01T09:30:00Z", [](model::Schedule& schedule) { schedule.approval.requires_approval = true; });
    life.tick("2026-06-01T10:00:00Z");
    auto facts = life.facts;
    model::Run run;
    run.id = life.plan.runs.front().id;
    run.execution = life.plan.runs.front().execution;
    facts.run = run;
    facts.approvals = life.plan.asks;
    return facts;
}

TEST(PlanApproval, AYesMakesTheTaskReadyNow) {
    const auto facts = facts_of_waiting_run();
    const auto plan = plan_approval(facts, {.approved = true}, kNow);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->starts, (std::vector{RunStart{facts.run->id, kNow}}));
    EXPECT_TRUE(plan->ends.empty());
    EXPECT_EQ(plan->state.in_flight, 1) << "it was in flight all the time";
    EXPECT_FALSE(plan->empty());
}

TEST(PlanApproval, ANoCancelsTheRunWithWhoAndWhy) {
    const auto facts = facts_of_waiting_run();
    const auto plan =
        plan_approval(facts, {.approved = false, .comment = "not in December"}, kNow, {.principal = "ada"});
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->ends.size(), 1U);
    EXPECT_EQ(plan->ends.front().status, ExecutionStatus::cancelled);
    EXPECT_EQ(plan->ends.front().error, "refused by ada: not in December");
    EXPECT_EQ(plan->state.in_flight, 0);
}

TEST(PlanApproval, NothingBeginsWhenItsWorkflowIsGone) {
    auto facts = facts_of_waiting_run();
    facts.run_target = {TargetCheck::Verdict::not_found, "workflow report"};
    EXPECT_EQ(plan_approval(facts, {.approved = true}, kNow).error().code, ErrorCode::conflict);
    EXPECT_TRUE(plan_approval(facts, {.approved = false}, kNow)) << "it can still be refused";
}

TEST(PlanApproval, OnlyWhatWaitsCanBeApproved) {
    auto facts = facts_of_waiting_run();
    for (const auto status :
         {ExecutionStatus::queued, ExecutionStatus::running, ExecutionStatus::succeeded, ExecutionStatus::cancelled}) {
        facts.run->execution = status;
        EXPECT_EQ(plan_approval(facts, {.approved = true}, kNow).error().code, ErrorCode::conflict) << name_of(status);
    }
}

}  // namespace
}  // namespace belfry::decide
