// What has to be approved, by whom it was, and what happens when nobody does.
#include "decide/approval/approval.hpp"

#include <gtest/gtest.h>

#include "decide/approval/gate.hpp"
#include "decide/plan_builder.hpp"
#include "decide/schedule/lifecycle.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using namespace std::chrono_literals;
using model::Approval;
using model::ApprovalStatus;
using model::ExecutionStatus;
using test::Life;

const Instant kTen = parse_instant("2026-06-01T10:00:00Z").value();

Facts facts_of(const Life& life) {
    auto facts = life.facts;
    model::Run run;
    run.id = life.plan.runs.back().id;
    run.slot = life.plan.runs.back().slot;
    run.execution = life.plan.runs.back().execution;
    facts.run = run;
    facts.approvals = life.plan.asks;
    return facts;
}

Facts facts_awaiting(const test::Edit& edit = [](auto& s) { s.approval.requires_approval = true; }) {
    Life life("2026-06-01T09:30:00Z", edit);
    life.tick("2026-06-01T10:00:00Z");
    return facts_of(life);
}

TEST(PlanApproval, ARunThatIsCreatedAsksForItself) {
    const auto facts = facts_awaiting();
    EXPECT_EQ(facts.run->execution, ExecutionStatus::awaiting_approval);
    EXPECT_EQ(facts.approvals,
              (std::vector{Approval{.run_id = facts.run->id, .requested_at = kTen, .expires_at = kTen + 24h}}));
}

