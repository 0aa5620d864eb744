// Who waits for an event, and which runs are a team's.
#include "store/rules/lease_rules.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

class EventContract : public StoreContract {
protected:
    static test::Edit waiting_for(const std::string& event) {
        return [event](model::Schedule& schedule) { schedule.spec.events = {{event}, {event, test::json("{}")}}; };
    }
    std::vector<std::string> subscribers(const std::string& event, const std::string& tenant = "default") {
        const auto found = store->subscribers(tenant, event, {});
        EXPECT_TRUE(found) << found.error().message;
        return found ? found->items : std::vector<std::string>{};
    }
};
INSTANTIATE_TEST_SUITE_P(Every, EventContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(EventContract, TheSchedulesThatWaitForAnEventAreFoundByItsName) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto a = create_named("a", waiting_for("order.created"));
    const auto b = create_named("b", waiting_for("order.created"));
    const auto c = create_named("c", waiting_for("order.paid"));
    const auto foreign = create_named("foreign", [](auto& s) {
        s.tenant = "acme";
        s.spec.events = {{"order.created"}};
    });
    reopen();
    EXPECT_EQ(subscribers("order.created"), (std::vector{a.id, b.id})) << "each once, by age";
    EXPECT_EQ(subscribers("order.created", "acme"), (std::vector{foreign.id}));
    EXPECT_EQ(subscribers("order"), std::vector<std::string>());
    EXPECT_EQ(code_of(store->subscribers("nobody", "order.created", {})), ErrorCode::not_found);
    ASSERT_TRUE(test::pause(*store, ref_of(a), kTen));
    ASSERT_TRUE(test::remove(*store, ref_of(b), kTen));
    ASSERT_TRUE(test::update(*store, ref_of(c), kTen, waiting_for("order.created")));
    EXPECT_EQ(subscribers("order.created"), (std::vector{a.id, c.id}))
        << "a paused one is asked, too, and says that it is";
    EXPECT_EQ(subscribers("order.paid"), std::vector<std::string>());
}

TEST_P(EventContract, SubscribersAreReadPageByPage) {
    std::vector<std::string> all;
    for (int i = 0; i < 5; ++i) all.push_back(create_named("s" + std::to_string(i), waiting_for("e")).id);
    std::vector<std::string> seen;
    Page page{.limit = 2};
    for (int i = 0; i < 3; ++i) {
        const auto listing = store->subscribers("default", "e", page).value();
        seen.insert(seen.end(), listing.items.begin(), listing.items.end());
        page.after = listing.next;
    }
    EXPECT_EQ(seen, all);
    EXPECT_EQ(page.after, "");
    page.after = store->subscribers("default", "e", {.limit = 1}).value().next;
    EXPECT_EQ(code_of(store->subscribers("default", "another", page)), ErrorCode::invalid_argument)
        << "a cursor belongs to its list";
}

TEST_P(EventContract, TheRunsOfATeamAreThoseThatWereDispatchedToIt) {
    const auto edit = [](const char* type, const char* id) {
        return [type, id](model::Schedule& schedule) {
            schedule.assignee = {type, id};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
        };
    };
    const auto blue = create_named("blue", edit("team", "blue"));
    const auto red = create_named("red", edit("team", "red"));
    const auto agent = create_named("agent", edit("agent", "blue"));
    tick(kTen);
    tick(kTen + 1h);
    ASSERT_TRUE(test::pause(*store, ref_of(blue), kTen + 2h));
    ASSERT_TRUE(test::trigger(*store, ref_of(blue), kTen + 3h));  // skipped: not the team's
    reopen();
    const auto team_runs = [&](const std::string& team) {
        std::vector<std::string> runs;
        RunFilter filter{.tenant = "default"};
        filter.team = team;
        for (const auto& run : test::all_runs(*store, filter, 1))
            runs.push_back(run.schedule_id + format_instant(run.slot.occurrence).substr(11, 5));
        return runs;
    };
    EXPECT_EQ(team_runs("blue"), (std::vector{blue.id + "11:00", blue.id + "10:00"}));
    EXPECT_EQ(team_runs("red").size(), 2U);
    EXPECT_EQ(team_runs("green").size(), 0U);
    ASSERT_TRUE(test::update(*store, ref_of(red), kTen + 4h, edit("team", "green")));
    EXPECT_EQ(team_runs("red").size(), 2U) << "a run stays whose it was";
    ASSERT_TRUE(test::remove(*store, ref_of(blue), kTen + 5h));
    for (const auto& run : runs(blue)) {
        if (!is_in_flight(run.execution)) continue;
        ASSERT_TRUE(test::cancel(*store, ref_of(blue), run.id, kTen + 5h));
    }
    ASSERT_TRUE(store->purge(ref_of(blue), 100));
    EXPECT_EQ(team_runs("blue").size(), 0U);
}

TEST(AttemptTime, IsTheTasksThenTheServersAndOfAnOnlyTaskWhatIsLeftOfTheRun) {
    const auto now = test::instant("2026-06-01T10:00:00Z");
    const decide::RunCaps usual{.timeout = 10h, .task_timeout = 1h};
    const decide::RunCaps none{.timeout = 10h};
    using Time = std::optional<Micros>;
    EXPECT_EQ(attempt_time({.timeout = 2h}, usual, now), Time(2h));
    EXPECT_EQ(attempt_time({}, usual, now), Time(1h));
    EXPECT_EQ(attempt_time({}, none, now), Time());
    EXPECT_EQ(attempt_time({.alone = true, .again = true, .fire_at = now - 4h}, none, now), Time(6h));
    EXPECT_EQ(attempt_time({.alone = true, .again = true, .fire_at = now - 4h}, usual, now), Time(1h));
    EXPECT_EQ(attempt_time({.timeout = 9h, .alone = true, .again = true, .fire_at = now - 4h}, usual, now), Time(6h));
    EXPECT_EQ(attempt_time({.alone = true, .fire_at = now - 4h}, none, now), Time(10h)) << "the first";
    EXPECT_EQ(attempt_time({.alone = true, .again = true, .fire_at = now - 11h}, none, now), Time(10h))
        << "it was handed back, and nobody tried it";
}

}  // namespace
}  // namespace belfry::store
