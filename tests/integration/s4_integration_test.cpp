// The integration tests that S4 asks for by name (S4-113 to S4-128), on a store in memory and on SQLite, with the real
// ticker and use cases and a clock that the test sets. The last one, with servers that really race, is also in
// engine_test.cpp on all stores.
#include <gtest/gtest.h>

#include <utility>

#include "store/memory/memory_store.hpp"
#include "store/sql/sql_store.hpp"
#include "support/worlds/engine_world.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::test::s4_integration_test {
namespace {

using model::MissedPolicy;
using model::OverlapPolicy;
using model::ScheduleStatus;

class S4Integration : public testing::TestWithParam<const char*> {
protected:
    std::shared_ptr<store::Store> open(const Clock& clock) {
        if (std::string_view(GetParam()) == "memory") return std::make_shared<store::MemoryStore>(zones(), &clock);
        auto database = store::sql::open_sqlite(folder.file("belfry.db"));
        if (!database) std::abort();
        auto opened = store::sql::open_store(std::move(*database), zones(), &clock);
        if (!opened) std::abort();
        return std::move(*opened);
    }

    TempFolder folder;
    EngineWorld world{"2026-06-01T09:30:00Z", [this](const Clock& clock) { return open(clock); }};

    store::ScheduleRecord record(const std::string& name = "report") {
        return *world.store->schedule({.tenant = "default", .name = name});
    }
    void finish_first_in_flight() {
        const auto claimed = world.runs.claim({"default", "default", "worker", 1, Seconds{60}});
        ASSERT_TRUE(claimed && claimed->size() == 1);
        ASSERT_TRUE(world.runs.finish("default", claimed->front().run_id, claimed->front().attempt, {}));
    }
};

const Edit kOnce = [](auto& schedule) {
    schedule.spec.cron = {};
    schedule.spec.at = {"2026-06-01T10:00:00Z"};
};
const Edit kParallel = [](auto& schedule) { schedule.overlap.policy = OverlapPolicy::allow_all; };

TEST_P(S4Integration, CreateOneTimeSchedule) {
    const auto created = world.create(kOnce);
    EXPECT_EQ(created.state.status, ScheduleStatus::active);
    EXPECT_EQ(created.state.next_fire, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(record(), created);
}

TEST_P(S4Integration, CreateRecurringSchedule) {
    const auto created = world.create();
    EXPECT_EQ(created.state.next_fire, instant("2026-06-01T10:00:00Z"));
    EXPECT_EQ(record(), created);
}

TEST_P(S4Integration, ScheduleFiresAtCorrectTime) {
    world.create();
    world.play("2026-06-01T09:59:59Z");
    EXPECT_EQ(world.runs_of(), Lines{});
    world.play("2026-06-01T10:00:00Z");
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z dispatched"});
}

TEST_P(S4Integration, ScheduleCreatesWorkflow) {
    world.create([](auto& schedule) { schedule.target = {model::TargetType::workflow, "invoice-sync", 3}; });
    world.play("2026-06-01T10:00:00Z");
    const auto claimed = world.runs.claim({"default", "default", "worker", 1, Seconds{60}});
    ASSERT_TRUE(claimed && claimed->size() == 1);
    EXPECT_EQ(claimed->front().target.kind, "invoice-sync");
    EXPECT_EQ(claimed->front().target.type, model::TargetType::workflow);
    EXPECT_EQ(claimed->front().instance_id, "schedule:report:1780308000");
}

TEST_P(S4Integration, ScheduleCreatesTask) {
    world.create([](auto& schedule) {
        schedule.target = {model::TargetType::task, "send-mail"};
        schedule.target.input = json(R"({"to":"team"})");
        schedule.target.queue = "mail";
    });
    world.play("2026-06-01T10:00:00Z");
    const auto claimed = world.runs.claim({"default", "mail", "worker", 1, Seconds{60}});
    ASSERT_TRUE(claimed && claimed->size() == 1);
    EXPECT_EQ(claimed->front().target.type, model::TargetType::task);
    EXPECT_EQ(to_text(claimed->front().input), R"({"to":"team"})");
}

TEST_P(S4Integration, PauseResumeSchedule) {
    const auto created = world.create(kParallel);
    const store::ScheduleRef ref{"default", created.definition.id};
    ASSERT_TRUE(world.schedules.pause(ref, {"holidays", {}}, {}));
    world.play("2026-06-01T12:30:00Z");
    EXPECT_EQ(world.runs_of(), Lines{});
    ASSERT_TRUE(world.schedules.resume(ref, {}));
    world.play("2026-06-01T13:00:00Z");
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T13:00:00Z dispatched"});
}

TEST_P(S4Integration, TriggerImmediately) {
    const auto created = world.create();
    const auto run = world.schedules.trigger({"default", created.definition.id}, {json(R"({"now":true})")}, {});
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->dispatch, model::DispatchStatus::dispatched);
    EXPECT_EQ(to_text(run->input), R"({"now":true})");
    EXPECT_EQ(record().state.next_fire, instant("2026-06-01T10:00:00Z"));
}

TEST_P(S4Integration, ScheduleRunHistory) {
    world.create();
    world.play("2026-06-01T12:00:00Z");
    EXPECT_EQ(world.runs_of(),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched", "tick 2026-06-01T11:00:00Z skipped overlap_in_flight",
                     "tick 2026-06-01T12:00:00Z skipped overlap_in_flight"}));
}

