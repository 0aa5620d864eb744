// Whole engines with all their threads, on real stores and by the real clock. Nothing here asserts how fast something
// is: every wait has a deadline that only a fault reaches.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "engine/engine.hpp"
#include "model/identity.hpp"
#include "store/registry.hpp"
#include "support/oracles/stores.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::test {
namespace {

using engine::Engine;
using engine::EngineOptions;

EngineOptions lively() {
    EngineOptions options;
    options.min_interval = Seconds{1};
    options.member.every = std::chrono::milliseconds{100};
    options.member.lease = Seconds{2};
    options.backfiller.tick = std::chrono::milliseconds{20};
    options.reaper.tick = std::chrono::milliseconds{20};
    return options;
}

class EngineTest : public testing::TestWithParam<StoreUnderTest> {
protected:
    EngineTest() : world(GetParam().make()), store(world->open()) {}

    std::unique_ptr<Engine> engine(const StorePtr& on, EngineOptions options = lively()) {
        auto made = std::make_unique<Engine>(*on, zones(), quiet, std::move(options));
        made->start();
        return made;
    }
    static model::Schedule every_second(const std::string& name, const Edit& edit = {}) {
        return definition([&](auto& schedule) {
            schedule.name = name;
            schedule.spec.cron = {"* * * * * *"};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            if (edit) edit(schedule);
        });
    }
    std::vector<model::Run> runs_of(const std::string& schedule_id) {
        store::RunFilter filter{.tenant = "default"};
        filter.schedule_id = schedule_id;
        const auto page = store->runs(filter, {{}, store::kPageMax});
        return page ? page->items : std::vector<model::Run>();
    }

    engine::Observer quiet;
    std::unique_ptr<StoreWorld> world;
    StorePtr store;
};

TEST_P(EngineTest, FiresAtItsTimeAndNotBefore) {
    const auto server = engine(store);
    const auto at = std::chrono::ceil<Seconds>(*store->now()) + Seconds{1};
    const auto created = server->schedules().create(definition([&](auto& schedule) {
                                                        schedule.spec.cron = {};
                                                        schedule.spec.at = {format_instant(at)};
                                                    }),
                                                    {});
    ASSERT_TRUE(created) << created.error().message;
    ASSERT_TRUE(within_a_minute([&] { return !runs_of(created->definition.id).empty(); }));
    const auto runs = runs_of(created->definition.id);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].slot.occurrence, at);
    EXPECT_GE(runs[0].decided_at, at);
    EXPECT_EQ(runs[0].dispatch, model::DispatchStatus::dispatched);
    // A one-time schedule is over with its last instant.
    EXPECT_EQ(store->schedule({"default", created->definition.id})->state.status, model::ScheduleStatus::completed);
}

TEST_P(EngineTest, SeveralServersFireEveryOccurrenceOnce) {
    std::vector<StorePtr> handles{store, world->open(), world->open()};
    std::vector<std::unique_ptr<Engine>> servers;
    auto options = lively();
    options.ticker.batch = 4;  // so that there is work for several lanes
    options.ticker.parallelism = 3;
    for (const auto& handle : handles) servers.push_back(engine(handle, options));
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        const auto created =
            servers[static_cast<std::size_t>(i) % 3]->schedules().create(every_second("s" + std::to_string(i)), {});
        ASSERT_TRUE(created) << created.error().message;
        ids.push_back(created->definition.id);
    }
    ASSERT_TRUE(within_a_minute([&] { return runs_of(ids.back()).size() >= 3; }));
    for (auto& server : servers) server->stop();
    for (const auto& id : ids) {
        const auto runs = runs_of(id);
        ASSERT_FALSE(runs.empty());
        // Newest first, a second apart, without a gap and without a double: rows of one slot cannot be two.
        for (std::size_t i = 1; i < runs.size(); ++i)
            EXPECT_EQ(runs[i - 1].slot.occurrence - runs[i].slot.occurrence, Seconds{1});
        const auto record = store->schedule({"default", id});
        ASSERT_TRUE(record);
        EXPECT_EQ(record->state.runs, static_cast<std::int64_t>(runs.size()));
    }
}

