// Backfills that run one occurrence after the other, worked off step by step.
#include <gtest/gtest.h>

#include "engine/jobs/housekeeping.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using namespace std::chrono_literals;
using model::BackfillStatus;

class BackfillerInTurn : public testing::Test {
protected:
    // Hourly, with the backfill of the three hours before 10:00.
    model::Backfill ask(const std::string& name = "report", const decide::BackfillRequest& like = {.concurrency = 1}) {
        world.create([&](model::Schedule& schedule) { schedule.name = name; });
        return ask_again(name, like);
    }
    model::Backfill ask_again(const std::string& name, decide::BackfillRequest request) {
        request.from = test::instant("2026-06-01T07:00:00Z");
        request.to = test::instant("2026-06-01T09:00:00Z");
        return world.backfills.start({.tenant = "default", .name = name}, request, {}).value();
    }
    // As often as it has something to do.
    void work(Backfiller& backfiller) {
        for (int steps = 0; steps < 100; ++steps) {
            if (backfiller.step() > Micros{0}) return;
        }
        ADD_FAILURE() << "it never rests";
    }
    void finish_one(const model::ExecutionStatus status = model::ExecutionStatus::succeeded) {
        const auto tasks = world.runs.claim({.tenant = "default", .worker = "w", .limit = 10}).value();
        ASSERT_EQ(tasks.size(), 1U) << "one at a time";
        const auto done =
            world.runs.complete("default", {{{tasks[0].run_id, tasks[0].attempt, tasks[0].node}, {.status = status}}})
                .value();
        ASSERT_TRUE(done.front()) << done.front().error().message;
    }
    model::Backfill now(const model::Backfill& backfill) {
        return world.store->backfill("default", backfill.id).value();
    }
    std::unique_ptr<Backfiller> backfiller(Backfiller::Options options = {}) {
        return std::make_unique<Backfiller>(
            *world.store, world.journal, [] { return true; }, options, [] { return std::uint64_t{0}; });
    }

    test::EngineWorld world{"2026-06-01T09:30:00Z"};
};

TEST_F(BackfillerInTurn, OneOccurrenceRunsAfterTheOtherAlsoAfterARestart) {
    const auto backfill = ask();
    auto works = backfiller();
    work(*works);
    EXPECT_EQ(world.runs_of(), (test::Lines{"backfill 2026-06-01T07:00:00Z dispatched"}));
    EXPECT_EQ(now(backfill).next_from, test::instant("2026-06-01T08:00:00Z"));
    const auto waiting = now(backfill);
    work(*works);
    EXPECT_EQ(now(backfill), waiting) << "waiting writes nothing";
    works = backfiller();
    finish_one();
    work(*works);
    EXPECT_EQ(world.runs_of().size(), 2U);
    finish_one(model::ExecutionStatus::failed);
    works = backfiller();
    work(*works);
    EXPECT_EQ(world.runs_of(),
              (test::Lines{"backfill 2026-06-01T07:00:00Z dispatched", "backfill 2026-06-01T08:00:00Z dispatched",
                           "backfill 2026-06-01T09:00:00Z dispatched"}));
    EXPECT_EQ(now(backfill).status, BackfillStatus::completed);
    EXPECT_EQ(now(backfill).dispatched, 3);
}

TEST_F(BackfillerInTurn, ThoseThatWaitDoNotHoldUpTheOthers) {
    std::vector<model::Backfill> all;
    for (const auto* const name : {"a", "b", "c", "d", "e"}) all.push_back(ask(name));
    auto works = backfiller({.at_once = 2});
    for (int looks = 0; looks < 5; ++looks) work(*works);
    for (const auto& backfill : all) EXPECT_EQ(now(backfill).dispatched, 1);
}

TEST_F(BackfillerInTurn, APausedScheduleGoesOnBeingBackfilled) {
    const auto backfill = ask();
    ASSERT_TRUE(world.schedules.pause({.tenant = "default", .name = "report"}, {}, {}));
    auto works = backfiller();
    for (int i = 0; i < 2; ++i) {
        work(*works);
        finish_one();
    }
    work(*works);
    EXPECT_EQ(now(backfill).status, BackfillStatus::completed);
    EXPECT_EQ(now(backfill).dispatched, 3);
}

TEST_F(BackfillerInTurn, RunsAgainWhatHasFailed) {
    ask();
    auto works = backfiller();
    for (const auto status :
         {model::ExecutionStatus::succeeded, model::ExecutionStatus::failed, model::ExecutionStatus::succeeded}) {
        work(*works);
        finish_one(status);
    }
    const auto again = ask_again("report", {.concurrency = 1, .rerun = model::BackfillRerun::failed});
    work(*works);
    EXPECT_EQ(now(again).status, BackfillStatus::completed);
    EXPECT_EQ(now(again).dispatched, 1);
    ASSERT_EQ(world.runs_of().size(), 4U);
    EXPECT_EQ(world.runs_of()[2], "backfill 2026-06-01T08:00:00Z dispatched");
}

TEST_F(BackfillerInTurn, ADryRunHasNoEffectAndSaysWhatIsLeftAlone) {
    ask();
    auto works = backfiller();
    work(*works);
    finish_one();
    const auto before = world.store->backfills({.tenant = "default", .name = "report"}).value();
    const decide::BackfillRequest request{
        .from = test::instant("2026-06-01T06:00:00Z"), .to = test::instant("2026-06-01T09:00:00Z"), .concurrency = 1};
    const auto dry = world.backfills.dry_run({.tenant = "default", .name = "report"}, request).value();
    ASSERT_EQ(dry.runs.size(), 3U);
    ASSERT_EQ(dry.passed_over.size(), 1U);
    EXPECT_EQ(dry.passed_over[0].occurrence, test::instant("2026-06-01T07:00:00Z"));
    EXPECT_EQ(dry.passed_over[0].why, decide::LeftAlone::has_run);
    EXPECT_FALSE(dry.more);
    EXPECT_EQ(world.runs_of().size(), 1U);
    EXPECT_EQ(world.store->backfills({.tenant = "default", .name = "report"}).value(), before);
}

}  // namespace
}  // namespace belfry::engine
