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
    const model::Tenant acme{"acme", "the \"best\"\n日", false, 10, 20, 30, kNine + Micros{1}, 1};
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
    EXPECT_EQ(code_of(store->put_tenant({.name = "acme", .description = "again"})), ErrorCode::conflict)
        << "it is not new";
    ASSERT_TRUE(store->put_tenant({.name = "acme", .description = "second", .version = 2}));
    EXPECT_EQ(code_of(store->put_tenant({.name = "acme", .description = "late", .version = 2})), ErrorCode::conflict);
    EXPECT_EQ(code_of(store->put_tenant({.name = "acme", .description = "early", .version = 4})), ErrorCode::conflict);
    EXPECT_EQ(store->tenant("acme").value().description, "second");
    EXPECT_EQ(code_of(store->put_tenant({.name = "new", .version = 2})), ErrorCode::conflict)
        << "a new one begins with 1";
    EXPECT_EQ(code_of(store->tenant("new")), ErrorCode::not_found);
    EXPECT_TRUE(store->put_tenant({.name = "default", .description = "ours", .version = 2}));
}

TEST_P(TenantContract, ALowerLimitLeavesWhatIsThere) {
    create_named("a");
    create_named("b");
    ASSERT_TRUE(store->put_tenant({.name = "default", .schedules_max = 1, .version = 2}));
    EXPECT_EQ(test::all_schedules(*store, {.tenant = "default"}).size(), 2U);
    EXPECT_EQ(tick(kTen).plans.size(), 2U);
    EXPECT_EQ(code_of(test::create(*store, {task_schedule([](auto& s) { s.name = "c"; })}, kNine)),
              ErrorCode::exhausted);
}

TEST_P(CalendarContract, KeepsWhatWasPutInsideItsTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const CalendarRecord ours{
        {"holidays", spec::CalendarKind::only_dates, "Europe/Berlin", {"2026-06-02", "2026-06-01"}}, 1};
    const CalendarRecord theirs = skipping("holidays", {});
    ASSERT_TRUE(store->put_calendar("default", ours));
    ASSERT_TRUE(store->put_calendar("acme", theirs));
    ASSERT_TRUE(store->put_calendar("default", skipping("other", {"2026-12-24"})));
    reopen();
    EXPECT_EQ(store->calendar("default", "holidays").value(), ours) << "as it was written";
    EXPECT_EQ(store->calendar("acme", "holidays").value(), theirs);
    EXPECT_EQ(code_of(store->calendar("acme", "other")), ErrorCode::not_found);
    EXPECT_EQ(store->calendars("default", {}).value().items.size(), 2U) << "the built-in ones are not here";
    EXPECT_EQ(store->calendars("acme", {}).value().items, (std::vector{theirs}));
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
    const auto schedule =
        create([](auto& s) { s.calendars = {"c"}, s.overlap.policy = model::OverlapPolicy::allow_all; });
    const auto second = world->open();
    tick(kTen);
    ASSERT_TRUE(test::tick(*second, kTen + 1h));  // both have looked at it now
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {"2026-12-24"}, 2)));
    tick(kTen + 2h);
    ASSERT_TRUE(second->put_calendar("default", skipping("c", {"2026-06-01"}, 3)));
    tick(kTen + 3h);
    ASSERT_TRUE(store->put_calendar("default", skipping("c", {}, 4)));
    ASSERT_TRUE(test::tick(*second, kTen + 4h));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 skipped calendar", "11:00 skipped calendar", "12:00 queued",
                                                "13:00 skipped calendar", "14:00 queued"}));
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
    EXPECT_EQ(runs(schedule).at(0).execution, ExecutionStatus::queued)
        << "a built-in one and one of the tenant's together";
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

// -- What tenants use.

