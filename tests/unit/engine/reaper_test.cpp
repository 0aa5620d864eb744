// What the reaper does about people who do not come.
#include <gtest/gtest.h>

#include "engine/jobs/housekeeping.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using namespace std::chrono_literals;
using model::ExecutionStatus;

class ReaperOfApprovals : public testing::Test {
protected:
    std::string trigger(const std::string& name, const test::Edit& edit) {
        world.create([&](model::Schedule& schedule) {
            schedule.name = name;
            schedule.spec.cron = {"0 0 1 1 *"};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            edit(schedule);
        });
        return world.schedules.trigger({.tenant = "default", .name = name}, {}, {})->id;
    }
    model::Run run(const std::string& id) { return world.store->run("default", id).value(); }

    test::EngineWorld world{"2026-06-01T10:00:00Z"};
    bool leading = true;
    Reaper reaper{
        *world.store, world.journal, [this] { return leading; }, {.batch = 2}, [] { return std::uint64_t{0}; }};
};

TEST_F(ReaperOfApprovals, CancelsARunThatNobodyApprovedInTime) {
    const auto id = trigger("a", [](auto& s) { s.approval.requires_approval = true; });
    world.clock.pass(24h - 1us);
    reaper.step();
    EXPECT_EQ(run(id).execution, ExecutionStatus::awaiting_approval);
    world.clock.pass(1us);
    leading = false;
    reaper.step();
    EXPECT_EQ(run(id).execution, ExecutionStatus::awaiting_approval) << "only the leader does it";
    leading = true;
    reaper.step();
    EXPECT_EQ(run(id).execution, ExecutionStatus::cancelled);
    EXPECT_EQ(run(id).error, "not approved within 24 h");
    EXPECT_EQ(world.store->approvals_of("default", {&id, 1}).value().front().status, model::ApprovalStatus::expired);
    EXPECT_EQ(world.runs.approve("default", id, {.approved = true}, {}).error().code, ErrorCode::conflict);
    EXPECT_TRUE(world.runs.claim({.tenant = "default", .worker = "w"}).value().empty());
}

TEST_F(ReaperOfApprovals, FailsANodeThatNobodyApprovedInTime) {
    model::Workflow workflow{
        .tenant = "default", .name = "steps", .version = 0, .nodes = {{.id = "a", .action = "spend"}, {.id = "b"}}};
    ASSERT_TRUE(world.store->put_workflow(workflow));
    const auto id = trigger("a", [](auto& s) {
        s.target = {.type = model::TargetType::workflow, .kind = "steps"};
        s.approval = {.gates = {"spend"}, .expires_after = 600'000ms};
        s.retry.max_retries = 3;
    });
    world.clock.pass(10min);
    reaper.step();
    const auto walk = world.store->workflow_run("default", id).value();
    EXPECT_EQ(walk.find("a")->status, model::NodeStatus::failed);
    EXPECT_EQ(walk.find("a")->error, "not approved within 10 min");
    EXPECT_EQ(walk.find("b")->status, model::NodeStatus::queued);
    EXPECT_EQ(world.runs.claim({.tenant = "default", .worker = "w", .limit = 10}).value().size(), 1U);
}

TEST_F(ReaperOfApprovals, GoesOnUntilNoneIsLeft) {
    for (const auto* const name : {"a", "b", "c"}) trigger(name, [](auto& s) { s.approval.requires_approval = true; });
    world.clock.pass(25h);
    EXPECT_EQ(reaper.step(), Micros{0}) << "more may be left than go at once";
    EXPECT_GT(reaper.step(), Micros{0});
    EXPECT_TRUE(world.store->approvals({"default"}, {}).value().items.empty());
}

}  // namespace
}  // namespace belfry::engine
