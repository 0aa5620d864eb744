// Calls that share a transaction: each has its own result, as if it had come alone.
#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "contract/store_contract.hpp"
#include "decide/schedule/tick.hpp"

namespace belfry::store::store_shared_calls_test {
namespace {

class SharedCallContract : public StoreContract {
protected:
    static std::vector<NewSchedule> each_of(const std::vector<Plan>& plans) {
        std::vector<NewSchedule> all;
        for (const auto& plan : plans) all.push_back({plan});
        return all;
    }
    static Plan plan_of(const model::Schedule& schedule, const std::string& key = {}) {
        auto plan = decide::plan_create(test::compiled(schedule), kNine).value();
        if (!key.empty()) plan.request = model::RequestKey{key, "print of " + key};
        return plan;
    }
    static model::Schedule named(const std::string& name, const std::string& tenant = "default") {
        return task_schedule([&](model::Schedule& schedule) {
            schedule.name = name;
            schedule.tenant = tenant;
        });
    }
    static ChangeRequest trigger_of(const ScheduleRef& ref, Instant now = kNine + 1min) {
        const auto slot = std::chrono::floor<std::chrono::milliseconds>(now);
        return {ref, {.now = now, .slots = std::pair<Instant, Instant>{slot, slot}}, [now](const Facts& facts) {
                    return decide::plan_trigger(facts, {}, now);
                }};
    }
    static ChangeRequest pause_of(const ScheduleRef& ref) {
        return {ref, {.now = kNine}, [](const Facts& facts) { return decide::plan_pause(facts, {}, kNine); }};
    }
    static ChangeRequest resume_of(const ScheduleRef& ref) {
        return {ref, {.now = kNine}, [](const Facts& facts) { return decide::plan_resume(facts, kNine); }};
    }
    std::size_t count_of(const std::string& tenant) {
        return store->schedules({.tenant = tenant}, {.limit = kPageMax}).value().items.size();
    }
};
INSTANTIATE_TEST_SUITE_P(Every, SharedCallContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(SharedCallContract, ARejectedScheduleDoesNotAffectTheOthers) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    ASSERT_TRUE(store->create(std::vector{plan_of(named("taken"), "used")}));
    auto broken = plan_of(named("broken"));
    broken.state.events += 1;
    const std::vector plans{plan_of(named("a"), "k1"),
                            plan_of(named("taken")),
                            plan_of(named("b"), "used"),
                            plan_of(named("c"), "k1"),
                            plan_of(named("a")),
                            broken,
                            plan_of(named("d", "nowhere")),
                            plan_of(named("taken", "acme")),
                            plan_of(named("e"), "k2")};
    const auto created = store->create_each(each_of(plans));
    ASSERT_TRUE(created) << created.error().message;
    std::vector<std::optional<ErrorCode>> codes;
    for (const auto& each : *created) codes.push_back(code_of(each));
    const std::optional<ErrorCode> fine;
    EXPECT_EQ(codes, (std::vector<std::optional<ErrorCode>>{fine, ErrorCode::already_exists, ErrorCode::already_exists,
                                                            ErrorCode::already_exists, ErrorCode::already_exists,
                                                            ErrorCode::corrupt, ErrorCode::not_found, fine, fine}));
    EXPECT_EQ(created->at(2).error().field, "Idempotency-Key");
    EXPECT_EQ(created->at(3).error().field, "Idempotency-Key") << "an earlier plan of the same call took the key";
    EXPECT_NE(created->at(4).error().field, "Idempotency-Key");
    for (const auto index : {0U, 8U}) {
        const auto& plan = plans[index];
        EXPECT_EQ(store->request("default", plan.request->key).value().schedule_id, plan.schedule_id);
        EXPECT_EQ(store->schedule({"default", plan.schedule_id}).value().definition.name, plan.definition->name);
    }
    EXPECT_EQ(count_of("default"), 3U);
    EXPECT_EQ(count_of("acme"), 1U);
}

// One transaction: the schedule has fired when it exists.
TEST_P(SharedCallContract, ANewScheduleIsDecidedAtOnce) {
    ASSERT_TRUE(store->put_tenant({.name = "off", .dispatch_enabled = false}));
    const auto once = [](const std::string& name, const std::string& tenant) {
        auto schedule = named(name, tenant);
        schedule.spec = {};
        schedule.spec.at = {format_instant(kNine)};
        schedule.max_runs = 1;
        schedule.missed.policy = model::MissedPolicy::fire_once;
        return schedule;
    };
    const auto planner = [](const Facts& facts) -> Result<Plan> { return decide::plan_tick(facts, kNine, {}); };
    std::vector<NewSchedule> schedules;
    for (const auto& schedule : {once("a", "default"), once("b", "off"), once("c", "default"), once("a", "default")})
        schedules.push_back({plan_of(schedule), planner, test::compiled(schedule)});
    schedules[2].first = [](const Facts&) -> Result<Plan> { return Error{ErrorCode::corrupt, "cannot be decided"}; };
    const auto created = store->create_each(schedules).value();
    ASSERT_TRUE(created[0] && *created[0]);
    const auto& fired = **created[0];
    ASSERT_EQ(fired.runs.size(), 1U);
    EXPECT_EQ(run(fired.runs.front().id).execution, ExecutionStatus::queued);
    std::set<std::string> claimed;
    for (const auto& task : claim(kNine)) claimed.insert(task.run_id);
    ASSERT_TRUE(created[3] && *created[3]) << "the first one gave its name up when it fired";
    EXPECT_EQ(claimed, (std::set<std::string>{fired.runs.front().id, (**created[3]).runs.front().id}));
    test::expect_chain(store->schedule({"default", fired.schedule_id}).value(),
                       test::all_events(*store, {"default", fired.schedule_id}));
    ASSERT_TRUE(created[1] && *created[1]);
    EXPECT_EQ((**created[1]).runs.back().dispatch, DispatchStatus::skipped);
    ASSERT_TRUE(created[2]);
    EXPECT_FALSE(*created[2]) << "created, and still due";
    EXPECT_EQ(tick(kNine).plans.size(), 1U);
    EXPECT_TRUE(tick(kNine).plans.empty()) << "nothing fires twice";
}

TEST_P(SharedCallContract, TheLimitIsReachedInTheMiddleOfTheList) {
    ASSERT_TRUE(store->put_tenant({.name = "small", .schedules_max = 2}));
    const std::vector plans{plan_of(named("a", "small")), plan_of(named("x")), plan_of(named("b", "small")),
                            plan_of(named("c", "small")), plan_of(named("y")), plan_of(named("d", "small"))};
    const auto created = store->create_each(each_of(plans)).value();
    const std::optional<ErrorCode> fine;
    std::vector<std::optional<ErrorCode>> codes;
    for (const auto& each : created) codes.push_back(code_of(each));
    EXPECT_EQ(codes, (std::vector<std::optional<ErrorCode>>{fine, fine, fine, ErrorCode::exhausted, fine,
                                                            ErrorCode::exhausted}));
    EXPECT_EQ(count_of("small"), 2U);
    EXPECT_EQ(count_of("default"), 2U);
}

TEST_P(SharedCallContract, ManyClientsReachTheLimitExactly) {
    constexpr int kMost = 10;
    constexpr int kClients = 8;
    constexpr int kEach = 4;
    ASSERT_TRUE(store->put_tenant({.name = "small", .schedules_max = kMost}));
    std::atomic<int> created = 0;
    std::atomic<int> full = 0;
    {
        std::latch start(kClients);
        std::vector<std::jthread> threads;
        for (int client = 0; client < kClients; ++client) {
            std::vector<Plan> plans;
            for (int i = 0; i < kEach; ++i)
                plans.push_back(plan_of(named("s" + std::to_string(client) + "-" + std::to_string(i), "small")));
            threads.emplace_back([&, plans = std::move(plans)] {
                start.arrive_and_wait();
                for (const auto& plan : plans) {
                    const auto done = store->create(std::span(&plan, 1));
                    (done ? created : full) += 1;
                    if (done) continue;
                    EXPECT_EQ(code_of(done), ErrorCode::exhausted) << done.error().message;
                }
            });
        }
    }
    EXPECT_EQ(created, kMost);
    EXPECT_EQ(full, kClients * kEach - kMost);
    EXPECT_EQ(count_of("small"), std::size_t{kMost});
}

TEST_P(SharedCallContract, OneNameIsTakenOnce) {
    constexpr int kClients = 8;
    std::atomic<int> created = 0;
    {
        std::latch start(kClients);
        std::vector<std::jthread> threads;
        for (int client = 0; client < kClients; ++client) {
            threads.emplace_back([&, plan = plan_of(named("wanted"))] {
                start.arrive_and_wait();
                const auto done = store->create(std::span(&plan, 1));
                if (done) {
                    created += 1;
                } else {
                    EXPECT_EQ(code_of(done), ErrorCode::already_exists) << done.error().message;
                }
            });
        }
    }
    EXPECT_EQ(created, 1);
}

TEST_P(SharedCallContract, ChangesHaveTheirOwnResultsInOrder) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto a = create_named("a");
    const auto b = create_named("b");
    const auto theirs = named("a", "acme");
    ASSERT_TRUE(store->create(std::vector{plan_of(theirs)}));
    const ChangeRequest refused{ref_of(b), {.now = kNine}, [](const Facts&) -> Result<Plan> {
                                    return Error{ErrorCode::invalid_argument, "not this one"};
                                }};
    const std::vector<ChangeRequest> requests{trigger_of(ref_of(a)),
                                              pause_of(ref_of(b)),
                                              refused,
                                              trigger_of({"default", test::new_id()}),
                                              trigger_of({"acme", a.id}),
                                              trigger_of({"acme", {}, "a"}),
                                              resume_of(ref_of(b)),
                                              trigger_of({"default", {}, "nothing"}),
                                              pause_of({"default", {}, "a"})};
    const auto plans = store->change_each(requests);
    ASSERT_TRUE(plans) << plans.error().message;
    ASSERT_EQ(plans->size(), requests.size());
    for (const auto index : {0U, 1U, 5U, 6U, 8U}) EXPECT_TRUE((*plans)[index]) << index;
    EXPECT_EQ(code_of((*plans)[2]), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of((*plans)[3]), ErrorCode::not_found);
    EXPECT_EQ(code_of((*plans)[4]), ErrorCode::not_found) << "the schedule of another tenant";
    EXPECT_EQ(code_of((*plans)[7]), ErrorCode::not_found);
    EXPECT_EQ(runs(a).size(), 1U);
    EXPECT_EQ(state(a).status, ScheduleStatus::paused);
    EXPECT_EQ(state(b).status, ScheduleStatus::active) << "paused, then resumed";
    EXPECT_EQ((*plans)[5]->schedule_id, theirs.id);
    for (const auto& schedule : {a, b}) test::expect_chain(record(schedule), events(schedule));
}

// Both changes cannot be written, and only the database notices the second: then each is tried alone.
TEST_P(SharedCallContract, TwoSchedulesCannotTakeOneName) {
    const auto a = create_named("a");
    const auto b = create_named("b");
    const auto c = create_named("c");
    const auto rename = [](const model::Schedule& schedule, const std::string& name) {
        return ChangeRequest{ref_of(schedule), {.now = kNine}, [name](const Facts& facts) {
                                 auto changed = facts.schedule->definition;
                                 changed.name = name;
                                 return decide::plan_update(facts, test::compiled(changed), kNine);
                             }};
    };
    const auto plans = store->change_each(std::vector{rename(a, "new"), rename(b, "new"), rename(c, "other")}).value();
    EXPECT_TRUE(plans[0]);
    EXPECT_FALSE(plans[1]);
    EXPECT_TRUE(plans[2]);
    EXPECT_EQ(record(a).definition.name, "new");
    EXPECT_EQ(record(b).definition.name, "b");
    EXPECT_EQ(record(c).definition.name, "other");
}

TEST_P(SharedCallContract, ManyClientsTriggerTogether) {
    constexpr int kClients = 8;
    constexpr int kEach = 10;
    std::vector<model::Schedule> schedules;
    for (int i = 0; i < 3; ++i) schedules.push_back(create_named("s" + std::to_string(i)));
    {
        std::latch start(kClients);
        std::vector<std::jthread> threads;
        for (int client = 0; client < kClients; ++client) {
            threads.emplace_back([&, client] {
                start.arrive_and_wait();
                for (int i = 0; i < kEach; ++i) {
                    const auto& schedule = schedules[static_cast<std::size_t>(client + i) % schedules.size()];
                    const auto at = kNine + std::chrono::milliseconds{client * kEach + i};
                    const auto done = test::trigger(*store, ref_of(schedule), at, {});
                    EXPECT_TRUE(done) << done.error().message;
                }
            });
        }
    }
    std::size_t all = 0;
    for (const auto& schedule : schedules) {
        all += runs(schedule).size();
        test::expect_chain(record(schedule), events(schedule));
    }
    EXPECT_EQ(all, std::size_t{kClients * kEach});
}

// A schedule that another server holds makes only its own caller wait.
TEST_P(SharedCallContract, AHeldScheduleDoesNotDelayTheOthers) {
    if (GetParam().name != "postgres") GTEST_SKIP() << "a writer locks everything here";
    const auto held = create_named("held");
    const auto free = create_named("free");
    const auto other = world->open();
    std::promise<void> holds;
    std::promise<void> release;
    const std::jthread holder([&] {
        const auto done = other->change(ref_of(held), {.now = kNine}, [&](const Facts& facts) {
            holds.set_value();
            release.get_future().wait();
            return decide::plan_pause(facts, {}, kNine);
        });
        EXPECT_TRUE(done) << done.error().message;
    });
    holds.get_future().wait();
    std::vector<Result<Plan>> plans;
    std::jthread caller([&] {
        plans =
            store->change_each(std::vector{trigger_of(ref_of(held)), pause_of(ref_of(free)), resume_of(ref_of(held))})
                .value();
    });
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (state(free).status != ScheduleStatus::paused && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(5ms);
    EXPECT_EQ(state(free).status, ScheduleStatus::paused) << "while the other one is still held";
    release.set_value();
    caller.join();
    ASSERT_EQ(plans.size(), 3U);
    for (const auto& plan : plans) EXPECT_TRUE(plan);
    EXPECT_EQ(plans[0]->runs.back().dispatch, DispatchStatus::skipped) << "it was paused when its turn came";
    EXPECT_EQ(state(held).status, ScheduleStatus::active);
}

}  // namespace
}  // namespace belfry::store::store_shared_calls_test
