// A worker that dies is not a failure of its task: the task is handed out again, at most three times beside its
// retries.
#include "decide/explain/feed.hpp"
#include "decide/run/attempt.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::worker_lost_test {
namespace {

using model::ExecutionStatus;
using model::NodeStatus;
using model::WorkerLostPolicy;
using test::instant;
using test::Life;

const Instant kNow = instant("2026-06-01T10:05:00Z");
const AttemptEnd kLost{.status = ExecutionStatus::timed_out,
                       .category = model::FailureCategory::timeout,
                       .error = "worker w1 stopped sending heartbeats",
                       .worker_lost = true};
const AttemptEnd kFailed{.status = ExecutionStatus::failed, .error = "boom"};

// A run whose attempts end one after the other.
class Attempts {
public:
    explicit Attempts(const test::Edit& edit = {}, const std::string& node = {})
        : life_("2026-06-01T09:30:00Z", edit), node_(node) {
        life_.tick("2026-06-01T10:00:00Z");
        facts = life_.facts;
        model::Run run;
        run.id = life_.plan.runs.front().id;
        run.slot = life_.plan.runs.front().slot;
        run.fire_at = life_.plan.runs.front().fire_at;
        run.execution = ExecutionStatus::running;
        facts.run = run;
        facts.node = node_;
        if (node_.empty()) return;
        facts.workflow_run.emplace();
        facts.workflow_run->workflow =
            std::make_shared<const model::Workflow>(model::Workflow{.name = "w", .nodes = {{.id = node_}}});
        facts.workflow_run->nodes.push_back({.node = node_, .queue = "default", .ready_at = run.fire_at});
    }

    // `redelivered 1`, `retried`, `timed_out`…: what becomes of the task.
    std::string end(const AttemptEnd& how) {
        attempt += 1;
        facts.run->attempts = attempt;
        if (facts.workflow_run) {
            facts.workflow_run->nodes.front().attempts = attempt;
            facts.workflow_run->nodes.front().status = NodeStatus::running;
        }
        auto decided = plan_attempt_end(facts, how, kNow).value();
        if (std::holds_alternative<Retry>(decided)) return "retried";
        plan = std::get<Plan>(std::move(decided));
        if (!plan.ends.empty()) return std::string(name_of(plan.ends.front().status));
        const auto before = facts.workflow_run && facts.workflow_run->find(node_) != nullptr
                                ? facts.workflow_run->find(node_)->redeliveries
                                : 0;
        if (!facts.workflow_run) facts.workflow_run.emplace();
        facts.workflow_run->nodes = {plan.nodes.front().node};
        const auto& task = facts.workflow_run->nodes.front();
        if (task.status != NodeStatus::queued) return std::string(name_of(task.status));
        if (task.redeliveries > before) return "redelivered " + std::to_string(task.redeliveries);
        return task.assignee.empty() ? "retried" : "for " + task.assignee;
    }
    [[nodiscard]] const model::NodeRun& task() const { return facts.workflow_run->nodes.front(); }

