// Request keys: written with what was asked for, or not at all, and never twice.
#include <latch>
#include <thread>

#include "store_contract.hpp"

namespace belfry::store {
namespace {

class RequestContract : public StoreContract {
protected:
    static Plan plan_of(const model::Schedule& schedule, const std::string& key, Instant now = kNine) {
        auto plan = decide::plan_create(test::compiled(schedule), now).value();
        plan.request = model::RequestKey{key, "print of " + key};
        return plan;
    }
    static Result<Plan> trigger(Store& handle, const model::Schedule& schedule, const std::string& key,
                                Instant now = kTen) {
        return handle.change(ref_of(schedule), {.now = now, .in_flight = true}, [&](const Facts& facts) {
            auto plan = decide::plan_trigger(facts, {}, now);
            if (plan) plan->request = model::RequestKey{key, "print of " + key};
            return plan;
        });
    }
    static void expect_taken(const Error& error) {
        EXPECT_EQ(error.code, ErrorCode::already_exists) << error.message;
        EXPECT_EQ(error.field, "Idempotency-Key");
    }
};
INSTANTIATE_TEST_SUITE_P(Every, RequestContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(RequestContract, AKeySaysWhatWasMadeUnderIt) {
    EXPECT_EQ(code_of(store->request("default", "a")), ErrorCode::not_found);
    const auto schedule = task_schedule();
    ASSERT_TRUE(store->create(std::vector{plan_of(schedule, "a")}));
    EXPECT_EQ(store->request("default", "a").value(), (RequestRecord{"print of a", schedule.id, "", "", kNine}));

    const auto plan = trigger(*store, schedule, "b");
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(store->request("default", "b").value(),
              (RequestRecord{"print of b", schedule.id, plan->runs.back().id, "", kTen}));

    const auto backfill = test::new_backfill(schedule, kNine - 5h, kNine, kTen);
    ASSERT_TRUE(store->create_backfill("default", backfill, model::RequestKey{"c", "print of c"}));
    EXPECT_EQ(store->request("default", "c").value(),
              (RequestRecord{"print of c", schedule.id, "", backfill.id, kTen}));

    reopen();
    EXPECT_EQ(store->request("default", "b").value().run_id, plan->runs.back().id);
    EXPECT_EQ(code_of(store->request("acme", "b")), ErrorCode::not_found) << "another tenant's keys are its own";
}

TEST_P(RequestContract, ASkippedTriggerIsAnEffectToo) {
    const auto schedule = create();
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine));
    const auto plan = trigger(*store, schedule, "a");
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_EQ(plan->runs.back().dispatch, DispatchStatus::skipped);
    EXPECT_EQ(store->request("default", "a").value().run_id, plan->runs.back().id);
}

TEST_P(RequestContract, ATakenKeyChangesNothing) {
    const auto schedule = task_schedule();
    ASSERT_TRUE(store->create(std::vector{plan_of(schedule, "a")}));
    const auto before = everything(schedule);

    const auto other = task_schedule([](auto& s) { s.name = "other"; });
    const auto fresh = task_schedule([](auto& s) { s.name = "fresh"; });
    const auto created = store->create(std::vector{plan_of(fresh, "b"), plan_of(other, "a")});
    ASSERT_FALSE(created);
    expect_taken(created.error());
    const auto twins = store->create(std::vector{plan_of(fresh, "b"), plan_of(other, "b")});
    ASSERT_FALSE(twins);
    expect_taken(twins.error());
    const auto same_name = store->create(std::vector{plan_of(task_schedule(), "a")});
    ASSERT_FALSE(same_name);
    expect_taken(same_name.error());
    EXPECT_EQ(test::all_schedules(*store, {.tenant = "default"}).size(), 1U);
    EXPECT_EQ(code_of(store->request("default", "b")), ErrorCode::not_found);

    const auto triggered = trigger(*store, schedule, "a");
    ASSERT_FALSE(triggered);
    expect_taken(triggered.error());
    const auto filled = store->create_backfill("default", test::new_backfill(schedule, kNine - 5h, kNine, kTen),
                                               model::RequestKey{"a", "x"});
    ASSERT_FALSE(filled);
    expect_taken(filled.error());
    EXPECT_TRUE(store->backfills(ref_of(schedule)).value().empty());
    EXPECT_EQ(everything(schedule), before);
    EXPECT_EQ(store->request("default", "a").value().at, kNine);
}

TEST_P(RequestContract, AKeyIsTakenInsideItsTenantOnly) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto ours = task_schedule();
    const auto theirs = task_schedule([](auto& s) { s.tenant = "acme"; });
    ASSERT_TRUE(store->create(std::vector{plan_of(ours, "a"), plan_of(theirs, "a")}));
    EXPECT_EQ(store->request("default", "a").value().schedule_id, ours.id);
    EXPECT_EQ(store->request("acme", "a").value().schedule_id, theirs.id);
}

