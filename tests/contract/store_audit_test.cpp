// The audit stream and what outlives a process: gapless, chained, checked at every write, and all there after a
// restart.
#include <condition_variable>
#include <mutex>

#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::EventType;
using model::OverlapPolicy;

class AuditContract : public StoreContract {
protected:
    // A life with an event of every type that a schedule can have.
    model::Schedule live() {
        auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::buffer_one; });
        const auto ref = ref_of(schedule);
        for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);  // dispatched, buffered, skipped
        finish(kTen + 150min);
        EXPECT_TRUE(test::pause(*store, ref, kTen + 151min, {"it's \"enough\" \\ ‰", {}}));
        EXPECT_TRUE(test::resume(*store, ref, kTen + 152min));
        EXPECT_TRUE(test::update(*store, ref, kTen + 153min, [](auto& s) { s.description = "new"; }));
        EXPECT_TRUE(test::remove(*store, ref, kTen + 154min));
        return schedule;
    }

    // A trigger's plan, spoilt.
    void expect_refused(const model::Schedule& schedule, const std::function<void(Plan&)>& spoil) {
        const auto before = everything(schedule);
        const auto changed = store->change(ref_of(schedule), {.now = kTen}, [&](const Facts& facts) {
            auto plan = decide::plan_trigger(facts, {}, kTen);
            spoil(*plan);
            return plan;
        });
        EXPECT_FALSE(changed);
        EXPECT_EQ(everything(schedule), before) << "what failed left nothing";
        EXPECT_TRUE(claim(kTen + 24h).empty()) << "nor a task";

        auto plan =
            decide::plan_trigger(test::facts_at("2026-06-01T09:00:00Z", [&](auto& s) { s = schedule; }), {}, kTen)
                .value();
        spoil(plan);
        const auto applied = store->apply(std::vector{plan});
        EXPECT_TRUE(!applied || applied->at(0)) << "apply must refuse it, too";
        EXPECT_EQ(everything(schedule), before);
    }
};
INSTANTIATE_TEST_SUITE_P(Every, AuditContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(AuditContract, EveryMutationHasItsEventInAChainWithoutGaps) {
    const auto schedule = live();
    const auto all = events(schedule);
    std::vector<EventType> types;
    for (const auto& each : all) types.push_back(each.event.type);
    EXPECT_EQ(
        types,
        (std::vector{EventType::schedule_created, EventType::schedule_triggered, EventType::schedule_trigger_buffered,
                     EventType::schedule_trigger_skipped, EventType::schedule_triggered, EventType::schedule_paused,
                     EventType::schedule_resumed, EventType::schedule_updated, EventType::schedule_deleted}));
    test::expect_chain(record(schedule), all);
    EXPECT_EQ(all.at(5).event.recorded_at, kTen + 151min);
    EXPECT_EQ(all.at(5).event.payload.at("reason"), Json("it's \"enough\" \\ ‰"));
}

TEST_P(AuditContract, TheChainsOfTwoSchedulesDiffer) {
    const auto a = create_named("a");
    const auto b = create_named("b");
    EXPECT_EQ(events(a).at(0).event.payload, events(b).at(0).event.payload);
    EXPECT_NE(events(a).at(0).hash, events(b).at(0).hash);
}

TEST_P(AuditContract, EventsAreReadFromAnySequenceOn) {
    const auto schedule = live();
    const auto all = events(schedule);
    const auto ref = ref_of(schedule);
    EXPECT_EQ(store->events(ref, 3, 2).value(), (std::vector{all[3], all[4]}));
    EXPECT_EQ(store->events(ref, 0, 1).value(), (std::vector{all[0]}));
    EXPECT_TRUE(store->events(ref, static_cast<std::int64_t>(all.size()), 10).value().empty());
    EXPECT_EQ(test::all_events(*store, ref, 2), all);
    EXPECT_EQ(code_of(store->events({.tenant = "default", .id = task_schedule().id}, 0, 10)), ErrorCode::not_found);
}

TEST_P(AuditContract, APlanWhoseEventsAreUnsoundIsRefusedAsAWhole) {
    const auto schedule = create();
    expect_refused(schedule, [](Plan& plan) { plan.events.at(0).payload.as_object()["unheard_of"] = true; });
    expect_refused(schedule, [](Plan& plan) { plan.events.at(0).payload.as_object().erase("trigger_number"); });
    expect_refused(schedule, [](Plan& plan) { plan.events.at(0).payload = nullptr; });
    expect_refused(schedule, [](Plan& plan) { plan.events.at(0).sequence += 1, plan.state.events += 1; });
    expect_refused(schedule, [](Plan& plan) { plan.events.at(0).sequence -= 1, plan.state.events -= 1; });
    expect_refused(schedule, [](Plan& plan) { plan.events.clear(); });
    expect_refused(schedule, [](Plan& plan) { plan.events.push_back(plan.events.at(0)); });
    EXPECT_TRUE(test::trigger(*store, ref_of(schedule), kTen)) << "and the schedule is as good as before";
}

TEST_P(AuditContract, ANewScheduleWhoseEventsAreUnsoundIsRefused) {
    const auto schedule = task_schedule();
    auto plan = decide::plan_create(test::compiled(schedule), kNine).value();
    plan.events.at(0).payload.as_object()["unheard_of"] = true;
    EXPECT_FALSE(store->create(std::vector{plan}));
    EXPECT_EQ(code_of(store->schedule(ref_of(schedule))), ErrorCode::not_found);
    EXPECT_TRUE(test::create(*store, {schedule}, kNine));
}

TEST_P(AuditContract, ASlotHasOneRowWhateverAPlanSays) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen));
    const auto before = everything(schedule);
    const auto twice = store->change(ref_of(schedule), {.now = kTen}, [](const Facts& facts) {
        auto forgetful = facts;
        forgetful.taken.clear();
        return decide::plan_trigger(forgetful, {}, kTen);
    });
    EXPECT_FALSE(twice) << "1: at most one run per schedule and occurrence";
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(AuditContract, ARunEndsOnceWhateverAPlanSays) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    const auto ended = runs(schedule).at(0).id;
    finish(kTen);
    tick(kTen + 1h);  // another is in flight
    const auto before = everything(schedule);
    const auto again = store->change(ref_of(schedule), {.now = kTen + 1h}, [&](const Facts& facts) {
        return decide::plan_completion(facts, {ended, ExecutionStatus::running, ExecutionStatus::failed}, kTen + 1h);
    });
    EXPECT_FALSE(again) << "10: a run has one terminal state and never leaves it";
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(AuditContract, APlanForAnotherRevisionIsRefusedEvenFromThePlanner) {
    const auto schedule = create();
    const auto before = everything(schedule);
    const auto changed = store->change(ref_of(schedule), {.now = kTen}, [](const Facts& facts) {
        auto stale = facts;
        stale.state.revision -= 1;
        return decide::plan_trigger(stale, {}, kTen);
    });
    EXPECT_FALSE(changed);
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(AuditContract, EverythingIsStillThereAfterARestart) {
    const auto deleted = live();
    const auto active = create_named("active", [](auto& s) {
        s.overlap.policy = OverlapPolicy::buffer_all;
        s.inputs_rotation = {test::json("1"), test::json("2")};
        s.retry.max_retries = 3;
    });
    for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h, {key_of(active)});
    const auto task = claim(kTen + 3h).back();
    const auto backfill = test::new_backfill(active, kNine - 5h, kNine, kTen);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    ASSERT_TRUE(test::step(*store, "default", backfill, kTen + 3h, 2));
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    ASSERT_TRUE(store->put_calendar("default", {{.name = "c", .dates = {"2026-06-02"}}, 1}));
    const auto look = [&] {
        return std::tuple{everything(deleted),
                          everything(active),
                          test::all_upcoming(*store),
                          store->expired(kTen + 24h, 10).value(),
                          store->backfill("default", backfill.id).value(),
                          store->tenants().value(),
                          store->calendars("default", {}).value().items};
    };
    const auto before = look();
    reopen();
    EXPECT_EQ(look(), before);
    EXPECT_EQ(store->heartbeat(std::vector{lease_of(task)}, kTen, kTen + 4h).value().size(), 1U)
        << "a worker does not notice";
    EXPECT_TRUE(test::step(*store, "default", backfill, kTen + 3h, 2));
    test::expect_chain(record(active), events(active));
}