TEST_P(S4Integration, RecurringScheduleCalculatesNextRun) {
    world.create();
    world.play("2026-06-01T10:00:00Z");
    EXPECT_EQ(record().state.next_fire, instant("2026-06-01T11:00:00Z"));
}

TEST_P(S4Integration, OneTimeScheduleClearsAfterExecution) {
    world.create(kOnce);
    world.play("2026-06-01T10:00:00Z");
    EXPECT_EQ(record().state.status, ScheduleStatus::completed);
    EXPECT_EQ(record().state.next_fire, std::nullopt);
}

TEST_P(S4Integration, OverlapPolicySkip) {
    world.create();
    world.play("2026-06-01T11:00:00Z");
    EXPECT_EQ(world.runs_of().back(), "tick 2026-06-01T11:00:00Z skipped overlap_in_flight");
    finish_first_in_flight();
    world.play("2026-06-01T12:00:00Z");
    EXPECT_EQ(world.runs_of().back(), "tick 2026-06-01T12:00:00Z dispatched");
}

TEST_P(S4Integration, OverlapPolicyAllow) {
    world.create(kParallel);
    world.play("2026-06-01T11:00:00Z");
    EXPECT_EQ(record().state.in_flight, 2);
}

TEST_P(S4Integration, OverlapPolicyCancelPrevious) {
    world.create([](auto& schedule) { schedule.overlap.policy = OverlapPolicy::cancel_other; });
    world.play("2026-06-01T10:00:00Z");
    const auto first = world.runs.claim({"default", "default", "worker", 1, Seconds{7200}});
    ASSERT_TRUE(first && first->size() == 1);
    world.play("2026-06-01T11:00:00Z");
    EXPECT_EQ(world.store->run("default", first->front().run_id)->execution, model::ExecutionStatus::cancelled);
    EXPECT_EQ(record().state.in_flight, 1);
    const auto late = world.runs.finish("default", first->front().run_id, first->front().attempt, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::conflict);
}

TEST_P(S4Integration, MissedRunPolicySkip) {
    world.create(kParallel);
    world.settle();
    world.clock.set(instant("2026-06-01T14:30:00Z"));
    world.settle();
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z skipped missed_run x5"});
    world.play("2026-06-01T15:00:00Z");
    EXPECT_EQ(world.runs_of().back(), "tick 2026-06-01T15:00:00Z dispatched");
}

TEST_P(S4Integration, MissedRunPolicyExecuteOnce) {
    world.create([](auto& schedule) { schedule.missed.policy = MissedPolicy::fire_once; });
    world.settle();
    world.clock.set(instant("2026-06-01T14:30:00Z"));
    world.settle();
    EXPECT_EQ(world.runs_of(),
              (Lines{"tick 2026-06-01T10:00:00Z dispatched", "tick 2026-06-01T11:00:00Z skipped missed_run x4"}));
}

TEST_P(S4Integration, ConcurrentSchedulersNoDuplicateExecution) {
    world.create(kParallel);
    engine::Ticker second(*world.store, world.steady, world.journal, {}, [] { return std::uint64_t{1}; });
    world.settle();
    second.step();
    for (const auto* hour : {"10", "11", "12"}) {
        world.clock.set(instant(std::string("2026-06-01T") + hour + ":00:00Z"));
        second.step();
        world.settle();
        second.step();
    }
    EXPECT_EQ(world.runs_of().size(), 3U);
    EXPECT_EQ(record().state.runs, 3);
}

// What a change would otherwise swallow.
TEST_P(S4Integration, APauseDecidesFirstWhatIsAlreadyDue) {
    const auto created = world.create(kParallel);
    world.clock.set(instant("2026-06-01T10:00:30Z"));
    ASSERT_TRUE(world.schedules.pause({"default", created.definition.id}, {}, {}));
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T10:00:00Z dispatched"});
    EXPECT_EQ(record().state.status, ScheduleStatus::paused);
}

TEST_P(S4Integration, AnUpdateThatSomebodyElseOvertookIsAConflict) {
    const auto created = world.create();
    const store::ScheduleRef ref{"default", created.definition.id};
    const auto describe = [](const std::string& text) {
        return [text](model::Schedule schedule) -> Result<model::Schedule> {
            schedule.description = text;
            return schedule;
        };
    };
    const auto first = world.schedules.update(ref, 1, describe("first"), {});
    ASSERT_TRUE(first) << first.error().message;
    const auto second = world.schedules.update(ref, 1, describe("second"), {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
    EXPECT_EQ(record().definition.description, "first");
}

TEST_P(S4Integration, AnUpdateWithoutAVersionIsMadeAgainFromWhatAnotherCallerWrote) {
    const auto created = world.create();
    const store::ScheduleRef ref{"default", created.definition.id};
    const auto note = [](model::Schedule schedule) -> Result<model::Schedule> {
        schedule.notes = "of another caller";
        return schedule;
    };
    bool overtaken = false;
    const auto describe = [&](model::Schedule schedule) -> Result<model::Schedule> {
        if (!std::exchange(overtaken, true)) {
            EXPECT_TRUE(world.schedules.update(ref, {}, note, {}));
        }
        schedule.description = "new";
        return schedule;
    };
    const auto updated = world.schedules.update(ref, {}, describe, {});
    ASSERT_TRUE(updated) << updated.error().message;
    EXPECT_EQ(record().definition.description, "new");
    EXPECT_EQ(record().definition.notes, "of another caller");
}

INSTANTIATE_TEST_SUITE_P(Stores, S4Integration, testing::Values("memory", "sqlite"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace belfry::test::s4_integration_test