class UsageContract : public StoreContract {
protected:
    // The whole measurement in steps of so many rows.
    std::map<std::int64_t, std::int64_t> measure(std::size_t rows) {
        std::map<std::int64_t, std::int64_t> bytes;
        std::optional<MeasuredPlace> place = MeasuredPlace{};
        for (int steps = 0; place && steps < 1'000; ++steps) {
            const auto page = store->measure(*place, rows);
            EXPECT_TRUE(page) << page.error().message;
            if (!page) break;
            for (const auto& [tenant, count] : page->bytes) bytes[tenant] += count;
            place = page->next;
        }
        return bytes;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, UsageContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(UsageContract, StoredBytesAreMeasuredByTenantInPagesOfAnySize) {
    ASSERT_TRUE(store->put_tenant({.name = "acme", .stored_bytes_max = 30'000}));
    create([](auto& s) { s.tenant = "acme", s.memo = Json{{"text", std::string(20'000, 'x')}}; });
    create_named("small");
    tick(kTen);
    ASSERT_TRUE(store->put_calendar("acme", {{.name = "c", .dates = {"2026-01-01"}}, 1}));
    const auto all = measure(1'000);
    const auto acme = all.at(model::tenant_key("acme"));
    EXPECT_GT(acme, 20'000);
    EXPECT_LT(all.at(model::tenant_key("default")), 20'000);
    for (const std::size_t rows : {1U, 2U, 3U}) EXPECT_EQ(measure(rows), all) << rows;

    EXPECT_EQ(store->usage("acme", kTen).value().stored_bytes, std::nullopt) << "nobody has measured yet";
    ASSERT_TRUE(store->put_measured(all, kTen));
    reopen();
    const auto usage = store->usage("acme", kTen).value();
    EXPECT_EQ(usage.stored_bytes, acme);
    EXPECT_EQ(usage.measured_at, kTen);
    EXPECT_EQ(usage.schedules, 1);
    EXPECT_EQ(store->usage("nobody", kTen).error().code, ErrorCode::not_found);

    const auto over = [&] { return store->settle_usage(kTen).value(); };
    EXPECT_EQ(over().empty(), acme < 30'000);
    ASSERT_TRUE(store->put_tenant({.name = "acme", .stored_bytes_max = acme, .version = 2}));
    EXPECT_EQ(over(), (std::vector<TenantOverLimit>{{"acme", acme, acme}}));
    ASSERT_TRUE(store->put_measured({}, kTen + 1min));
    EXPECT_EQ(over(), (std::vector<TenantOverLimit>{})) << "what is not there any more is not stored";
    EXPECT_EQ(store->usage("acme", kTen).value().stored_bytes, 0);
}

TEST_P(UsageContract, PurgingADeletedScheduleLowersWhatIsStoredAndDeletingItDoesNot) {
    const auto schedule = create([](auto& s) { s.target.input = Json{{"text", std::string(100, 'x')}}; });
    tick(kTen);
    auto end = test::succeeded();
    end.result = Json(std::string(50'000, 'y'));
    finish(kTen + 1s, end);
    const auto stored = [this] { return measure(1'000).at(model::tenant_key("default")); };
    EXPECT_GT(stored(), 50'000);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 1min));
    EXPECT_GT(stored(), 50'000);
    EXPECT_EQ(store->purge(ref_of(schedule), 10).value(), 1);
    EXPECT_LT(stored(), 50'000);
}

TEST_P(UsageContract, TheDefaultOfRunsPerDayHoldsFromTheNextCountOn) {
    const auto place = GetParam().make();
    place->limits.runs_per_day_per_tenant = 2;
    store = place->open();
    ASSERT_TRUE(store->put_tenant({.name = "own", .runs_per_day = 100}));
    const auto schedule = create([](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    const auto theirs = create([](auto& s) { s.tenant = "own", s.overlap.policy = model::OverlapPolicy::allow_all; });
    tick(kTen);
    EXPECT_EQ(store->usage("default", kTen).value().runs_today, 1);
    ASSERT_TRUE(store->settle_usage(kTen));
    tick(kTen + 1h);
    tick(kTen + 2h);
    EXPECT_EQ(store->usage("default", kTen).value().runs_today, 3) << "more than it may, until somebody counts";
    ASSERT_TRUE(store->settle_usage(kTen + 2h));
    tick(kTen + 3h);
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 queued", "11:00 queued", "12:00 queued", "13:00 skipped budget_exceeded"}));
    EXPECT_EQ(run_lines(theirs).back(), "13:00 queued") << "its own number is counted exactly, and is not reached";
    EXPECT_EQ(store->usage("own", kTen).value().runs_today, 4);
    tick(kTen + 24h);
    EXPECT_EQ(run_lines(schedule).back().substr(0, 5), "10:00");
    EXPECT_NE(run_lines(schedule).back(), "10:00 skipped budget_exceeded") << "a new day";
    store.reset();
}

}  // namespace
}  // namespace belfry::store
