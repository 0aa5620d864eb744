// What the reaper makes of leases that ran out: a worker that died, or an attempt that took too long.
#include <gtest/gtest.h>

#include "engine/explain/run_history.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/telemetry/engine_metrics.hpp"
#include "engine/telemetry/observers.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using namespace std::chrono_literals;
using model::ExecutionStatus;

class ReaperOfLeases : public testing::Test {
protected:
    std::string trigger(const test::Edit& edit = {}) {
        world.create([&](model::Schedule& schedule) {
            schedule.spec.cron = {"0 0 1 1 *"};
            schedule.target.type = model::TargetType::task;
            if (edit) edit(schedule);
        });
        return world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {})->id;
    }
    model::Task claim(Micros lease = 30s) {
        auto tasks = world.runs.claim({.tenant = "default", .worker = "w1", .limit = 1, .lease = lease}).value();
        EXPECT_EQ(tasks.size(), 1U);
        return tasks.empty() ? model::Task{} : tasks.front();
    }
    model::Run run(const std::string& id) { return world.store->run("default", id).value(); }
    // Everything that has a lease is over.
    void pass_and_reap(Micros time) {
        world.clock.pass(time);
        reaper.step();
    }

    test::EngineWorld world{"2026-06-01T10:00:00Z"};
    EngineMetrics metrics;
    Reaper reaper{*world.store, metrics, [] { return true; }, {}, [] { return std::uint64_t{0}; }};
};

TEST_F(ReaperOfLeases, AWorkerThatDiesIsNotAFailureOfItsTask) {
    const auto id = trigger();
    for (int attempt = 1; attempt <= 4; ++attempt) {
        EXPECT_EQ(claim().attempt, attempt);
        pass_and_reap(31s);
        EXPECT_EQ(metrics.read().reaped, static_cast<std::uint64_t>(attempt));
        EXPECT_EQ(metrics.read().redelivered, static_cast<std::uint64_t>(std::min(attempt, 3)));
        if (attempt < 4) {
            EXPECT_EQ(run(id).execution, ExecutionStatus::queued);
        }
    }
    EXPECT_EQ(run(id).execution, ExecutionStatus::timed_out);
    EXPECT_EQ(run(id).error, "worker w1 stopped sending heartbeats");
    test::Lines types;
    for (const auto& event : run_history(*world.store, "default", id, 0, 100).value()) types.push_back(event.type);
    EXPECT_EQ(types, (test::Lines{"ScheduleTriggered", "run.started", "node.redelivered", "node.redelivered",
                                  "node.redelivered", "run.timed_out"}));
}

TEST_F(ReaperOfLeases, ATaskThatTookLongerThanItsTimeoutHasTimedOut) {
    const auto id = trigger([](auto& schedule) { schedule.retry.timeout = 10'000ms; });
    claim();
    pass_and_reap(31s);
    EXPECT_EQ(run(id).execution, ExecutionStatus::timed_out);
    EXPECT_EQ(run(id).error, "the attempt took longer than its timeout");
    EXPECT_EQ(metrics.read().redelivered, 0U);
}

TEST_F(ReaperOfLeases, AWorkerThatDiesBeforeTheTimeoutIsLost) {
    const auto id = trigger([](auto& schedule) { schedule.retry.timeout = 600'000ms; });
    claim();
    pass_and_reap(31s);
    EXPECT_EQ(run(id).execution, ExecutionStatus::queued);
}

TEST_F(ReaperOfLeases, WithThePolicyFailALostWorkerIsATimeout) {
    const auto id = trigger([](auto& schedule) { schedule.worker_lost = model::WorkerLostPolicy::fail; });
    claim();
    pass_and_reap(31s);
    EXPECT_EQ(run(id).execution, ExecutionStatus::timed_out);
}

TEST_F(ReaperOfLeases, WhatServersRunThemselvesComesBackAsWell) {
    const auto id = trigger([](auto& schedule) {
        schedule.target.kind = "http";
        schedule.target.input = test::json(R"({"url":"https://example.com"})");
    });
    const auto claim_own = [&] {
        const auto now = world.clock.now();
        const auto queues = world.store->receiver_queues({.tenant = "default", .now = now}).value();
        return world.store->claim({.tenant = "default", .queue = queues.at(0), .worker = "@executor:s1", .now = now})
            .value();
    };
    ASSERT_EQ(claim_own().size(), 1U);
    pass_and_reap(31s);
    EXPECT_EQ(run(id).execution, ExecutionStatus::queued);
    ASSERT_EQ(claim_own().size(), 1U);
    EXPECT_EQ(run(id).attempts, 2);
}

// The receiver of what was handed over sends no heartbeats: its silence for so long is a timeout.
TEST_F(ReaperOfLeases, AReceiverThatTellsNothingInTimeHasTimedOut) {
    const auto id = trigger();
    const auto task = claim();
    const std::vector<store::LeaseTransfer> passed{{.lease = {task.run_id, task.attempt, task.node},
                                                    .worker = "connection:orders",
                                                    .until = world.clock.now() + 1h,
                                                    .event = "node.handed_over"}};
    ASSERT_TRUE(world.store->transfer_lease(passed, world.clock.now()));
    pass_and_reap(61min);
    EXPECT_EQ(run(id).execution, ExecutionStatus::timed_out);
}

}  // namespace
}  // namespace belfry::engine
