#include "engine/jobs/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "support/worlds/engine_world.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::engine {
namespace {

using model::ExecutionStatus;
using test::within_a_minute;

// What the executor has begun, each waiting until the test says how it ends.
class Desk {
public:
    struct Job {
        model::Task task;
        std::optional<decide::AttemptEnd> end = {};
        bool ended = false;
    };

    Executor::Work work() {
        return
            [this](const model::Task& task, Instant, const std::stop_token& stop) -> std::optional<decide::AttemptEnd> {
                std::unique_lock lock(mutex_);
                jobs_.push_back({task});
                auto& job = jobs_.back();
                changed_.notify_all();
                changed_.wait(lock, stop, [&job] { return job.ended; });
                if (!job.ended) ++stopped_;
                job.ended = true;
                return job.end;
            };
    }
    void end(const std::string& run_id, const decide::AttemptEnd& how) {
        const std::scoped_lock lock(mutex_);
        for (auto& job : jobs_) {
            if (job.task.run_id != run_id || job.ended) continue;
            job.end = how;
            job.ended = true;
        }
        changed_.notify_all();
    }
    std::vector<model::Task> going_on() {
        const std::scoped_lock lock(mutex_);
        std::vector<model::Task> tasks;
        for (const auto& job : jobs_) {
            if (!job.ended) tasks.push_back(job.task);
        }
        return tasks;
    }
    int stopped() {
        const std::scoped_lock lock(mutex_);
        return stopped_;
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> jobs_;
    int stopped_ = 0;
};

class ExecutorTest : public testing::Test {
protected:
    ExecutorTest() {
        world.store->listen([this](const store::Notification& notification) {
            if (const auto* const ready = std::get_if<store::TasksReady>(&notification); ready != nullptr && executor)
                executor->on_notification(*ready);
        });
    }
    ~ExecutorTest() override { world.store->listen({}); }

    void start(std::size_t places, std::size_t commands = 1) {
        ExecutorOptions options;
        options.drain = Micros{1};
        executor = std::make_unique<Executor>(
            Executor::Collaborators{*world.store, world.runs, world.journal, world.steady}, "executor:1",
            std::vector<Executor::Queue>{{model::kHttpQueue, places, desk.work()},
                                         {model::kCommandQueue, commands, others.work()}},
            options, [] { return std::uint64_t{0}; }, [this] { ++rings; });
    }
    std::string schedule(const std::string& tenant, const std::string& kind = "http", int retries = 0,
                         const std::string& host = "example.com") {
        if (tenant != "default") {
            EXPECT_TRUE(world.store->put_tenant({.name = tenant}));
        }
        const auto made = world.create([&](model::Schedule& schedule) {
            schedule.tenant = tenant;
            schedule.name = kind + " " + host;
            schedule.target = {.type = model::TargetType::task,
                               .kind = kind,
                               .input = Json{{"method", "GET"}, {"url", "https://" + host + "/${run.id}"}}};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            schedule.retry.max_retries = retries;
        });
        return made.definition.id;
    }
    std::vector<std::string> trigger(const std::string& tenant, const std::string& id, int times = 1) {
        std::vector<std::string> runs;
        for (int i = 0; i < times; ++i) runs.push_back(world.schedules.trigger({tenant, id}, {}, {})->id);
        return runs;
    }
    // Steps until it wants to wait.
    Micros settle() {
        while (true) {
            if (const auto wait = executor->step(); wait > Micros{0}) return wait;
        }
    }
    std::map<std::string, std::size_t> going_on_by_schedule() {
        std::map<std::string, std::size_t> found;
        for (const auto& task : desk.going_on()) ++found[task.schedule_id];
        return found;
    }
    std::map<std::string, std::size_t> going_on_by_tenant(std::size_t expected) {
        std::map<std::string, std::size_t> found;
        EXPECT_TRUE(within_a_minute([&] { return desk.going_on().size() >= expected; }));
        for (const auto& task : desk.going_on()) ++found[task.tenant];
        return found;
    }
    void end(const std::string& run_id, const decide::AttemptEnd& how = {}) {
        const auto before = rings.load();
        desk.end(run_id, how);
        others.end(run_id, how);
        EXPECT_TRUE(within_a_minute([&] { return rings.load() > before; }));
    }
    ExecutionStatus status(const std::string& run_id, const std::string& tenant = "default") {
        return world.store->run(tenant, run_id)->execution;
    }