// Forty schedules of one assignee are due at the same moment on two servers: exactly what its budget allows is
// dispatched.
TEST_P(EngineTest, TwoServersNeverOverspendTheBudgetOfAnAssignee) {
    using model::Credits;
    struct Case {
        std::string assignee;
        model::AssigneePolicies policies;
        std::size_t dispatched;
    };
    const std::vector<Case> cases{
        {"by runs",
         {.spending_limit = Credits{1'000'000}, .credits_per_day = Credits{90'000'000}, .max_runs_per_day = 7},
         7},
        {"by credits",
         {.spending_limit = Credits{1'500'000}, .credits_per_day = Credits{10'000'000}, .max_runs_per_day = 30},
         6}};
    for (const auto& each : cases)
        ASSERT_TRUE(store->put_assignee("default", {.id = each.assignee, .policies = each.policies}));
    auto options = lively();
    options.ticker.batch = 3;
    options.ticker.parallelism = 2;
    const std::vector<StorePtr> handles{store, world->open()};
    std::vector<std::unique_ptr<Engine>> servers;
    for (const auto& handle : handles) servers.push_back(engine(handle, options));
    const auto at = std::chrono::ceil<Seconds>(*store->now()) + Seconds{3};
    std::map<std::string, std::vector<std::string>> ids;
    for (std::size_t i = 0; i < 40; ++i) {
        for (const auto& each : cases) {
            const auto created =
                servers[i % 2]->schedules().create(definition([&](auto& schedule) {
                                                       schedule.name = each.assignee + std::to_string(i);
                                                       schedule.spec.cron = {};
                                                       schedule.spec.at = {format_instant(at)};
                                                       schedule.missed.policy = model::MissedPolicy::fire_all;
                                                       schedule.target.type = model::TargetType::task;
                                                       schedule.target.queue = each.assignee;
                                                       schedule.assignee = model::Assignee{"agent", each.assignee};
                                                   }),
                                                   {.may_loosen = true});
            ASSERT_TRUE(created) << created.error().message;
            ids[each.assignee].push_back(created->definition.id);
        }
    }
    const auto is_decided = [&](const std::string& id) { return !runs_of(id).empty(); };
    ASSERT_TRUE(within_a_minute([&] {
        return std::ranges::all_of(
            cases, [&](const auto& each) { return std::ranges::all_of(ids[each.assignee], is_decided); });
    }));
    for (const auto& each : cases) {
        std::size_t dispatched = 0;
        const auto day = model::day_of(at);
        for (const auto& id : ids[each.assignee]) {
            const auto runs = runs_of(id);
            ASSERT_EQ(runs.size(), 1U);
            // Budgets are of a day, and the engine's clock is the real one.
            if (model::day_of(runs[0].decided_at) != day) GTEST_SKIP() << "midnight came between";
            if (runs[0].dispatch == model::DispatchStatus::dispatched) {
                ++dispatched;
                continue;
            }
            EXPECT_EQ(runs[0].reason, model::SkipReason::budget_exceeded);
            EXPECT_TRUE(runs[0].detail.find(each.assignee) != std::string::npos) << runs[0].detail;
        }
        EXPECT_EQ(dispatched, each.dispatched) << each.assignee;
        const auto held = static_cast<std::int64_t>(dispatched) * each.policies.spending_limit->micros;
        EXPECT_EQ(store->budget("default", each.assignee, day).value(),
                  (model::BudgetDay{static_cast<std::int64_t>(dispatched), {held}, {}}));
        // Workers of both servers end them all, having used a fifth of a credit each.
        for (std::size_t i = 0; i < dispatched; ++i) {
            auto& server = *servers[i % 2];
            const auto tasks = server.runs().claim(
                {.tenant = "default", .queue = each.assignee, .worker = "w", .assignee = each.assignee});
            ASSERT_TRUE(tasks && tasks->size() == 1);
            const auto& task = tasks->front();
            decide::AttemptEnd end{.status = model::ExecutionStatus::succeeded};
            end.usage = model::Usage{.credits = {200'000}};
            const auto done = server.runs().complete("default", {{{task.run_id, task.attempt, {}}, end}});
            ASSERT_TRUE(done && done->front()) << "the end is taken";
        }
        EXPECT_EQ(store->budget("default", each.assignee, day).value(),
                  (model::BudgetDay{
                      static_cast<std::int64_t>(dispatched), {}, {static_cast<std::int64_t>(dispatched) * 200'000}}));
    }
}

TEST_P(EngineTest, NothingFiresWhilePausedAndResumingGoesOnFromNow) {
    const auto server = engine(store);
    const auto created = server->schedules().create(every_second("beat"), {});
    ASSERT_TRUE(created);
    const store::ScheduleRef ref{"default", created->definition.id};
    ASSERT_TRUE(within_a_minute([&] { return !runs_of(ref.id).empty(); }));
    const auto paused = server->schedules().pause(ref, {"for a while", {}}, {});
    ASSERT_TRUE(paused) << paused.error().message;
    const auto before = runs_of(ref.id).size();
    // Another schedule shows that time passes.
    const auto other = server->schedules().create(every_second("other"), {});
    ASSERT_TRUE(other);
    ASSERT_TRUE(within_a_minute([&] { return runs_of(other->definition.id).size() >= 2; }));
    EXPECT_EQ(runs_of(ref.id).size(), before);
    const auto resumed = server->schedules().resume(ref, {});
    ASSERT_TRUE(resumed) << resumed.error().message;
    ASSERT_TRUE(within_a_minute([&] { return runs_of(ref.id).size() > before; }));
    EXPECT_GT(runs_of(ref.id)[runs_of(ref.id).size() - before - 1].slot.occurrence, *paused->state.paused_at);
}

TEST_P(EngineTest, ABackfillIsWorkedOffInPagesAndCountsItsProgress) {
    auto options = lively();
    options.backfiller.page = 7;
    const auto server = engine(store, options);
    const auto now = *store->now();
    const auto created = server->schedules().create(
        every_second("late", [](auto& schedule) { schedule.spec.cron = {"0 * * * *"}; }), {});
    ASSERT_TRUE(created) << created.error().message;
    const store::ScheduleRef ref{"default", created->definition.id};
    const decide::BackfillRequest request{now - std::chrono::hours{48}, now - std::chrono::hours{1}, {}};
    const auto dry = server->backfills().dry_run(ref, request);
    ASSERT_TRUE(dry) << dry.error().message;
    const auto started = server->backfills().start(ref, request, {});
    ASSERT_TRUE(started) << started.error().message;
    ASSERT_TRUE(within_a_minute([&] { return model::is_over(store->backfill("default", started->id)->status); }));
    const auto ended = store->backfill("default", started->id);
    EXPECT_EQ(ended->status, model::BackfillStatus::completed);
    EXPECT_EQ(ended->dispatched, static_cast<std::int64_t>(dry->runs.size()));
    EXPECT_EQ(runs_of(ref.id).size(), dry->runs.size());
    // Again: what has run is left alone.
    const auto again = server->backfills().start(ref, request, {});
    ASSERT_TRUE(again);
    ASSERT_TRUE(within_a_minute([&] { return model::is_over(store->backfill("default", again->id)->status); }));
    EXPECT_EQ(store->backfill("default", again->id)->dispatched, 0);
}

TEST_P(EngineTest, ABackfillThatIsPausedWaitsAndOneThatIsCancelledIsOver) {
    const auto server = engine(store);
    const auto now = *store->now();
    const auto created = server->schedules().create(
        every_second("late", [](auto& schedule) { schedule.spec.cron = {"* * * * *"}; }), {});
    ASSERT_TRUE(created) << created.error().message;
    const auto started = server->backfills().start(
        {"default", created->definition.id}, {now - std::chrono::hours{24 * 60}, now - std::chrono::hours{1}, {}}, {});
    ASSERT_TRUE(started) << started.error().message;
    const auto paused = server->backfills().pause("default", started->id);
    ASSERT_TRUE(paused) << paused.error().message;
    EXPECT_EQ(paused->status, model::BackfillStatus::paused);
    const auto cancelled = server->backfills().cancel("default", started->id);
    ASSERT_TRUE(cancelled) << cancelled.error().message;
    EXPECT_EQ(cancelled->dispatched, paused->dispatched);
    const auto resumed = server->backfills().resume("default", started->id);
    ASSERT_FALSE(resumed);
    EXPECT_EQ(resumed.error().code, ErrorCode::conflict);
}

TEST_P(EngineTest, ATaskWhoseWorkerIsGoneIsGivenToAnotherAndTheFirstIsRefused) {
    const auto server = engine(store);
    const auto created =
        server->schedules().create(definition([](auto& schedule) {
                                       schedule.retry = {.max_retries = 1, .backoff = std::chrono::milliseconds{1}};
                                   }),
                                   {});
    ASSERT_TRUE(created);
    const auto run = server->schedules().trigger({"default", created->definition.id}, {}, {});
    ASSERT_TRUE(run) << run.error().message;
    const auto first = server->runs().claim({"default", "default", "slow", 1, std::chrono::milliseconds{50}});
    ASSERT_TRUE(first);
    ASSERT_EQ(first->size(), 1U);
    std::vector<model::Task> second;
    ASSERT_TRUE(within_a_minute([&] {
        if (auto claimed = server->runs().claim({"default", "default", "quick", 1, Seconds{60}})) second = *claimed;
        return !second.empty();
    }));
    EXPECT_EQ(second[0].run_id, run->id);
    EXPECT_EQ(second[0].idempotency_key, first->front().idempotency_key);
    EXPECT_GT(second[0].attempt, first->front().attempt);
    const auto late = server->runs().complete("default", {{{run->id, first->front().attempt}, {}}});
    ASSERT_TRUE(late);
    ASSERT_FALSE(late->front());
    EXPECT_EQ(late->front().error().code, ErrorCode::conflict);
    const auto done = server->runs().complete("default", {{{run->id, second[0].attempt}, {.result = Json("ok")}}});
    ASSERT_TRUE(done);
    ASSERT_TRUE(done->front()) << done->front().error().message;
    EXPECT_EQ(store->run("default", run->id)->execution, model::ExecutionStatus::succeeded);
}

TEST_P(EngineTest, AnotherTenantCanNeitherProlongNorEndWhatAWorkerHolds) {
    const auto server = engine(store);
    ASSERT_TRUE(store->put_tenant({.name = "other"}));
    const auto created = server->schedules().create(definition(), {});
    ASSERT_TRUE(created);
    ASSERT_TRUE(server->schedules().trigger({"default", created->definition.id}, {}, {}));
    const auto claimed = server->runs().claim({"default", "default", "worker", 1, Seconds{60}});
    ASSERT_TRUE(claimed && claimed->size() == 1);
    const model::LeaseRef lease{claimed->front().run_id, claimed->front().attempt};
    EXPECT_TRUE(server->runs().heartbeat({lease}, Seconds{60}, "other")->empty());
    EXPECT_EQ(server->runs().heartbeat({lease}, Seconds{60}, "default")->size(), 1U);
    const auto ended = server->runs().complete("other", {{lease, {}}});
    ASSERT_TRUE(ended);
    ASSERT_FALSE(ended->front());
    EXPECT_EQ(ended->front().error().code, ErrorCode::not_found);
    EXPECT_EQ(store->run("default", lease.run_id)->execution, model::ExecutionStatus::running);
}

TEST_P(EngineTest, WhatWasBufferedStartsWhenTheRunBeforeItEnds) {
    const auto server = engine(store);
    const auto created = server->schedules().create(
        definition([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_one; }), {});
    ASSERT_TRUE(created);
    const store::ScheduleRef ref{"default", created->definition.id};
    const auto first = server->schedules().trigger(ref, {}, {});
    const auto second = server->schedules().trigger(ref, {}, {});
    ASSERT_TRUE(first && second);
    EXPECT_EQ(second->dispatch, model::DispatchStatus::buffered);
    const auto ended = server->runs().finish("default", first->id, {}, {.result = Json("done")});
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(store->run("default", second->id)->dispatch, model::DispatchStatus::dispatched);
}

TEST_P(EngineTest, OneServerLeadsAndAnotherTakesOverWhenItLeaves) {
    const auto second_store = world->open();
    const auto first = engine(store);
    ASSERT_TRUE(within_a_minute([&] { return first->status().member.leading(); }));
    const auto second = engine(second_store);
    ASSERT_TRUE(within_a_minute([&] { return second->status().member.servers() == 2; }));
    EXPECT_FALSE(second->status().member.leading());
    const auto term = first->status().member.term();
    first->stop();
    ASSERT_TRUE(within_a_minute([&] { return second->status().member.leading(); }));
    EXPECT_GT(second->status().member.term(), term);
}

TEST_P(EngineTest, OldRunsAreForgottenWhenTheSettingsSaySoAndEventsStay) {
    auto options = lively();
    options.janitor.keep_newest = 2;
    options.janitor.every = std::chrono::milliseconds{20};
    options.janitor.between = std::chrono::milliseconds{1};
    const auto server = engine(store, options);
    const auto created = server->schedules().create(
        definition([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; }), {});
    ASSERT_TRUE(created);
    const store::ScheduleRef ref{"default", created->definition.id};
    for (int i = 0; i < 6; ++i) {
        const auto run = server->schedules().trigger(ref, {}, {});
        ASSERT_TRUE(run) << run.error().message;
        ASSERT_TRUE(server->runs().finish("default", run->id, {}, {}));
    }
    EXPECT_TRUE(within_a_minute([&] { return runs_of(ref.id).size() == 2; }));
    EXPECT_EQ(store->events(ref, 0, 100)->size(), 7U);
}

TEST_P(EngineTest, TheFeedIsForgottenAfterItsTime) {
    auto options = lively();
    options.janitor.keep_feed_for = Micros{1};
    options.janitor.every = std::chrono::milliseconds{20};
    options.janitor.between = std::chrono::milliseconds{1};
    ASSERT_TRUE(store->registry().follow("default", *store->now() + std::chrono::hours{1}));
    Engine never_started(*store, zones(), quiet, options);
    ASSERT_TRUE(never_started.schedules().create(definition(), {}));
    const auto items = [&] { return store->registry().feed("default", 0, 10).value().size(); };
    ASSERT_TRUE(within_a_minute([&] { return items() == 1; }));
    const auto server = engine(store, options);
    EXPECT_TRUE(within_a_minute([&] { return items() == 0; }));
}

TEST_P(EngineTest, StoppingTwiceAndStoppingWhatNeverStartedIsFine) {
    const auto server = engine(store);
    server->stop();
    server->stop();
    Engine never(*store, zones(), quiet, lively());
    never.stop();
    // What can be asked still works.
    EXPECT_TRUE(server->schedules().create(definition(), {}));
}

INSTANTIATE_TEST_SUITE_P(Stores, EngineTest, testing::ValuesIn(stores_under_test()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace belfry::test
