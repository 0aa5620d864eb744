// Tenants and their calendars: versions keep two writers apart, and what changes is seen by the next decision.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

class TenantContract : public StoreContract {};
class CalendarContract : public StoreContract {
protected:
    static CalendarRecord skipping(const std::string& name, std::vector<std::string> dates, std::int64_t version = 1) {
        return {{.name = name, .dates = std::move(dates)}, version};
    }
};
INSTANTIATE_TEST_SUITE_P(Every, TenantContract, ::testing::ValuesIn(test::stores_under_test()), store_name);
INSTANTIATE_TEST_SUITE_P(Every, CalendarContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(TenantContract, TheDefaultOneIsAlwaysThere) {
    const auto found = store->tenant("default");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->name, "default");
    EXPECT_TRUE(found->dispatch_enabled);
    EXPECT_FALSE(found->schedules_max);
    EXPECT_FALSE(found->runs_per_day);
    EXPECT_EQ(found->version, 1);
    EXPECT_EQ(store->tenants().value().size(), 1U);
}

TEST_P(TenantContract, KeepsWhatWasPut) {
    const model::Tenant acme{"acme", "the \"best\"\n日", false, 10, 20, kNine + Micros{1}, 1};
    const model::Tenant plain{.name = "Plain"};
    ASSERT_TRUE(store->put_tenant(acme));
    ASSERT_TRUE(store->put_tenant(plain));
    reopen();
    EXPECT_EQ(store->tenant("acme").value(), acme);
    EXPECT_EQ(store->tenant("Plain").value(), plain);
    EXPECT_EQ(code_of(store->tenant("plain")), ErrorCode::not_found);
    auto all = store->tenants().value();
    ASSERT_EQ(all.size(), 3U);
    std::ranges::sort(all, {}, &model::Tenant::name);
    EXPECT_EQ(all[0], plain);
    EXPECT_EQ(all[1], acme);
}

TEST_P(TenantContract, OfTwoWritersTheSecondIsRefused) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    EXPECT_EQ(code_of(store->put_tenant({.name = "acme", .description = "again"})), ErrorCode::conflict) << "it is not new";
    ASSERT_TRUE(store->put_tenant({.name = "acme", .description = "second", .version = 2}));
    EXPECT_EQ(code_of(store->put_tenant({.name = "acme", .description = "late", .version = 2})), ErrorCode::conflict);
    EXPECT_EQ(code_of(store->put_tenant({.name = "acme", .description = "early", .version = 4})), ErrorCode::conflict);
    EXPECT_EQ(store->tenant("acme").value().description, "second");
    EXPECT_EQ(code_of(store->put_tenant({.name = "new", .version = 2})), ErrorCode::conflict) << "a new one begins with 1";
    EXPECT_EQ(code_of(store->tenant("new")), ErrorCode::not_found);
    EXPECT_TRUE(store->put_tenant({.name = "default", .description = "ours", .version = 2}));
}

TEST_P(TenantContract, ALowerLimitLeavesWhatIsThere) {
    create_named("a");
    create_named("b");
    ASSERT_TRUE(store->put_tenant({.name = "default", .schedules_max = 1, .version = 2}));
    EXPECT_EQ(test::all_schedules(*store, {.tenant = "default"}).size(), 2U);
    EXPECT_EQ(tick(kTen).plans.size(), 2U);
    EXPECT_EQ(code_of(test::create(*store, {task_schedule([](auto& s) { s.name = "c"; })}, kNine)), ErrorCode::exhausted);
}

TEST_P(CalendarContract, KeepsWhatWasPutInsideItsTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const CalendarRecord ours{{"holidays", spec::CalendarKind::only_dates, "Europe/Berlin", {"2026-06-02", "2026-06-01"}}, 1};
    const CalendarRecord theirs = skipping("holidays", {});
    ASSERT_TRUE(store->put_calendar("default", ours));
    ASSERT_TRUE(store->put_calendar("acme", theirs));
    ASSERT_TRUE(store->put_calendar("default", skipping("other", {"2026-12-24"})));
    reopen();
    EXPECT_EQ(store->calendar("default", "holidays").value(), ours) << "as it was written";
    EXPECT_EQ(store->calendar("acme", "holidays").value(), theirs);
    EXPECT_EQ(code_of(store->calendar("acme", "other")), ErrorCode::not_found);
    EXPECT_EQ(store->calendars("default").value().size(), 2U) << "the built-in ones are not here";
    EXPECT_EQ(store->calendars("acme").value(), (std::vector{theirs}));
    EXPECT_EQ(code_of(store->put_calendar("nobody", ours)), ErrorCode::not_found);
}