    test::EngineWorld world{"2026-06-01T10:00:00Z"};
    Desk desk;
    Desk others;
    std::atomic<int> rings = 0;
    std::unique_ptr<Executor> executor;
};

TEST_F(ExecutorTest, DoesWhatIsReadyAndTellsHowItEnded) {
    start(4);
    const auto run = trigger("default", schedule("default"))[0];
    settle();
    EXPECT_EQ(going_on_by_tenant(1).size(), 1U);
    EXPECT_EQ(status(run), ExecutionStatus::running);
    end(run, {.result = "done"});
    settle();
    EXPECT_EQ(status(run), ExecutionStatus::succeeded);
    EXPECT_EQ(world.store->run("default", run)->result, Json("done"));
}

TEST_F(ExecutorTest, FindsWhatWasReadyBeforeItStarted) {
    const auto run = trigger("default", schedule("default", "command"))[0];
    start(1);
    settle();
    ASSERT_TRUE(within_a_minute([&] { return others.going_on().size() == 1; }));
    EXPECT_EQ(others.going_on()[0].run_id, run);
    EXPECT_TRUE(desk.going_on().empty()) << "it is the other queue's";
    end(run);
}

TEST_F(ExecutorTest, FindsItsTasksHoweverManyOtherQueuesAreBusy) {
    for (std::size_t i = 0; i <= store::kCountsMax; ++i) {
        const auto busy = world.create([&](model::Schedule& made) {
            made.name = "busy " + std::to_string(i);
            made.target.queue = made.name;
            made.overlap.policy = model::OverlapPolicy::allow_all;
        });
        trigger("default", busy.definition.id, 2);
    }
    const auto run = trigger("default", schedule("default"))[0];
    start(1);
    settle();
    EXPECT_EQ(going_on_by_tenant(1).size(), 1U);
    end(run);
}

TEST_F(ExecutorTest, FindsItsTasksInEveryTenantHoweverManyThereAre) {
    std::vector<std::string> runs;
    for (std::size_t i = 0; i <= store::kPageMax; ++i) {
        EXPECT_TRUE(world.store->put_tenant({.name = "t" + std::to_string(i)}));
    }
    const auto last = "u";
    runs.push_back(trigger(last, schedule(last))[0]);
    start(1);
    while (desk.going_on().empty() && executor->step() <= Micros{1}) {
    }
    EXPECT_EQ(going_on_by_tenant(1).size(), 1U);
    end(runs[0]);
}

TEST_F(ExecutorTest, FindsWhatNobodyAnnounced) {
    start(1);
    settle();
    const auto id = schedule("default");
    world.store->listen({});
    const auto run = trigger("default", id)[0];
    world.clock.pass(ExecutorOptions().sweep_every - Seconds{1});
    settle();
    EXPECT_TRUE(desk.going_on().empty());
    world.clock.pass(Seconds{1});
    settle();
    going_on_by_tenant(1);
    end(run);
    settle();
    const auto second = trigger("default", id)[0];
    world.clock.pass(ExecutorOptions().look_every);
    settle();
    EXPECT_EQ(going_on_by_tenant(1).size(), 1U) << "whoever had tasks lately is looked at sooner";
    end(second);
}

TEST_F(ExecutorTest, ClaimsNoMoreThanItHasPlaces) {
    start(4);
    const auto runs = trigger("default", schedule("default"), 5);
    settle();
    going_on_by_tenant(2);
    settle();
    EXPECT_EQ(desk.going_on().size(), 2U) << "one place is for other tenants, and one for other receivers";
    EXPECT_EQ(world.store->counts(world.clock.now())->queues.at(0).ready, 3) << "another server may take them";
    end(desk.going_on()[0].run_id);
    settle();
    going_on_by_tenant(2);
    EXPECT_EQ(world.store->counts(world.clock.now())->queues.at(0).ready, 2);
    executor->finish();
}

TEST_F(ExecutorTest, ARetryIsLookedForExactlyWhenItIsReady) {
    start(1);
    const auto run = trigger("default", schedule("default", "http", 1))[0];
    settle();
    going_on_by_tenant(1);
    end(run, {.status = ExecutionStatus::failed, .retry_after = Seconds{3}});
    settle();
    EXPECT_EQ(status(run), ExecutionStatus::queued);
    const auto wait = settle();
    EXPECT_GE(wait, Seconds{3}) << "with its jitter";
    EXPECT_LT(wait, ExecutorOptions().look_every) << "it was told when, and need not look";
    world.clock.pass(wait - Micros{1});
    settle();
    EXPECT_TRUE(desk.going_on().empty());
    world.clock.pass(Micros{1});
    settle();
    going_on_by_tenant(1);
    EXPECT_EQ(desk.going_on().at(0).attempt, 2);
    end(run);
    settle();
    EXPECT_EQ(status(run), ExecutionStatus::succeeded);
}

TEST_F(ExecutorTest, HoldsItsLeasesForAsLongAsItTakes) {
    start(6);
    const auto runs = trigger("default", schedule("default"), 3);
    settle();
    going_on_by_tenant(3);
    for (int i = 0; i < 30; ++i) {
        world.clock.pass(Seconds{5});
        settle();
        EXPECT_TRUE(world.store->expired(world.clock.now(), 10)->empty()) << i;
    }
    for (const auto& run : runs) end(run);
    settle();
    for (const auto& run : runs) EXPECT_EQ(status(run), ExecutionStatus::succeeded);
}

TEST_F(ExecutorTest, WhatWasCancelledIsStoppedAndChangesNothing) {
    start(1);
    const auto run = trigger("default", schedule("default"))[0];
    settle();
    going_on_by_tenant(1);
    ASSERT_TRUE(world.runs.cancel("default", run, "enough"));
    world.clock.pass(ExecutorOptions().lease / 3);
    settle();
    ASSERT_TRUE(within_a_minute([&] { return desk.stopped() == 1; }));
    ASSERT_TRUE(within_a_minute([&] { return rings.load() > 0; }));
    settle();
    EXPECT_EQ(status(run), ExecutionStatus::cancelled);
    const auto next = trigger("default", schedule("acme"), 0);
    EXPECT_TRUE(next.empty());
    EXPECT_TRUE(world.journal.lines.empty());
}

TEST_F(ExecutorTest, AnEndThatComesTooLateIsDropped) {
    start(1);
    const auto run = trigger("default", schedule("default"))[0];
    settle();
    going_on_by_tenant(1);
    ASSERT_TRUE(world.runs.cancel("default", run, "enough"));
    end(run, {.result = "late"});
    settle();
    EXPECT_EQ(status(run), ExecutionStatus::cancelled);
    EXPECT_TRUE(world.journal.lines.empty()) << "that is no trouble";
}

TEST_F(ExecutorTest, ATenantWithSlowCallsLeavesRoomForTheOthers) {
    start(8);
    const auto hog = schedule("hog");
    const auto small = schedule("small");
    const auto third = schedule("third");
    const auto one = trigger("small", small)[0];
    settle();
    going_on_by_tenant(1);
    trigger("hog", hog, 100);
    settle();
    auto found = going_on_by_tenant(3);
    EXPECT_EQ(found["hog"], 2U) << "two share six places, and each has one for another receiver";
    end(one);
    settle();
    trigger("third", third, 2);
    settle();
    EXPECT_TRUE(within_a_minute([&] { return going_on_by_tenant(0)["third"] == 2; }))
        << "although the hog has ended nothing";
    executor->finish();
}

TEST_F(ExecutorTest, TheOnlyTenantLeavesPlacesForTheNextOne) {
    start(8);
    trigger("default", schedule("default"), 100);
    settle();
    trigger("default", schedule("default", "http", 0, "other.example"), 100);
    settle();
    EXPECT_EQ(going_on_by_tenant(6)["default"], 6U);
    trigger("acme", schedule("acme"));
    settle();
    EXPECT_EQ(going_on_by_tenant(7)["acme"], 1U);
    executor->finish();
}

TEST_F(ExecutorTest, ASilentReceiverDelaysOnlyItsOwnTasks) {
    start(8);
    const auto silent = schedule("default", "http", 1, "silent.example");
    const auto healthy = schedule("default", "http", 0, "healthy.example");
    const auto waiting = trigger("default", silent, 200);
    settle();
    EXPECT_EQ(going_on_by_tenant(5)["default"], 5U) << "one of the tenant's six places is for another receiver";
    for (const auto& run : trigger("default", healthy, 20)) {
        settle();
        ASSERT_TRUE(within_a_minute([&] { return going_on_by_schedule()[healthy] >= 1; }));
        end(run);
        settle();
        EXPECT_EQ(status(run), ExecutionStatus::succeeded);
    }
    EXPECT_EQ(going_on_by_schedule()[silent], 5U);
    EXPECT_EQ(status(waiting[100]), ExecutionStatus::queued) << "no attempt begins before its call";
    EXPECT_EQ(world.store->run("default", waiting[100])->attempts, 0);
    executor->finish();
}

TEST_F(ExecutorTest, ReceiversTakeTurnsHoweverManyThereAre) {
    start(4);
    std::vector<std::string> ids;
    for (int i = 0; i < 12; ++i) ids.push_back(schedule("default", "http", 0, "r" + std::to_string(i) + ".example"));
    for (const auto& id : ids) trigger("default", id, 3);
    std::map<std::string, int> served;
    for (int i = 0; i < 24; ++i) {
        settle();
        going_on_by_tenant(3);
        const auto first = desk.going_on().at(0);
        ++served[first.schedule_id];
        end(first.run_id);
    }
    EXPECT_EQ(served.size(), ids.size());
    for (const auto& id : ids) EXPECT_EQ(served[id], 2);
    executor->finish();
}

TEST_F(ExecutorTest, TenantsTakeTurns) {
    start(2);
    std::map<std::string, std::vector<std::string>> waiting;
    for (const std::string tenant : {"a", "b", "c"}) {
        const auto id = schedule(tenant);
        trigger(tenant, id, 4);
    }
    std::vector<std::string> order;
    for (int i = 0; i < 6; ++i) {
        settle();
        going_on_by_tenant(2);
        auto running = desk.going_on();
        // The first two start at once, on two threads, and reach the desk in any order.
        if (i == 0) std::ranges::sort(running, {}, &model::Task::tenant);
        order.push_back(running.at(0).tenant);
        end(running.at(0).run_id);
    }
    EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c", "a", "b", "c"}));
    executor->finish();
}

TEST_F(ExecutorTest, WhoEndsGivesUpWhatGoesOnAndAnotherTakesItOver) {
    start(4);
    const auto runs = trigger("default", schedule("default", "http", 1), 2);
    settle();
    going_on_by_tenant(2);
    desk.end(runs[0], {.result = "in time"});
    executor->finish();
    EXPECT_EQ(status(runs[0]), ExecutionStatus::succeeded);
    EXPECT_EQ(desk.stopped(), 1);
    EXPECT_EQ(status(runs[1]), ExecutionStatus::running);
    world.clock.pass(Micros{1});
    const auto expired = world.store->expired(world.clock.now(), 10).value();
    ASSERT_EQ(expired.size(), 1U) << "nobody waits for its lease";
    EXPECT_EQ(expired[0].ref.run_id, runs[1]);
    Reaper reaper(
        *world.store, world.journal, [] { return true; }, {}, [] { return std::uint64_t{0}; });
    reaper.step();
    EXPECT_EQ(status(runs[1]), ExecutionStatus::queued);
    start(4);
    world.clock.pass(Seconds{10});
    settle();
    going_on_by_tenant(1);
    end(runs[1]);
    settle();
    EXPECT_EQ(status(runs[1]), ExecutionStatus::succeeded);
}

}  // namespace
}  // namespace belfry::engine