TEST_P(RequestContract, WhatIsRefusedLeavesItsKeyFree) {
    const auto schedule = create();
    const auto refused = store->create(std::vector{plan_of(task_schedule(), "a")});
    EXPECT_EQ(code_of(refused), ErrorCode::already_exists);
    EXPECT_EQ(refused.error().field, "/name");
    EXPECT_EQ(code_of(store->request("default", "a")), ErrorCode::not_found);
    ASSERT_TRUE(store->create_backfill("default", test::new_backfill(schedule, kNine - 5h, kNine, kTen)));
    const auto second = test::new_backfill(schedule, kNine - 9h, kNine, kTen);
    EXPECT_EQ(code_of(store->create_backfill("default", second, model::RequestKey{"a", "x"})), ErrorCode::conflict);
    EXPECT_EQ(code_of(store->request("default", "a")), ErrorCode::not_found);
    EXPECT_TRUE(trigger(*store, schedule, "a"));
}

TEST_P(RequestContract, APlanWithATakenKeyTakesNoneOfTheOthersWithIt) {
    const auto one = create_named("one");
    const auto two = create_named("two");
    ASSERT_TRUE(trigger(*store, one, "a", kTen - 1min));
    std::vector<Plan> plans;
    for (const auto& schedule : {one, two}) {
        const auto none =
            store->change(ref_of(schedule), {.now = kTen, .in_flight = true}, [&](const Facts& facts) -> Result<Plan> {
                auto plan = decide::plan_trigger(facts, {}, kTen);
                plan->request = model::RequestKey{schedule.name == "one" ? "a" : "b", "x"};
                plans.push_back(*plan);
                return Error{ErrorCode::conflict, "only asked"};
            });
        ASSERT_FALSE(none);
    }
    const auto applied = store->apply(plans);
    ASSERT_TRUE(applied) << applied.error().message;
    ASSERT_TRUE(applied->at(0));
    expect_taken(*applied->at(0));
    EXPECT_FALSE(applied->at(1)) << applied->at(1)->message;
    EXPECT_EQ(runs(one).size(), 1U);
    EXPECT_EQ(runs(two).size(), 1U);
}

TEST_P(RequestContract, OldKeysAreForgottenOldestFirst) {
    const auto schedule = create();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(trigger(*store, schedule, "k" + std::to_string(i), kTen + i * 1min));
    EXPECT_EQ(store->prune_requests(kTen, 10).value(), 0) << "what is as old as that stays";
    EXPECT_EQ(store->prune_requests(kTen + 4min, 3).value(), 3);
    EXPECT_EQ(code_of(store->request("default", "k2")), ErrorCode::not_found);
    EXPECT_TRUE(store->request("default", "k3"));
    EXPECT_EQ(store->prune_requests(kTen + 4min, 3).value(), 1);
    EXPECT_TRUE(store->request("default", "k4"));
    EXPECT_EQ(runs(schedule).size(), 5U) << "what they made stays";
    EXPECT_TRUE(trigger(*store, schedule, "k0", kTen + 9min)) << "and the key is free again";
}

TEST_P(RequestContract, TwoWithOneKeyHaveOneEffect) {
    const auto one = create_named("one", [](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    const auto two = create_named("two", [](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    for (int round = 0; round < 10; ++round) {
        const auto key = "k" + std::to_string(round);
        std::latch together(2);
        std::vector<std::optional<Error>> errors(2);
        std::vector<std::thread> callers;
        for (const std::size_t number : {0U, 1U}) {
            callers.emplace_back([&, number] {
                const auto handle = world->open();
                together.arrive_and_wait();
                // In half of the rounds they do not even meet on a schedule.
                const auto& schedule = round % 2 == 0 && number == 1 ? two : one;
                for (int tries = 0; tries < 20; ++tries) {
                    const auto plan = trigger(*handle, schedule, key, kTen + round * 1min);
                    errors[number] = plan ? std::nullopt : std::optional(plan.error());
                    if (code_of(errors[number]) != ErrorCode::unavailable) return;
                }
            });
        }
        for (auto& caller : callers) caller.join();
        ASSERT_NE(errors[0].has_value(), errors[1].has_value());
        expect_taken(errors[0] ? *errors[0] : *errors[1]);
        ASSERT_EQ(runs(one).size() + runs(two).size(), static_cast<std::size_t>(round + 1));
    }
}

}  // namespace
}  // namespace belfry::store