// Collects what was notified.
class Ear {
public:
    Listener listener() {
        return [this](const Notification& heard) {
            const std::lock_guard lock(mutex_);
            heard_.push_back(heard);
            news_.notify_all();
        };
    }
    bool has(const Notification& wanted) {
        const std::lock_guard lock(mutex_);
        return contains(wanted);
    }
    bool hears(const Notification& wanted, std::chrono::milliseconds within) {
        std::unique_lock lock(mutex_);
        return news_.wait_for(lock, within, [&] { return contains(wanted); });
    }
    void forget() {
        const std::lock_guard lock(mutex_);
        heard_.clear();
    }

private:
    bool contains(const Notification& wanted) const { return std::ranges::find(heard_, wanted) != heard_.end(); }

    std::mutex mutex_;
    std::condition_variable news_;
    std::vector<Notification> heard_;
};

class NotificationContract : public StoreContract {
protected:
    void expect_heard(Store& where, Ear& ear) {
        const auto schedule =
            create([](auto& s) { s.target.queue = "q", s.overlap.policy = OverlapPolicy::allow_all; });
        ASSERT_TRUE(test::trigger(where, ref_of(schedule), kNine));
        ASSERT_TRUE(test::pause(where, ref_of(schedule), kNine, {"", kTen + 7min}));
        EXPECT_TRUE(ear.hears(ScheduleMoved{key_of(schedule), kTen + 7min, tenant_key_of(schedule)}, kPatience))
            << "no one said when it fires now";
        EXPECT_TRUE(ear.hears(TasksReady{"default", "q"}, kPatience)) << "no one said that there is work";
    }

