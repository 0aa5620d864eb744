// On SQLite a tick decides on a snapshot and writes afterwards. Whatever changes in between must be heeded all the
// same: here another server changes it while the planner is deciding, which is the worst moment.
#include "decide/schedule/tick.hpp"
#include "store/registry.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

class TickAhead : public StoreContract {
protected:
    // Ticks while `change` happens in the middle of the first decision. Returns what was decided in the end.
    TickOutcome tick_while(const model::Schedule& schedule, const std::function<void(Store&)>& change) {
        const auto other = world->open();
        int asked = 0;
        const auto planner = [&](const Facts& facts) -> Result<Plan> {
            auto plan = decide::plan_tick(facts, kTen);
            if (++asked == 1) change(*other);
            return plan;
        };
        auto outcome = store->tick({.now = kTen, .keys = {key_of(schedule)}}, planner);
        EXPECT_TRUE(outcome) << outcome.error().message;
        decisions = asked;
        return outcome ? *outcome : TickOutcome{};
    }
    int decisions = 0;
};

std::vector<test::StoreUnderTest> sqlite_only() {
    auto all = test::stores_under_test();
    std::erase_if(all, [](const auto& each) { return each.name != "sqlite"; });
    return all;
}
INSTANTIATE_TEST_SUITE_P(Every, TickAhead, ::testing::ValuesIn(sqlite_only()), store_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TickAhead);

TEST_P(TickAhead, WithoutAnyChangeIsAskedOnce) {
    const auto schedule = create();
    const auto outcome = tick_while(schedule, [](Store&) {});
    EXPECT_EQ(decisions, 1);
    EXPECT_EQ(outcome.plans.size(), 1U);
    EXPECT_EQ(runs(schedule).size(), 1U);
}

TEST_P(TickAhead, HeedsAPauseThatCameMeanwhile) {
    const auto schedule = create();
    const auto outcome =
        tick_while(schedule, [&](Store& other) { ASSERT_TRUE(test::pause(other, ref_of(schedule), kTen)); });
    EXPECT_TRUE(outcome.plans.empty());
    EXPECT_TRUE(runs(schedule).empty());
    EXPECT_EQ(state(schedule).status, ScheduleStatus::paused);
}

TEST_P(TickAhead, HeedsARunThatBeganMeanwhile) {
    const auto schedule = create();
    tick_while(schedule, [&](Store& other) { ASSERT_TRUE(test::trigger(other, ref_of(schedule), kTen)); });
    EXPECT_EQ(decisions, 2);
    EXPECT_EQ(state(schedule).runs, 1);
    EXPECT_EQ(state(schedule).last_skip_reason, "overlap_in_flight");
}

TEST_P(TickAhead, HeedsACalendarThatChangedMeanwhile) {
    ASSERT_TRUE(store->put_calendar("default", {{.name = "c", .dates = {"2026-12-24"}}, 1}));
    const auto schedule = create([](auto& s) { s.calendars = {"c"}; });
    tick_while(schedule, [](Store& other) {
        ASSERT_TRUE(other.put_calendar("default", {{.name = "c", .dates = {"2026-06-01"}}, 2}));
    });
    EXPECT_EQ(decisions, 2);
    EXPECT_EQ(state(schedule).last_skip_reason, "calendar");
}

TEST_P(TickAhead, HeedsATenantThatWasSwitchedOffMeanwhile) {
    const auto schedule = create();
    tick_while(schedule, [](Store& other) {
        auto tenant = *other.tenant("default");
        tenant.dispatch_enabled = false;
        tenant.version += 1;
        ASSERT_TRUE(other.put_tenant(tenant));
    });
    EXPECT_EQ(decisions, 2);
    EXPECT_EQ(state(schedule).last_skip_reason, "dispatch_disabled");
}

TEST_P(TickAhead, HeedsSomebodyWhoBeganToFollowMeanwhile) {
    const auto schedule = create();
    tick_while(schedule, [](Store& other) { ASSERT_TRUE(other.registry().follow("default", kTen + 1h)); });
    EXPECT_EQ(decisions, 2);
    EXPECT_EQ(store->registry().feed("default", 0, 10).value().size(), 1U);
    EXPECT_EQ(runs(schedule).size(), 1U);
}

TEST_P(TickAhead, IsNotAskedAgainBecauseAFollowerStaysLonger) {
    ASSERT_TRUE(store->registry().follow("default", kTen + 1h));
    const auto schedule = create();
    tick_while(schedule, [](Store& other) { ASSERT_TRUE(other.registry().follow("default", kTen + 2h)); });
    EXPECT_EQ(decisions, 1);
    EXPECT_EQ(store->registry().feed("default", 0, 10).value().size(), 2U);
}

TEST_P(TickAhead, DecidesNothingThatAnotherServerHasDecidedMeanwhile) {
    const auto schedule = create();
    const auto outcome =
        tick_while(schedule, [&](Store& other) { ASSERT_TRUE(test::tick(other, kTen, {key_of(schedule)})); });
    EXPECT_TRUE(outcome.plans.empty());
    EXPECT_EQ(runs(schedule).size(), 1U);
    ASSERT_EQ(outcome.upcoming.size(), 1U);
    EXPECT_EQ(outcome.upcoming[0].next_fire, kTen + 1h);
}

}  // namespace
}  // namespace belfry::store
