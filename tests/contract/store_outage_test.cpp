// After a long outage: a database ends a transaction that it hears nothing of for a while, and what was missed is
// decided all the same.
#include <gtest/gtest.h>

#include "engine/jobs/ticker.hpp"
#include "store/sql/database.hpp"
#include "store/sql/sql_store.hpp"
#include "support/oracles/stores.hpp"
#include "support/servers/postgres_cluster.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::store {
namespace {

using namespace std::chrono_literals;

constexpr int kSchedules = 100;
constexpr int kLines = 20;

// Every minute, said in twenty ways: two weeks have 20,160 of them.
void every_minute(model::Schedule& schedule) {
    schedule.spec.cron.clear();
    for (int i = 0; i < kLines; ++i) schedule.spec.cron.push_back(std::to_string(i) + "-59 * * * *");
    schedule.missed.policy = model::MissedPolicy::skip;
}

test::StorePtr open_impatient(const Clock& clock) {
    sql::PostgresOptions options{.url = test::shared_cluster().new_database()};
    options.idle_in_transaction = 1s;
    return std::move(sql::open_store(sql::open_postgres(options), test::zones(), &clock).value());
}

TEST(OutageOnPostgres, MissedOccurrencesOfManySchedulesAreDecidedHoweverShortATransactionMayBe) {
    const auto asked = test::stores_under_test();
    if (std::ranges::none_of(asked, [](const auto& each) { return each.name == "postgres"; }))
        GTEST_SKIP() << "STORES leaves PostgreSQL out";
    test::EngineWorld world("2026-06-01T10:00:30Z", &open_impatient);
    for (int i = 0; i < kSchedules; ++i) {
        world.create([i](auto& schedule) {
            every_minute(schedule);
            schedule.name = "s" + std::to_string(i);
        });
    }
    world.clock.set(test::instant("2026-06-15T10:00:30Z"));
    const SystemSteadyClock steady;
    engine::Ticker ticker(*world.store, steady, world.journal, {.planning = 200ms}, [] { return std::uint64_t{0}; });
    const auto is_behind = [&world] {
        const auto upcoming = world.store->upcoming(0, kPageMax);
        return !upcoming || std::ranges::any_of(
                                *upcoming, [&world](const auto& each) { return each.next_fire <= world.clock.now(); });
    };
    for (int steps = 0; is_behind() && steps < 10 * kSchedules; ++steps) ticker.step();
    ASSERT_FALSE(is_behind());
    for (int i = 0; i < kSchedules; ++i) {
        EXPECT_EQ(world.runs_of("s" + std::to_string(i)),
                  (test::Lines{"tick 2026-06-01T10:01:00Z skipped missed_run x≥10000",
                               "tick 2026-06-15T10:00:00Z dispatched"}))
            << i;
    }
}

}  // namespace
}  // namespace belfry::store
