// What a run may use: which limit trips first, what that does to the attempt, and what a dispatch reserves.
#include "decide/schedule/limits.hpp"

#include "decide/run/attempt.hpp"
#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"
#include "decide/schedule/trigger.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::limits_test {
namespace {

using model::Credits;
using model::ExecutionStatus;
using model::Usage;
using test::instant;
using test::Life;

constexpr Credits kOne{1'000'000};
const Instant kNow = instant("2026-06-01T10:05:00Z");
const model::Day kToday = model::day_of(kNow);

Credits credits(std::int64_t whole) { return {whole * kOne.micros}; }

Spending spending_of(model::AssigneePolicies policies, Usage attempt, Usage others = {}) {
    return {.others = std::move(others),
            .attempt = std::move(attempt),
            .assignee = model::AssigneeRecord{.id = "bo", .policies = std::move(policies)}};
}

std::string tripped(const Spending& spending, const RunCaps& caps = {}) {
    const auto limit = first_tripped(spending, caps);
    return limit ? to_text(to_json(*limit)) : "none";
}

TEST(Limits, UsingAllOfItIsAllowed) {
    const model::AssigneePolicies policies{
        .spending_limit = credits(3), .max_tokens = 10, .max_tool_calls = 2, .allow_tools = {{"search"}}};
    EXPECT_EQ(tripped(spending_of(policies, {credits(3), 10, 2, {"search"}})), "none");
}

TEST(Limits, WhatAllAttemptsOfTheRunHaveUsedCounts) {
    EXPECT_EQ(tripped(spending_of({.spending_limit = credits(3)}, {credits(2)}, {credits(2)})),
              R"({"limit":"spendingLimitCredits","assignee":"bo","allowed":3,"used":4,"tool":null})");
    EXPECT_EQ(tripped(spending_of({.max_tokens = 10}, {.tokens = 6}, {.tokens = 5})),
              R"({"limit":"maxTokens","assignee":"bo","allowed":10,"used":11,"tool":null})");
    EXPECT_EQ(tripped(spending_of({.max_tool_calls = 0}, {.tool_calls = 1})),
              R"({"limit":"maxToolCalls","assignee":"bo","allowed":0,"used":1,"tool":null})");
}

TEST(Limits, AToolThatIsNotAllowedIsNamed) {
    EXPECT_EQ(tripped(spending_of({.allow_tools = {{"browse", "search"}}}, {.tools = {"browse", "shell"}})),
              R"({"limit":"allowTools","assignee":"bo","allowed":["browse","search"],"used":"shell","tool":"shell"})");
    EXPECT_EQ(tripped(spending_of({.allow_tools = std::vector<std::string>()}, {})), "none");
    EXPECT_EQ(tripped(spending_of({.allow_tools = std::vector<std::string>()}, {}, {.tools = {"shell"}})), "none")
        << "another's attempt called it";
}

TEST(Limits, TheFirstOfSeveralIsTold) {
    const Usage much{credits(9), 9, 9, {"shell"}};
    model::AssigneePolicies policies{
        .spending_limit = credits(1), .max_tokens = 1, .max_tool_calls = 1, .allow_tools = std::vector<std::string>()};
    const RunCaps caps{.tokens = 2, .tool_calls = 2};
    const auto first = [&] { return first_tripped(spending_of(policies, much), caps)->limit; };
    EXPECT_EQ(first(), "spendingLimitCredits");
    policies.spending_limit.reset();
    EXPECT_EQ(first(), "maxTokens");
    policies.max_tokens.reset();
    EXPECT_EQ(first(), "run_tokens_max");
    EXPECT_EQ(first_tripped(spending_of(policies, much), {.tool_calls = 2})->limit, "maxToolCalls");
    policies.max_tool_calls.reset();
    EXPECT_EQ(first_tripped(spending_of(policies, much), {.tool_calls = 2})->limit, "run_tool_calls_max");
    EXPECT_EQ(first_tripped(spending_of(policies, much), {})->limit, "allowTools");
}

TEST(Limits, TheServersCountForEverybody) {
    const Spending nobody{.attempt = {.tokens = 11, .tool_calls = 1}};
    EXPECT_EQ(tripped(nobody, {.tokens = 10}),
              R"({"limit":"run_tokens_max","assignee":null,"allowed":10,"used":11,"tool":null})");
    EXPECT_EQ(tripped(nobody, {.tool_calls = 0}),
              R"({"limit":"run_tool_calls_max","assignee":null,"allowed":0,"used":1,"tool":null})");
    EXPECT_EQ(tripped(nobody), "none");
}

TEST(Limits, WhatWasReservedBindsTheRunWhoeverHasTheAttempt) {
    auto spending = spending_of({.spending_limit = credits(9)}, {credits(4)});
    spending.reservation = model::Reservation{"team", kToday, credits(3)};
    EXPECT_EQ(tripped(spending),
              R"({"limit":"spendingLimitCredits","assignee":"team","allowed":3,"used":4,"tool":null})");
    spending.reservation->cap.reset();
    EXPECT_EQ(tripped(spending), "none") << "it was dispatched without a cap";
    spending.assignee->policies.spending_limit = credits(3);
    EXPECT_EQ(first_tripped(spending, {})->assignee, "bo");
}

// --- What a limit does to an attempt
// -------------------------------------------------------------------------------------

Facts facts_of_attempt(const test::Edit& edit = {}) {
    Life life("2026-06-01T09:30:00Z", [&](model::Schedule& schedule) {
        schedule.target.type = model::TargetType::task;
        schedule.retry.max_retries = 5;
        if (edit) edit(schedule);
    });
    life.tick("2026-06-01T10:00:00Z");
    auto facts = life.facts;
    facts.run.emplace();
    facts.run->id = life.plan.runs.front().id;
    facts.run->slot = life.plan.runs.front().slot;
    facts.run->execution = ExecutionStatus::running;
    facts.run->attempts = 2;
    facts.spending = spending_of({.spending_limit = credits(3)}, {credits(4)});
    return facts;
}

AttemptEnd ending(ExecutionStatus status) {
    AttemptEnd end{.status = status};
    end.usage = Usage{credits(4)};
    return end;
}

TEST(PlanAttemptEnd, AReportBeyondALimitFailsTheRunAndNobodyTriesItAgain) {
    const auto facts = facts_of_attempt();
    for (const auto& plan :
         {plan_usage_report(facts, kNow), plan_attempt_end(facts, ending(ExecutionStatus::succeeded), kNow),
          plan_attempt_end(facts, ending(ExecutionStatus::failed), kNow)}) {
        ASSERT_TRUE(plan);
        ASSERT_TRUE(std::holds_alternative<Plan>(*plan));
        const auto& ended = std::get<Plan>(*plan);
        ASSERT_EQ(ended.ends.size(), 1U);
        EXPECT_EQ(ended.ends.front().status, ExecutionStatus::failed);
        EXPECT_EQ(ended.ends.front().error, "the limit spendingLimitCredits of bo is 3, and the run has used 4");
        ASSERT_EQ(ended.notes.size(), 1U);
        const auto& event = ended.notes.front().event;
        EXPECT_EQ(event.type, "run.failed");
        EXPECT_EQ(event.sequence, 4) << "after those of its two attempts";
        EXPECT_EQ(event.payload.at("cause"), Json("contract_violated"));
        EXPECT_EQ(event.payload.at("limit").at("allowed"), Json(3));
    }
}

TEST(PlanAttemptEnd, AReportBeyondALimitDoesNotGoToTheFallback) {
    const auto facts = facts_of_attempt([](model::Schedule& schedule) {
        schedule.retry.max_retries = 0;
        schedule.failure = {model::FailureMode::fallback, "someone-else"};
    });
    const auto plan = plan_usage_report(facts, kNow);
    ASSERT_TRUE(plan);
    EXPECT_EQ(std::get<Plan>(*plan).ends.size(), 1U);
    auto other = facts;
    other.spending = {};
    const auto usual = plan_attempt_end(other, {.status = ExecutionStatus::failed}, kNow);
    EXPECT_EQ(std::get<Plan>(*usual).nodes.size(), 1U) << "any other failure does";
}

TEST(PlanAttemptEnd, AReportWithinTheLimitsChangesNothing) {
    auto facts = facts_of_attempt();
    facts.spending.attempt.credits = credits(3);
    const auto plan = plan_usage_report(facts, kNow);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(std::get<Plan>(*plan).empty());
}

TEST(PlanAttemptEnd, AnEndWithoutAReportTripsNothing) {
    const auto plan = plan_attempt_end(facts_of_attempt(), {.status = ExecutionStatus::succeeded}, kNow);
    EXPECT_EQ(std::get<Plan>(*plan).ends.front().status, ExecutionStatus::succeeded);
}

// --- What a dispatch takes of a budget
// -----------------------------------------------------------------------------------

AssigneeBudget budget(model::AssigneePolicies policies, model::BudgetDay today = {}) {
    return {"bo", std::move(policies), today};
}

TEST(Budget, ADispatchReservesWhatTheRunMayUse) {
    Life life("2026-06-01T09:30:00Z");
    life.facts.budget.assignee = budget({.spending_limit = credits(3), .credits_per_day = credits(10)});
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.plan.runs.front().reserves, (model::Reservation{"bo", kToday, credits(3)}));
    life.facts.budget.assignee = budget({.max_runs_per_day = 9});
    life.finish("2026-06-01T10:30:00Z");
    life.trigger("2026-06-01T10:40:00Z");
    EXPECT_EQ(life.plan.runs.front().reserves, (model::Reservation{"bo", kToday, std::nullopt}))
        << "counted, although it has no cap";
}

