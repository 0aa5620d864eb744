// Tenants share nothing, however alike their names are: keys are shortened, and names are compared.
#include "store/registry.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

// As one program makes them one after the other: the first 63 bits that tell UUIDs of version 7 apart are the same.
const std::string kOne = "019a0000-0000-7000-8000-000000000001";
const std::string kTwo = "019a0000-0000-7000-8000-000000000002";
const std::string kOneInCapitals = "019A0000-0000-7000-8000-000000000001";

class IsolationContract : public StoreContract {
protected:
    // One of everything that a tenant can have, all under the names that every tenant uses.
    model::Schedule fill(const std::string& tenant) {
        EXPECT_TRUE(store->put_tenant({.name = tenant}));
        EXPECT_TRUE(store->put_calendar(tenant, {{.name = "holidays", .dates = {"2026-06-02"}}, 1}));
        EXPECT_TRUE(store->put_assignee(tenant, {.id = "bo", .created_at = kNine}));
        EXPECT_TRUE(store->put_assignment(tenant, {.id = "a1", .workflow = "steps", .created_at = kNine}));
        auto workflow = test::diamond();
        workflow.tenant = tenant;
        EXPECT_TRUE(store->put_workflow(workflow));
        EXPECT_TRUE(store->registry().put_webhook(
            tenant,
            {.id = "hook of " + tenant, .url = "https://example.com/", .secrets = {"sealed"}, .created_at = kNine}));
        const auto schedule = create([&](auto& s) { s.tenant = tenant, s.labels = {{"team", "a"}}; });
        EXPECT_TRUE(store->create_backfill(tenant, test::new_backfill(schedule, kNine - 5h, kNine, kNine),
                                           model::RequestKey{.key = "once", .fingerprint = "f"}));
        tick(kTen, {key_of(schedule)});
        return schedule;
    }

    void expect_nothing_in(const std::string& tenant) {
        EXPECT_TRUE(test::all_schedules(*store, {.tenant = tenant}).empty());
        EXPECT_TRUE(test::all_runs(*store, {.tenant = tenant}).empty());
        EXPECT_TRUE(store->calendars(tenant, {}).value().items.empty());
        EXPECT_TRUE(store->assignees(tenant, {}).value().items.empty());
        EXPECT_TRUE(store->assignments(tenant, {}).value().items.empty());
        EXPECT_TRUE(store->workflows(tenant, {}).value().items.empty());
        EXPECT_TRUE(store->registry().webhooks(tenant).value().empty());
        EXPECT_TRUE(store->registry().feed(tenant, 0, 10).value().empty());
        EXPECT_TRUE(store->claim({.tenant = tenant, .worker = "w", .limit = 10, .now = kTen}).value().empty());
        EXPECT_EQ(code_of(store->request(tenant, "once")), ErrorCode::not_found);
    }

    // Neither read nor changed by those who know every name and id of it.
    void expect_out_of_reach(const model::Schedule& schedule, const std::string& from) {
        const auto before = everything(schedule);
        for (const auto& ref : {ScheduleRef{from, schedule.id}, ScheduleRef{from, {}, schedule.name}}) {
            EXPECT_EQ(code_of(store->schedule(ref)), ErrorCode::not_found);
            EXPECT_EQ(code_of(store->events(ref, 0, 10)), ErrorCode::not_found);
            EXPECT_EQ(code_of(store->backfills(ref)), ErrorCode::not_found);
            EXPECT_EQ(code_of(test::trigger(*store, ref, kTen)), ErrorCode::not_found);
            EXPECT_EQ(code_of(test::remove(*store, ref, kTen)), ErrorCode::not_found);
        }
        const auto run = runs(schedule).front().id;
        EXPECT_EQ(code_of(store->run(from, run)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->workflow_run(from, run)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->run_events(from, run, 0, 10)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->calendar(from, "holidays")), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->remove_calendar(from, "holidays")), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->assignee(from, "bo")), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->remove_assignee(from, "bo")), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->assignment(from, "a1")), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->remove_assignment(from, "a1")), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->workflow(from, "steps", {})), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->remove_workflow(from, "steps", kTen)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->registry().webhook(from, "hook of " + schedule.tenant)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->registry().remove_webhook(from, "hook of " + schedule.tenant)), ErrorCode::not_found);
        EXPECT_EQ(everything(schedule), before);
    }
};
INSTANTIATE_TEST_SUITE_P(Every, IsolationContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(IsolationContract, TenantsWithSimilarUuidsAsNamesShareNothing) {
    const auto schedule = fill(kOne);
    for (const auto& other : {kTwo, kOneInCapitals}) {
        EXPECT_EQ(code_of(store->tenant(other)), ErrorCode::not_found);
        expect_out_of_reach(schedule, other);
        ASSERT_TRUE(store->put_tenant({.name = other, .description = "another"}));
        expect_nothing_in(other);
        expect_out_of_reach(schedule, other);
    }
    EXPECT_EQ(store->tenant(kOne).value().description, "");
    reopen();
    expect_nothing_in(kTwo);
    expect_out_of_reach(schedule, kTwo);
}

TEST_P(IsolationContract, TenantsWithSimilarUuidsUseTheSameNames) {
    const auto one = fill(kOne);
    const auto two = fill(kTwo);
    ASSERT_TRUE(test::remove(*store, ref_of(two), kTen));
    EXPECT_EQ(state(one).status, ScheduleStatus::active);
    EXPECT_EQ(store->claim({.tenant = kOne, .worker = "w", .limit = 10, .now = kTen}).value().size(), 1U);
    const auto counts = store->counts(kTen).value();
    EXPECT_EQ(std::ranges::count(counts.schedules, kOne, &ScheduleCount::tenant), 1);
}

// Two ids of version 7 that share their key, which two programs make in one millisecond now and then.
TEST_P(IsolationContract, AnIdThatSharesItsKeyWithAnotherFindsNothing) {
    const auto schedule = create([](auto& s) { s.id = kOne; });
    auto backfill = test::new_backfill(schedule, kNine - 5h, kNine, kNine);
    backfill.id = kOne;
    ASSERT_TRUE(store->create_backfill("default", backfill));
    ASSERT_TRUE(
        store->registry().put_webhook("default", {.id = kOne, .url = "https://example.com/", .created_at = kNine}));
    for (const auto& other : {kTwo, kOneInCapitals}) {
        EXPECT_EQ(code_of(store->schedule({"default", other})), ErrorCode::not_found);
        EXPECT_EQ(code_of(test::remove(*store, {"default", other}, kTen)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->backfill("default", other)), ErrorCode::not_found);
        EXPECT_EQ(code_of(test::set_status(*store, "default", other, model::BackfillStatus::cancelled, kTen)),
                  ErrorCode::not_found);
        EXPECT_EQ(code_of(store->registry().webhook("default", other)), ErrorCode::not_found);
        EXPECT_EQ(code_of(store->registry().deliveries("default", other, 0, 10)), ErrorCode::not_found);
    }
}

}  // namespace
}  // namespace belfry::store