TEST(PlanApproval, OfASingleTaskEveryNodeIsTheRun) {
    const auto facts = facts_awaiting(
        [](auto& s) { s.approval = {.mode = model::ApprovalMode::every_node, .expires_after = 60'000ms}; });
    EXPECT_EQ(facts.run->execution, ExecutionStatus::awaiting_approval);
    EXPECT_EQ(facts.approvals.front().expires_at, kTen + 1min);
    for (const auto mode : {model::ApprovalMode::sensitive_actions, model::ApprovalMode::on_block}) {
        Life other("2026-06-01T09:30:00Z", [mode](auto& s) { s.approval = {.mode = mode, .gates = {"publish"}}; });
        other.tick("2026-06-01T10:00:00Z");
        EXPECT_EQ(other.plan.runs.front().execution, ExecutionStatus::queued) << name_of(mode);
        EXPECT_TRUE(other.plan.asks.empty());
    }
}

TEST(PlanApproval, ARunThatIsReplacedInItsOwnPlanAsksForNothing) {
    Life life("2026-06-01T09:30:00Z", [](auto& s) {
        s.approval.requires_approval = true;
        s.overlap.policy = model::OverlapPolicy::cancel_other;
        s.missed = {model::MissedPolicy::fire_all, Seconds{60}, 10};
    });
    life.tick("2026-06-01T13:00:00Z");
    EXPECT_EQ(life.plan.runs.size(), 4U);
    ASSERT_EQ(life.plan.asks.size(), 1U);
    EXPECT_EQ(life.plan.asks.front().run_id, life.plan.runs.back().id);
}

TEST(PlanApproval, TellsWhoDecidedWhenAndWhy) {
    const auto facts = facts_awaiting();
    const auto plan =
        plan_approval(facts, {.approved = true, .comment = "go on"}, kTen + 1h, {.principal = "user:ada"}).value();
    auto expected = facts.approvals.front();
    expected.status = ApprovalStatus::approved;
    expected.decided_at = kTen + 1h;
    expected.decided_by = "user:ada";
    expected.comment = "go on";
    EXPECT_EQ(plan.verdicts, (std::vector{expected}));
    EXPECT_TRUE(plan.asks.empty());
}

TEST(PlanApproval, TheSameDecisionAgainChangesNothingAndAnotherIsAConflict) {
    auto facts = facts_awaiting();
    facts.approvals.front().status = ApprovalStatus::approved;
    facts.approvals.front().decided_by = "user:ada";
    facts.run->execution = ExecutionStatus::queued;
    EXPECT_TRUE(plan_approval(facts, {.approved = true}, kTen).value().empty());
    const auto contrary = plan_approval(facts, {.approved = false}, kTen);
    EXPECT_EQ(contrary.error().code, ErrorCode::conflict);
    EXPECT_EQ(contrary.error().message, "the run no longer waits: its approval is approved by user:ada");
}

TEST(PlanApproval, NobodyApprovesWhatHasExpired) {
    const auto facts = facts_awaiting();
    EXPECT_EQ(plan_approval(facts, {.approved = true}, kTen + 24h).error().message,
              "the approval expired at 2026-06-02T10:00:00Z");
    EXPECT_TRUE(plan_approval(facts, {.approved = true}, kTen + 24h - 1us));
}

TEST(PlanApproval, ANodeMustBeNamed) {
    auto facts = facts_awaiting();
    facts.run->execution = ExecutionStatus::running;
    facts.approvals = {{.run_id = facts.run->id, .node = "publish"}};
    EXPECT_EQ(plan_approval(facts, {.approved = true}, kTen).error().message,
              "the run itself does not wait for approval, but node publish does: set `node` to it");
    EXPECT_EQ(plan_approval(facts, {.approved = true, .node = "other"}, kTen).error().message,
              "node other does not wait for approval");
}

TEST(PlanApprovalExpiry, CancelsARunThatNobodyApproved) {
    const auto facts = facts_awaiting();
    EXPECT_EQ(plan_approval_expiry(facts, {}, kTen + 24h - 1us).error().code, ErrorCode::conflict)
        << "there is time left";
    const auto plan = plan_approval_expiry(facts, {}, kTen + 24h).value();
    ASSERT_EQ(plan.ends.size(), 1U);
    EXPECT_EQ(plan.ends.front().status, ExecutionStatus::cancelled);
    EXPECT_EQ(plan.ends.front().error, "not approved within 24 h");
    EXPECT_TRUE(plan.starts.empty());
    ASSERT_EQ(plan.verdicts.size(), 1U);
    EXPECT_EQ(plan.verdicts.front().status, ApprovalStatus::expired);
    EXPECT_EQ(plan.verdicts.front().decided_by, "");
}

TEST(PlanApprovalExpiry, LeavesWhatWasDecided) {
    auto facts = facts_awaiting();
    for (const auto status :
         {ApprovalStatus::approved, ApprovalStatus::rejected, ApprovalStatus::expired, ApprovalStatus::voided}) {
        facts.approvals.front().status = status;
        EXPECT_EQ(plan_approval_expiry(facts, {}, kTen + 48h).error().code, ErrorCode::conflict) << name_of(status);
    }
}

TEST(PlanBypassRecord, IsOneEventForEveryoneWhoTriesAndEveryWay) {
    const auto facts = facts_awaiting();
    const auto plan =
        plan_bypass_record(facts, {facts.run->id, "publish", "ended_while_waiting"}, kTen, {.principal = "key:w"});
    test::expect_sound(facts, plan);
    EXPECT_EQ(test::events_of(plan).front(),
              R"(3 approval_bypass_attempt {"principal":"key:w","run":")" + facts.run->id +
                  R"(","node":"publish","how":"ended_while_waiting","command_context":{"principal":"key:w"}})");
    ASSERT_TRUE(plan.request);
    EXPECT_NE(plan.request->key.find(' '), std::string::npos) << "so that no Idempotency-Key can be the same";
    const auto key_of = [&](const BypassAttempt& attempt, const char* who) {
        return plan_bypass_record(facts, attempt, kTen, {.principal = who}).request->key;
    };
    EXPECT_EQ(key_of({facts.run->id, "", "ended_while_waiting"}, "key:w"), plan.request->key)
        << "its nodes are not counted";
    EXPECT_NE(key_of({facts.run->id, "publish", "decided_without_role"}, "key:w"), plan.request->key);
    EXPECT_NE(key_of({facts.run->id, "publish", "ended_while_waiting"}, "key:x"), plan.request->key);
    EXPECT_NE(key_of({"", "", "ended_while_waiting"}, "key:w"), plan.request->key);
}

TEST(ApprovalRequirement, AnAssigneeIsHeldBackByAnApprovalOrByASpendingLimit) {
    const auto nobody = test::compiled(test::definition());
    const auto free = test::compiled(test::definition([](auto& s) { s.assignee = model::Assignee{"agent", "bo"}; }));
    const auto approved = test::compiled(test::definition([](auto& s) {
        s.assignee = model::Assignee{"agent", "bo"};
        s.approval.requires_approval = true;
    }));
    model::AssigneeRecord limited{.id = "bo"};
    limited.policies.spending_limit = model::Credits{};
    EXPECT_FALSE(is_unsupervised(*nobody, std::nullopt)) << "nobody does the work on their own account";
    EXPECT_TRUE(is_unsupervised(*free, std::nullopt)) << "whom nobody has registered has no limit";
    EXPECT_TRUE(is_unsupervised(*free, model::AssigneeRecord{.id = "bo"}));
    EXPECT_FALSE(is_unsupervised(*free, limited)) << "a limit of nothing is one, too";
    EXPECT_FALSE(is_unsupervised(*approved, std::nullopt));
}

TEST(ApprovalRequirement, WhatWasRefusedLeavesItsAuditAndNothingElse) {
    const auto plan = plan_refused_create(test::compiled(test::definition()), {.how = "activated_unsupervised"}, kTen,
                                          {.principal = "ada"})
                          .value();
    EXPECT_EQ(plan.state.status, model::ScheduleStatus::deleted);
    EXPECT_EQ(plan.state.next_fire, std::nullopt);
    const auto events = test::events_of(plan);
    ASSERT_EQ(events.size(), 3);
    EXPECT_TRUE(events[0].starts_with("1 ScheduleCreated"));
    EXPECT_EQ(events[1],
              R"(2 approval_bypass_attempt {"principal":"ada","run":null,"node":null,"how":"activated_unsupervised",)"
              R"("command_context":{"principal":"ada"}})");
    EXPECT_EQ(events[2], R"(3 ScheduleDeleted {"reason":"approval_bypass_attempt","deleted_at":"2026-06-01T10:00:00Z",)"
                         R"("command_context":{"principal":"ada"}})");
}

}  // namespace
}  // namespace belfry::decide