TEST(Budget, OnePlanNeverTakesMoreThanIsLeft) {
    Life life("2026-06-01T00:30:00Z", [](model::Schedule& schedule) {
        schedule.missed.policy = model::MissedPolicy::fire_all;
        schedule.overlap.policy = model::OverlapPolicy::allow_all;
    });
    life.facts.budget.assignee = budget({.spending_limit = credits(3), .credits_per_day = credits(10)},
                                        {.runs = 1, .reserved = credits(1), .spent = credits(3)});
    life.tick("2026-06-01T06:00:00Z");
    const auto dispatched =
        std::ranges::count(life.plan.runs, model::DispatchStatus::dispatched, &PlannedRun::dispatch);
    EXPECT_EQ(dispatched, 2);
    EXPECT_EQ(life.plan.runs.back().reason, model::SkipReason::budget_exceeded);
    EXPECT_EQ(life.plan.runs.back().detail, "creditsPerDay of bo: 3 spent and 7 reserved of 10");
    EXPECT_FALSE(life.plan.runs.back().reserves);
}

TEST(Budget, WithoutACapARunIsDispatchedWhileAnythingIsLeft) {
    Life life("2026-06-01T09:30:00Z");
    const auto facts = [&](Credits spent) {
        auto each = life.facts;
        each.budget.assignee = budget({.credits_per_day = credits(10)}, {.spent = spent});
        return each;
    };
    const auto decided = [&](const Facts& each) {
        return plan_tick(each, instant("2026-06-01T10:00:00Z")).runs.front().dispatch;
    };
    EXPECT_EQ(decided(facts(credits(10) - Credits{1})), model::DispatchStatus::dispatched);
    EXPECT_EQ(decided(facts(credits(10))), model::DispatchStatus::skipped);
}