    static constexpr std::chrono::milliseconds kPatience = 1min;
};
INSTANTIATE_TEST_SUITE_P(Every, NotificationContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(NotificationContract, AMoveAndReadyTasksAreHeard) {
    Ear ear;
    store->listen(ear.listener());
    expect_heard(*store, ear);
    store->listen({});
}

TEST_P(NotificationContract, WhatAnotherServerDoesIsHeard) {
    if (!world->announces_across_handles()) GTEST_SKIP() << "one process, one handle";
    Ear ear;
    const auto other = world->open();
    store->listen(ear.listener());
    expect_heard(*other, ear);
    store->listen({});
}

TEST_P(NotificationContract, WhatIsCommittedAfterListenReturnedIsHeard) {
    constexpr int kRounds = 10;  // a listener that is not ready yet misses about every one of them
    for (int i = 0; i < kRounds; ++i) {
        Ear ear;
        store->listen(ear.listener());
        const auto schedule = create_named("s" + std::to_string(i));
        ASSERT_TRUE(ear.hears(ScheduleMoved{key_of(schedule), kTen, tenant_key_of(schedule)}, kPatience))
            << "round " << i;
        store->listen({});
    }
}

TEST_P(NotificationContract, NobodyIsCalledOnceListeningEnded) {
    Ear ear;
    store->listen(ear.listener());
    expect_heard(*store, ear);
    store->listen({});
    ear.forget();
    const auto schedule = create_named("late");
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen));
    EXPECT_FALSE(ear.has(ScheduleMoved{key_of(schedule), kTen, tenant_key_of(schedule)}));
    store.reset();
    EXPECT_FALSE(ear.has(ScheduleMoved{key_of(schedule), kTen, tenant_key_of(schedule)}));
}

}  // namespace
}  // namespace belfry::store