TEST_P(CalendarContract, OfTwoWritersTheSecondIsRefused) {
    EXPECT_EQ(code_of(store->put_calendar("default", skipping("c", {}, 2))), ErrorCode::conflict);
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {})));
    EXPECT_EQ(code_of(store->put_calendar("default", skipping("c", {"2026-06-01"}))), ErrorCode::conflict);
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {"2026-06-02"}, 2)));
    EXPECT_EQ(code_of(store->put_calendar("default", skipping("c", {"2026-06-03"}, 2))), ErrorCode::conflict);
    EXPECT_EQ(store->calendar("default", "c").value(), skipping("c", {"2026-06-02"}, 2));
}

TEST_P(CalendarContract, AChangeIsSeenByTheNextDecision) {
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {"2026-06-01"})));
    const auto schedule = create([](auto& s) { s.calendars = {"c"}, s.overlap.policy = model::OverlapPolicy::allow_all; });
    const auto second = world->open();
    tick(kTen);
    ASSERT_TRUE(test::tick(*second, kTen + 1h));  // both have looked at it now
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {"2026-12-24"}, 2)));
    tick(kTen + 2h);
    ASSERT_TRUE(second->put_calendar("default", skipping("c", {"2026-06-01"}, 3)));
    tick(kTen + 3h);
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {}, 4)));
    ASSERT_TRUE(test::tick(*second, kTen + 4h));
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 skipped calendar", "11:00 skipped calendar", "12:00 queued", "13:00 skipped calendar", "14:00 queued"}));
}

TEST_P(CalendarContract, AScheduleSeesTheCalendarsOfItsOwnTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    ASSERT_TRUE(store->put_calendar("acme", skipping("c", {})));
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {"2026-06-01"})));
    const auto ours = create([](auto& s) { s.calendars = {"c"}; });
    const auto theirs = create([](auto& s) { s.tenant = "acme", s.calendars = {"c"}; });
    tick(kTen);
    EXPECT_EQ(run_lines(ours), (test::Lines{"10:00 skipped calendar"}));
    EXPECT_EQ(run_lines(theirs), (test::Lines{"10:00 queued"}));
}

TEST_P(CalendarContract, OneThatNobodyKnowsRefusesUntilItIsThere) {
    const auto schedule = create([](auto& s) { s.calendars = {"weekends-only", "c"}; });
    const auto saturday = instant("2026-06-06T10:00:00Z");
    tick(saturday);
    EXPECT_EQ(runs(schedule).at(0).reason, model::SkipReason::calendar);
    EXPECT_EQ(runs(schedule).at(0).detail, "unknown calendar c");
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {})));
    tick(saturday + 1h);
    EXPECT_EQ(runs(schedule).at(0).execution, ExecutionStatus::queued) << "a built-in one and one of the tenant's together";
}

TEST_P(CalendarContract, OneThatIsNamedCannotBeRemoved) {
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {})));
    ASSERT_TRUE(store->put_calendar("default", skipping("d", {})));
    const auto schedule = create([](auto& s) { s.calendars = {"d", "c"}; });
    EXPECT_EQ(code_of(store->remove_calendar("default", "c")), ErrorCode::conflict);
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine));
    EXPECT_EQ(code_of(store->remove_calendar("default", "c")), ErrorCode::conflict) << "it may be resumed";
    EXPECT_EQ(store->calendar("default", "c").value().version, 1);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kNine, [](auto& s) { s.calendars = {"d"}; }));
    EXPECT_TRUE(store->remove_calendar("default", "c"));
    EXPECT_EQ(code_of(store->calendar("default", "c")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->remove_calendar("default", "c")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->remove_calendar("default", "d")), ErrorCode::conflict);
}

TEST_P(CalendarContract, AnotherTenantsScheduleHoldsNothing) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {})));
    create([](auto& s) { s.tenant = "acme", s.calendars = {"c"}; });
    EXPECT_EQ(code_of(store->remove_calendar("acme", "c")), ErrorCode::not_found);
    EXPECT_TRUE(store->remove_calendar("default", "c"));
}

TEST_P(CalendarContract, OneThatIsRemovedAndMadeAgainBeginsAnew) {
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {})));
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {}, 2)));
    ASSERT_TRUE(store->remove_calendar("default", "c"));
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {"2026-06-01"})));
    const auto schedule = create([](auto& s) { s.calendars = {"c"}; });
    tick(kTen);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 skipped calendar"}));
}

TEST_P(TenantContract, ABuiltInCalendarCannotBeHidden) {
    const auto refused = store->put_calendar("default", {{.name = "weekends-only"}, 1});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(refused.error().field, "/name");
}

}  // namespace
}  // namespace belfry::store