    Facts facts;
    Plan plan;
    int attempt = 0;

private:
    Life life_;
    std::string node_;
};

test::Edit retries(int count) {
    return [count](model::Schedule& schedule) { schedule.retry.max_retries = count; };
}

TEST(WorkerLost, ATaskWhoseWorkerDiedIsHandedOutAgainInItsOldPlace) {
    Attempts run;
    ASSERT_EQ(run.end(kLost), "redelivered 1");
    EXPECT_EQ(run.task().ready_at, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(run.task().attempts, 1) << "the next claim has the number 2";
    EXPECT_EQ(run.task().attempts - run.task().attempts_before, 0) << "it costs no try of its policy";
    EXPECT_EQ(run.plan.state.failures, 0);
    ASSERT_EQ(run.plan.notes.size(), 1U);
    const auto& told = run.plan.notes.front().event;
    EXPECT_EQ(told.type, "node.redelivered");
    EXPECT_EQ(told.payload.at("attempt"), 1);
    EXPECT_EQ(told.payload.at("redeliveries"), 1);
    EXPECT_EQ(told.payload.at("reason"), "worker w1 stopped sending heartbeats");
}

TEST(WorkerLost, AClockThatWasPutBackDoesNotKeepItWaiting) {
    Attempts run;
    run.facts.run->fire_at = kNow + std::chrono::hours{7};
    ASSERT_EQ(run.end(kLost), "redelivered 1");
    EXPECT_EQ(run.task().ready_at, kNow);
}

TEST(WorkerLost, AfterTheThirdRedeliveryItIsATimeoutThatTheRetryPolicyHandles) {
    for (const auto* const node : {"", "a"}) {
        Attempts without(retries(0), node);
        for (const auto* const expected : {"redelivered 1", "redelivered 2", "redelivered 3", "timed_out"})
            EXPECT_EQ(without.end(kLost), expected);
        Attempts with(retries(1), node);
        for (const auto* const expected : {"redelivered 1", "redelivered 2", "redelivered 3", "retried", "timed_out"}) {
            EXPECT_EQ(with.end(kLost), expected);
        }
        EXPECT_EQ(with.attempt, 5);
    }
}

TEST(WorkerLost, ARedeliveryCostsNoneOfTheRetries) {
    for (const auto* const node : {"", "a"}) {
        Attempts run(retries(1), node);
        EXPECT_EQ(run.end(kLost), "redelivered 1");
        EXPECT_EQ(run.end(kFailed), "retried");
        EXPECT_EQ(run.end(kLost), "redelivered 2");
        EXPECT_EQ(run.end(kFailed), "failed");
    }
}

TEST(WorkerLost, WithThePolicyFailItIsATimeoutAtOnce) {
    for (const auto* const node : {"", "a"}) {
        Attempts run([](auto& schedule) { schedule.worker_lost = WorkerLostPolicy::fail; }, node);
        EXPECT_EQ(run.end(kLost), "timed_out");
    }
}

TEST(WorkerLost, AnAttemptThatTookLongerThanItsTimeoutHasTimedOut) {
    for (const auto* const node : {"", "a"}) {
        Attempts run({}, node);
        auto late = kLost;
        late.worker_lost = false;
        EXPECT_EQ(run.end(late), "timed_out");
    }
}

TEST(WorkerLost, WhatWasRedeliveredStillGoesToTheFallback) {
    for (const auto* const node : {"", "a"}) {
        Attempts run([](auto& schedule) { schedule.failure = {model::FailureMode::fallback, "second"}; }, node);
        EXPECT_EQ(run.end(kLost), "redelivered 1");
        EXPECT_EQ(run.end(kFailed), "for second");
        ASSERT_EQ(run.end(kLost), "redelivered 2");
        EXPECT_EQ(run.task().assignee, "second");
        EXPECT_EQ(run.end(kLost), "redelivered 3") << "three of one task, whoever has it";
        EXPECT_EQ(run.end(kLost), "timed_out");
    }
}

TEST(WorkerLost, TheFeedTellsOfEveryRedeliveryAndOfTheRetriesAfterIt) {
    Attempts run(retries(1));
    ASSERT_EQ(run.end(kLost), "redelivered 1");
    const auto types = [&run] {
        test::Lines lines;
        for (const auto& item : feed_items(run.plan, run.facts.schedule->definition)) lines.push_back(item.type);
        return lines;
    };
    EXPECT_EQ(types(), test::Lines{"run.redelivered"});
    const auto item = feed_items(run.plan, run.facts.schedule->definition).front();
    EXPECT_EQ(item.body.at("attempt"), 1);
    EXPECT_EQ(item.body.at("redeliveries"), 1);
    EXPECT_EQ(item.body.at("error"), Json(kLost.error));
    run.end(kFailed);
    EXPECT_EQ(types(), test::Lines{"run.retrying"});
    EXPECT_EQ(feed_items(run.plan, run.facts.schedule->definition).front().body.at("error"), "boom");
}

}  // namespace
}  // namespace belfry::decide::worker_lost_test
