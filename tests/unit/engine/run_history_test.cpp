#include "engine/explain/run_history.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using test::instant;

class RunHistory : public testing::Test {
protected:
    std::string trigger() {
        world.create([](model::Schedule& schedule) {
            schedule.spec.cron = {"0 9 * * *"};
            schedule.spec.timezone = "Europe/Berlin";
            schedule.target = {.type = model::TargetType::task, .kind = "mail"};
            schedule.retry.max_retries = 1;
        });
        return world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {})->id;
    }
    void attempt(const decide::AttemptEnd& end) {
        const auto tasks = world.runs.claim({.tenant = "default", .worker = "w"});
        ASSERT_TRUE(tasks);
        ASSERT_EQ(tasks->size(), 1U);
        world.clock.pass(Seconds{1});
        const auto ended = world.runs.complete("default", {{{tasks->front().run_id, tasks->front().attempt}, end}});
        ASSERT_TRUE(ended && ended->front());
    }
    std::vector<model::RunEvent> history(const std::string& run, std::int64_t after = 0, std::size_t limit = 100) {
        return run_history(*world.store, "default", run, after, limit).value();
    }

    test::EngineWorld world{"2026-06-01T10:00:00Z"};
};

TEST_F(RunHistory, BeginsWithWhyTheRunWasStarted) {
    const auto run = trigger();
    const auto events = history(run);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].sequence, 1);
    EXPECT_EQ(events[0].type, "ScheduleTriggered");
    const auto& payload = events[0].payload.as_object();
    EXPECT_EQ(payload.at("schedule_id"), "report");
    EXPECT_EQ(payload.at("schedule_ulid"), world.store->run("default", run)->schedule_id.c_str());
    EXPECT_EQ(payload.at("cron_expression"), "0 9 * * *");
    EXPECT_EQ(payload.at("timezone"), "Europe/Berlin");
    EXPECT_EQ(payload.at("overlap_policy"), "skip");
    EXPECT_EQ(payload.at("trigger_number"), 1);
    EXPECT_EQ(payload.at("occurrence_time"), "2026-06-01T10:00:00Z");
}

TEST_F(RunHistory, TellsWhyByTheDefinitionThatDecidedTheRun) {
    const auto run = trigger();
    const auto edit = [](const model::Schedule& stored) -> Result<model::Schedule> {
        auto changed = stored;
        changed.name = "renamed";
        changed.spec.cron = {"0 11 * * *"};
        changed.spec.timezone = "Asia/Tokyo";
        return changed;
    };
    ASSERT_TRUE(world.schedules.update({.tenant = "default", .name = "report"}, std::nullopt, edit, {}));
    const auto payload = history(run).at(0).payload.as_object();
    EXPECT_EQ(payload.at("schedule_id"), "report");
    EXPECT_EQ(payload.at("cron_expression"), "0 9 * * *");
    EXPECT_EQ(payload.at("timezone"), "Europe/Berlin");
}

TEST_F(RunHistory, ASingleTaskTellsOfEveryAttempt) {
    const auto run = trigger();
    attempt({.status = model::ExecutionStatus::failed, .error = "no"});
    world.clock.pass(std::chrono::minutes{1});
    attempt({.result = "yes"});
    const auto events = history(run);
    std::vector<std::string> types;
    for (const auto& event : events) types.push_back(std::to_string(event.sequence) + " " + event.type);
    EXPECT_EQ(types,
              (std::vector<std::string>{"1 ScheduleTriggered", "2 run.started", "3 node.failed", "4 run.succeeded"}));
    EXPECT_EQ(events[1].at, instant("2026-06-01T10:00:00Z")) << "the first attempt";
    EXPECT_EQ(events[2].payload.as_object().at("attempt"), 1);
    EXPECT_EQ(history(run, 2).size(), 2U);
    EXPECT_EQ(history(run, 0, 2).size(), 2U);
}

TEST_F(RunHistory, ARunThatWaitedTellsWhoWasAskedFirst) {
    world.create([](model::Schedule& schedule) {
        schedule.spec.cron = {"0 9 * * *"};
        schedule.target = {.type = model::TargetType::task, .kind = "mail"};
        schedule.retry.max_retries = 1;
        schedule.approval.requires_approval = true;
    });
    const auto run = world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {})->id;
    const auto types = [&] {
        std::vector<std::string> all;
        for (const auto& event : history(run)) all.push_back(std::to_string(event.sequence) + " " + event.type);
        return all;
    };
    EXPECT_EQ(types(), (std::vector<std::string>{"1 ScheduleTriggered", "2 approval.requested"}));
    world.clock.pass(Seconds{5});
    ASSERT_TRUE(world.runs.approve("default", run, {.approved = true, .comment = "fine"}, {.principal = "ada"}));
    EXPECT_EQ(to_text(history(run).back().payload), R"({"outcome":"approved","by":"ada","comment":"fine"})");
    attempt({.status = model::ExecutionStatus::failed, .error = "no"});
    world.clock.pass(std::chrono::minutes{1});
    attempt({.result = "yes"});
    EXPECT_EQ(types(), (std::vector<std::string>{"1 ScheduleTriggered", "2 approval.requested", "3 approval.decided",
                                                 "4 run.started", "5 node.failed", "6 run.succeeded"}));
    EXPECT_EQ(history(run, 3).size(), 3U);
}

TEST_F(RunHistory, WhatWasSkippedNeverBegan) {
    trigger();
    const auto skipped = world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {})->id;
    EXPECT_TRUE(history(skipped).empty());
    EXPECT_EQ(run_history(*world.store, "other", skipped, 0, 10).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace belfry::engine
