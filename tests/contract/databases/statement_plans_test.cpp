// The statements that run again and again read what they are after and nothing else: the plans of both databases say
// so, also when the tables were empty when they were made.
#include <gtest/gtest.h>

#include <list>

#include "contract/store_faults.hpp"
#include "store/sql/statements/statements_audit.hpp"
#include "store/sql/statements/statements_budgets.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_requests.hpp"
#include "store/sql/statements/statements_retention.hpp"
#include "store/sql/statements/statements_targets.hpp"
#include "store/sql/statements/statements_tasks.hpp"

namespace belfry::store::sql {
namespace {

constexpr std::int64_t kSomeTime = 0;
constexpr std::int64_t kSome = 100;

class StatementPlans : public ::testing::TestWithParam<std::string> {
protected:
    // What the database says how it will run the statement.
    std::string plan(const Statement& statement, const Batch& batch) {
        const bool sqlite = GetParam() == "sqlite";
        const auto& explained =
            explained_.emplace_back("explain", (sqlite ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + statement.text);
        std::string lines;
        must(database->write([&](Session& session) -> Result<void> {
            auto run = session.run(explained, batch,
                                   [&](const Row& row) { lines += std::string(row.text(sqlite ? 3 : 0)) + "\n"; });
            if (!run) return run.error();
            return {};
        }),
             "explain");
        return lines;
    }
    void expect_index(const Statement& statement, const Batch& batch, const std::string& index) {
        const auto told = plan(statement, batch);
        EXPECT_NE(told.find(index), std::string::npos) << told;
        EXPECT_EQ(told.find("TEMP B-TREE FOR ORDER BY"), std::string::npos) << "all would be read to be sorted:\n"
                                                                            << told;
    }

    std::unique_ptr<Place> place = new_place(GetParam());
    std::unique_ptr<Store> store = open_store_on(*place);
    DatabasePtr database = place->open();
    std::list<Statement> explained_ = {};  // connections know them by their addresses
};
INSTANTIATE_TEST_SUITE_P(Every, StatementPlans, ::testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST_P(StatementPlans, TheTimersReadTheSchedulesThatMayFireAlongTheirOwnIndex) {
    expect_index(kUpcoming, {kSomeTime, kSome}, "schedules_by_end");
}

TEST_P(StatementPlans, APageOfAMillionSchedulesStartsNoOtherProcesses) {
    if (GetParam() == "sqlite") GTEST_SKIP() << "it has none";
    static const Statement kFill(
        "fill",
        "UPDATE pg_class SET reltuples = 1000000, relpages = 50000 WHERE relname IN ('schedules', 'schedule_state')");
    must(database->write([&](Session& session) -> Result<void> {
        auto run = session.run(kFill, {});
        if (!run) return run.error();
        return {};
    }),
         "fill");
    const auto told = plan(kUpcoming, {kSomeTime, kSome});
    EXPECT_EQ(told.find("Gather"), std::string::npos) << told;
    EXPECT_NE(told.find("schedules_by_end"), std::string::npos) << told;
}

TEST_P(StatementPlans, ChainsAreReadAlongTheirKeys) {
    expect_index(kChainedEvents, {kSomeTime, kSomeTime, kSome, kSome},
                 GetParam() == "sqlite" ? "events" : "events_pkey");
    // Each part ends at the limit, so what is sorted is short.
    const auto audited = plan(kAuditedSchedules, {kSomeTime, kSomeTime, kSome});
    for (const auto* const index : {"schedules_by_age", "removed_schedules_of_tenant"})
        EXPECT_NE(audited.find(index), std::string::npos) << audited;
    const auto told = plan(kArchivable, {kSomeTime, kSome});
    for (const auto* const scan : {"Seq Scan", "SCAN events", "SCAN schedule_state", "Gather"})
        EXPECT_EQ(told.find(scan), std::string::npos) << told;
}

TEST_P(StatementPlans, TheReaperReadsTheLeasesThatRanOut) {
    expect_index(kExpiredLeases, {kSomeTime, kSome, kSomeTime}, "leases_by_end");
    expect_index(kExpiredLeases, {kSomeTime, kSome, kSomeTime}, "leases_by_renewal");
}

TEST_P(StatementPlans, SchedulesToBeRemovedAreFoundByTheirEnd) {
    expect_index(kEndedSchedules, {kSomeTime, kSomeTime, kSomeTime, kSome}, "schedules_by_end");
}

TEST_P(StatementPlans, AConditionReadsTheEndsOfItsOwnTargetAlongTheirKey) {
    const auto told = plan(kContextOfTarget, {kSomeTime, kSome});
    if (GetParam() == "sqlite") {
        EXPECT_EQ(told.find("SCAN e\n"), std::string::npos) << told;
        EXPECT_NE(told.find("SEARCH e USING PRIMARY KEY"), std::string::npos) << told;
    } else {
        EXPECT_NE(told.find("target_ends_pkey"), std::string::npos) << told;
        EXPECT_EQ(told.find("Seq Scan on target_ends"), std::string::npos) << told;
    }
    EXPECT_EQ(told.find("TEMP B-TREE FOR ORDER BY"), std::string::npos) << told;
}

TEST_P(StatementPlans, CreationsLookUpWhatTheyTake) {
    if (GetParam() == "sqlite") {
        EXPECT_EQ(plan(kUsedKeys, {kSome}).find("SCAN"), std::string::npos);
        EXPECT_EQ(plan(kFindNames, {kSome, "name"}).find("SCAN c"), std::string::npos);
        EXPECT_EQ(plan(kTakenRequests, {kSome, "key"}).find("SCAN"), std::string::npos);
        return;
    }
    expect_index(kUsedKeys, {kSome}, "schedules_pkey");
    expect_index(kUsedKeys, {kSome}, "removed_schedules_pkey");
    expect_index(kFindNames, {kSome, "name"}, "schedules_by_name");
    // Each name is looked up, and not all of the tenants' names read to find some.
    const auto named = plan(kFindNames, {kSome, "name"});
    EXPECT_NE(named.find("((tenant_key = r.tenant_) AND (name = r.name_))"), std::string::npos) << named;
    expect_index(kTakenRequests, {kSome, "key"}, "requests_pkey");
}

TEST_P(StatementPlans, WhatOnlyHasAnAgeIsFoundByIt) {
    expect_index(kPruneEnds, {kSomeTime, kSome}, "target_ends_by_age");
    expect_index(kPruneLetters, {kSomeTime, kSome}, "dead_letters_by_age");
    expect_index(kPruneBackfills, {kSomeTime, kSome}, "backfills_over");
    expect_index(kPruneTenantDays, {kSomeTime, kSome}, "tenant_days_by_day");
    expect_index(kOldBudgetDays, {kSomeTime, kSome}, "budget_days_by_day");
    expect_index(kOldArchives, {kSomeTime, kSome}, "removed_schedules_by_end");
}

}  // namespace
}  // namespace belfry::store::sql