TEST(Budget, TheRunsOfADayAreCounted) {
    Life life("2026-06-01T09:30:00Z");
    life.facts.budget.assignee = budget({.max_runs_per_day = 2}, {.runs = 2});
    const auto plan = plan_trigger(life.facts, {}, kNow);
    EXPECT_EQ(plan->runs.front().detail, "maxRunsPerDay of bo: 2 of 2");
}

TEST(Budget, ARunThatEndsLeavesTheRestToTheBufferedOne) {
    Life life("2026-06-01T09:30:00Z",
              [](model::Schedule& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_one; });
    life.facts.budget.assignee = budget({.spending_limit = credits(3), .credits_per_day = credits(5)});
    life.tick("2026-06-01T10:00:00Z");
    const auto first = life.plan.runs.front().id;
    life.tick("2026-06-01T11:00:00Z");
    auto facts = life.facts;
    ASSERT_EQ(facts.state.buffered, 1);
    facts.budget.assignee->today = {.runs = 1, .reserved = credits(3)};
    facts.spending.reservation = model::Reservation{"bo", kToday, credits(3)};
    const auto end_with = [&](Credits used) {
        facts.spending.others.credits = used;
        return plan_completion(facts, {.run_id = first}, instant("2026-06-01T11:30:00Z"))
            .value()
            .releases.front()
            .dispatch;
    };
    EXPECT_EQ(end_with(credits(2)), model::DispatchStatus::dispatched);
    EXPECT_EQ(end_with(credits(3)), model::DispatchStatus::skipped);
}

TEST(Budget, ARunThatTheSamePlanReplacesHoldsNothing) {
    Life life("2026-06-01T00:30:00Z", [](model::Schedule& schedule) {
        schedule.missed.policy = model::MissedPolicy::fire_all;
        schedule.overlap.policy = model::OverlapPolicy::cancel_other;
    });
    life.facts.budget.assignee =
        budget({.spending_limit = credits(3), .credits_per_day = credits(6), .max_runs_per_day = 9});
    life.tick("2026-06-01T06:00:00Z");
    for (const auto& run : life.plan.runs) EXPECT_EQ(run.dispatch, model::DispatchStatus::dispatched) << run.detail;
}

}  // namespace
}  // namespace belfry::decide::limits_test
