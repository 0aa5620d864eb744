// What is buffered gets its turn on fresh facts, and nothing of it stays behind: not after a pause, not when dispatch
// is switched on.
#include <atomic>

#include "store_contract.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class ReleaseContract : public StoreContract {
protected:
    // 10:00 runs, 11:00 and 12:00 wait.
    model::Schedule with_two_waiting(const test::Edit& edit = {}) {
        const auto schedule = create([&](auto& s) {
            s.overlap.policy = OverlapPolicy::buffer_all;
            if (edit) edit(s);
        });
        for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);
        EXPECT_EQ(state(schedule).buffered, 2);
        return schedule;
    }

    void switch_dispatch(bool on) {
        auto tenant = store->tenant("default").value();
        tenant.dispatch_enabled = on;
        tenant.version += 1;
        const auto put = store->put_tenant(tenant);
        ASSERT_TRUE(put) << put.error().message;
    }

    [[nodiscard]] std::vector<std::int64_t> waiting() const {
        std::vector<std::int64_t> keys;
        for (const auto& each : test::all_upcoming(*store)) {
            if (each.waits) keys.push_back(each.key);
        }
        return keys;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, ReleaseContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(ReleaseContract, TheConditionKnowsTheResultOfTheRunThatMadeRoom) {
    const auto schedule =
        with_two_waiting([](auto& s) { s.condition = test::json(R"({"/prior_run_result/stop":{"neq":true}})"); });
    finish(kTen + 150min, test::succeeded(test::json(R"({"stop":true})")));
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 succeeded", "11:00 skipped condition_failed", "12:00 skipped condition_failed"}));
    EXPECT_EQ(state(schedule).buffered, 0);
}

TEST_P(ReleaseContract, AFailureCountsBeforeItReleases) {
    const auto schedule =
        with_two_waiting([](auto& s) { s.condition = test::json(R"({"/last_24h_stats/failed":{"lt":1}})"); });
    finish(kTen + 150min, test::failed());
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 failed", "11:00 skipped condition_failed", "12:00 skipped condition_failed"}));
}

TEST_P(ReleaseContract, PausedCompletedAndResumedNothingStaysInTheBuffer) {
    const auto schedule = with_two_waiting();
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen + 140min));
    finish(kTen + 150min);
    EXPECT_EQ(waiting(), (std::vector<std::int64_t>{})) << "a paused schedule releases nothing";
    ASSERT_TRUE(test::resume(*store, ref_of(schedule), kTen + 160min));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 succeeded", "11:00 queued", "12:00 buffered"}));
}

TEST_P(ReleaseContract, ARefusedApprovalReleasesTheNext) {
    const auto schedule = with_two_waiting([](auto& s) { s.approval.requires_approval = true; });
    ASSERT_TRUE(test::judge(*store, ref_of(schedule), runs(schedule).back().id, {.approved = false}, kTen + 150min));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 cancelled", "11:00 awaiting_approval", "12:00 buffered"}));
}

TEST_P(ReleaseContract, WhenDispatchIsSwitchedOnATickReleasesBeforeTheScheduleIsDue) {
    const auto schedule = with_two_waiting();
    EXPECT_EQ(waiting(), (std::vector<std::int64_t>{}));
    switch_dispatch(false);
    finish(kTen + 150min);
    EXPECT_EQ(waiting(), (std::vector{key_of(schedule)}));
    EXPECT_TRUE(tick(kTen + 151min, {key_of(schedule)}).plans.empty());

    std::atomic<int> heard = 0;
    store->listen([&heard](const Notification& news) { heard += std::holds_alternative<Resync>(news) ? 1 : 0; });
    const int before = heard;
    switch_dispatch(true);
    EXPECT_TRUE(test::within_a_minute([&] { return heard > before; })) << "every server looks at all schedules";
    store->listen({});
    reopen();
    EXPECT_EQ(waiting(), (std::vector{key_of(schedule)}));
    const auto released = tick(kTen + 152min, {key_of(schedule)});
    ASSERT_EQ(released.plans.size(), 1U);
    EXPECT_EQ(released.upcoming.front().next_fire, kTen + 3h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 succeeded", "11:00 queued", "12:00 buffered"}));
    EXPECT_EQ(waiting(), (std::vector<std::int64_t>{}));
}

TEST_P(ReleaseContract, ACompletedScheduleIsFoundAsLongAsItsBufferWaits) {
    const auto schedule = create([](auto& s) {
        s.overlap.policy = OverlapPolicy::buffer_all;
        s.spec = {.at = {format_instant(kTen), format_instant(kTen + 1h)}};
    });
    tick(kTen);
    tick(kTen + 1h);
    ASSERT_EQ(state(schedule).status, ScheduleStatus::completed);
    switch_dispatch(false);
    finish(kTen + 70min);
    EXPECT_EQ(waiting(), (std::vector{key_of(schedule)}));
    switch_dispatch(true);
    tick(kTen + 80min, {key_of(schedule)});
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 succeeded", "11:00 queued"}));
    EXPECT_TRUE(test::all_upcoming(*store).empty());
}

TEST_P(ReleaseContract, ASpreadIsDecidedAtItsTimesAlsoAfterACrash) {
    const auto schedule = create([](auto& s) { s.missed.policy = model::MissedPolicy::spread; });
    const auto back = kTen + 3h + 30min;
    tick(back);
    EXPECT_TRUE(runs(schedule).empty()) << "nothing is in flight before its time";
    EXPECT_EQ(state(schedule).next_fire, back + 12s);
    reopen();
    for (int i = 1; i <= 4; ++i) {
        EXPECT_EQ(state(schedule).spread_until, back + 60s);
        tick(back + i * 12s);
        finish(back + i * 12s + 1s);
        reopen();
    }
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 succeeded", "11:00 succeeded", "12:00 succeeded", "13:00 succeeded"}));
    EXPECT_EQ(state(schedule).next_fire, kTen + 4h);
    EXPECT_FALSE(state(schedule).spread_until);
}

TEST_P(ReleaseContract, AMaxRunsThatIsReachedAlreadyDeletesTheScheduleAndFreesItsName) {
    const auto schedule = create();
    tick(kTen);
    finish(kTen + 1min);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen + 2min, [](auto& s) { s.max_runs = 1; }));
    EXPECT_EQ(state(schedule).status, ScheduleStatus::deleted);
    EXPECT_EQ(events(schedule).back().event.payload.at("reason"), "max_runs_exhausted");
    create_named(schedule.name);
}

TEST_P(ReleaseContract, TheBreakerRemembersWhenItOpened) {
    const auto schedule = create([](auto& s) {
        s.breaker_failures = 1;
        s.breaker_retry_after = 90min;
        s.missed.grace.reset();
        s.missed.while_paused = true;
    });
    EXPECT_EQ(record(schedule).definition, schedule);
    tick(kTen);
    finish(kTen + 1min, test::failed());
    reopen();
    EXPECT_EQ(record(schedule).definition, schedule);
    EXPECT_EQ(state(schedule).breaker_opened_at, kTen + 1min);
    tick(kTen + 1h);
    tick(kTen + 2h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 failed", "11:00 skipped breaker_open", "12:00 queued"}));
    finish(kTen + 121min);
    EXPECT_FALSE(state(schedule).breaker_opened_at);
}

}  // namespace
}  // namespace belfry::store
