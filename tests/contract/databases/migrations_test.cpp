// The schema: made once, by whoever comes first, and refused when it is not the one that this program works with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "contract/store_faults.hpp"
#include "store/registry.hpp"
#include "store/sql/schema/migrations.hpp"
#include "support/oracles/store_snapshot.hpp"
#include "support/oracles/store_verbs.hpp"

namespace belfry::store::sql {
namespace {

using test::instant;
using ::testing::HasSubstr;

const Instant kNow = instant("2026-06-01T09:00:00Z");

// Take the newest steps back: what an earlier program had, with what is in it.
const std::string kWithoutPositions =  // on PostgreSQL
    "DROP VIEW feed_locks; DROP FUNCTION feed_lock, hold_feed, feed_end, note_decider, await_deciders, heal_feed; DROP "
    "SEQUENCE feed_positions; ";
const std::string kWithoutArchive =  // on SQLite
    "DROP TRIGGER events_are_never_removed; CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events "
    "BEGIN SELECT RAISE(ABORT, 'audit events are never removed'); END; ";
const std::string kBackToTheEighth =
    "DROP TABLE event_checkpoints; ALTER TABLE tenants DROP COLUMN stored_bytes_max; DROP TABLE tenant_usage; DROP "
    "INDEX schedules_by_end; ALTER "
    "TABLE schedules DROP COLUMN "
    "ended_us; DROP TABLE removed_schedules; DROP INDEX requests_by_schedule; "
    "DROP INDEX backfills_over; DROP INDEX dead_letters_by_age; DROP INDEX tenant_days_by_day; DROP INDEX "
    "budget_days_by_day; "
    "DROP INDEX walks_of_workflow; DROP INDEX leases_by_end; DROP INDEX leases_by_renewal; ALTER TABLE leases DROP "
    "COLUMN renewed_us; "
    "ALTER TABLE leadership DROP COLUMN newest_us; ALTER TABLE approvals DROP COLUMN workflow_version; "
    "ALTER TABLE schedule_state DROP COLUMN spread_until_us; ALTER TABLE schedule_state DROP COLUMN breaker_opened_us; "
    "ALTER TABLE run_nodes DROP COLUMN redeliveries; ALTER TABLE backfills DROP COLUMN concurrency; ALTER TABLE "
    "backfills DROP COLUMN rerun; "
    "DROP TABLE watched_targets; DROP TABLE target_ends; DROP TABLE event_subscriptions; DROP TABLE team_runs; "
    "CREATE TABLE feed_base (name TEXT NOT NULL PRIMARY KEY, base BIGINT NOT NULL); INSERT INTO feed_base (name, base) "
    "VALUES ('feed', 0); "
    "DROP INDEX deliveries_due; CREATE INDEX deliveries_due ON deliveries (next_us, position) WHERE status = 0; "
    "DELETE FROM schema_migrations WHERE number > 8; ";
const std::string kBackToTheFifth =
    kBackToTheEighth +
    "DROP INDEX schedules_by_age; DROP TABLE assignments; DROP INDEX schedules_by_assignment; ALTER TABLE schedules "
    "DROP COLUMN assignment; DROP "
    "TABLE assignees; DROP TABLE budget_days; DROP TABLE reservations; DROP TABLE run_usage; DROP TABLE approvals; "
    "DELETE FROM "
    "schema_migrations WHERE number > 5; ";
const std::string kBackToTheFourth =
    kBackToTheFifth +
    "DROP TABLE workflows; DROP TABLE workflow_versions; DROP TABLE walks; DROP TABLE run_nodes; DROP TABLE "
    "run_events; DROP TABLE dead_letters; "
    "CREATE TABLE kept_ready AS SELECT queue_key, rank, ready_us, schedule_key, slot, attempt FROM ready_tasks; DROP "
    "TABLE ready_tasks; "
    "CREATE TABLE ready_tasks (queue_key BIGINT NOT NULL, rank BIGINT NOT NULL, ready_us BIGINT NOT NULL, schedule_key "
    "BIGINT NOT NULL, "
    "slot BIGINT NOT NULL, attempt BIGINT NOT NULL, PRIMARY KEY (queue_key, rank, ready_us, schedule_key, slot)); "
    "INSERT INTO ready_tasks SELECT * FROM kept_ready; DROP TABLE kept_ready; "
    "CREATE TABLE kept_delayed AS SELECT ready_us, schedule_key, slot, queue_key, rank, attempt FROM delayed_tasks; "
    "DROP TABLE delayed_tasks; "
    "CREATE TABLE delayed_tasks (ready_us BIGINT NOT NULL, schedule_key BIGINT NOT NULL, slot BIGINT NOT NULL, "
    "queue_key BIGINT NOT NULL, "
    "rank BIGINT NOT NULL, attempt BIGINT NOT NULL, PRIMARY KEY (ready_us, schedule_key, slot)); "
    "INSERT INTO delayed_tasks SELECT * FROM kept_delayed; DROP TABLE kept_delayed; "
    "CREATE TABLE kept_leases AS SELECT schedule_key, slot, attempt, worker, since_us, until_us, queue_key FROM "
    "leases; DROP TABLE leases; "
    "CREATE TABLE leases (schedule_key BIGINT NOT NULL, slot BIGINT NOT NULL, attempt BIGINT NOT NULL, worker TEXT NOT "
    "NULL, "
    "since_us BIGINT NOT NULL, until_us BIGINT NOT NULL, queue_key BIGINT NOT NULL DEFAULT 0, PRIMARY KEY "
    "(schedule_key, slot)); "
    "INSERT INTO leases SELECT * FROM kept_leases; DROP TABLE kept_leases; "
    "DELETE FROM schema_migrations WHERE number > 4; ";

class Migrations : public ::testing::TestWithParam<std::string> {
protected:
    void run(const std::string& text) {
        must(database->write([&](Session& session) { return session.script(text); }), "change the ledger");
    }
    void go_back(const std::string& text) {
        run((GetParam() == "postgres" ? kWithoutPositions : kWithoutArchive) + text);
    }
    SchemaStatus status() { return must(schema_status(*database), "read the ledger"); }
    int newest() const { return migrations().back().number; }

    // What an operator reads when the store is opened; the empty text when it opens.
    std::string refusal() {
        const auto opened = open_store(place->open(), test::zones());
        if (opened) return {};
        EXPECT_EQ(opened.error().code, ErrorCode::corrupt);
        return opened.error().message;
    }

    std::unique_ptr<Place> place = new_place(GetParam());
    DatabasePtr database = place->open();
};
INSTANTIATE_TEST_SUITE_P(Every, Migrations, ::testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST_P(Migrations, PositionsOfTheFeedGoOn) {
    const auto schedule = test::task_schedule();
    std::int64_t before = 0;
    {
        const auto store = open_store_on(*place);
        must(store->registry().put_webhook("default", {.id = "w1", .url = "https://example.com"}), "put a webhook");
        must(test::create(*store, {schedule}, kNow), "create");
        must(store->registry().take_deliveries("default", "w1", kNow, 10), "take");
        before = must(store->registry().feed_bounds("default"), "read the feed").first;
    }
    go_back(kBackToTheEighth);
    // As a PostgreSQL that has come far gave them.
    if (GetParam() == "postgres")
        run("UPDATE feed SET position = position + 4503599627370496; UPDATE webhooks SET taken_position = "
            "taken_position + 4503599627370496");
    EXPECT_EQ(must(migrate_up(*database, kNow), "migrate"), newest() - 8);
    const auto store = open_store_on(*place);
    must(test::pause(*store, test::ref_of(schedule), kNow), "pause");
    EXPECT_GT(must(store->registry().feed_bounds("default"), "read the feed").first, before);
    EXPECT_EQ(must(store->registry().take_deliveries("default", "w1", kNow, 10), "take"), 1);
}

TEST_P(Migrations, BringAnEmptyDatabaseUpToDate) {
    EXPECT_EQ(status().version(), 0);
    const auto error = check_schema(status());
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("belfry migrate up"));

    const auto applied = migrate_up(*database, kNow);
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(*applied, newest());
    EXPECT_EQ(status().version(), newest());
    EXPECT_EQ(status().known, newest());
    EXPECT_EQ(status().applied.size(), migrations().size());
    EXPECT_EQ(status().applied.front().name, migrations().front().name);
    EXPECT_EQ(status().applied.front().applied_at, kNow);
    EXPECT_FALSE(check_schema(status()));
    EXPECT_EQ(refusal(), "");
}

TEST_P(Migrations, AreNumberedWithoutAGap) {
    int number = 0;
    for (const auto& migration : migrations()) EXPECT_EQ(migration.number, ++number);
}

TEST_P(Migrations, ApplyNothingTheSecondTime) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    const auto again = migrate_up(*database, kNow + Seconds{1});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, 0);
    EXPECT_EQ(status().applied.front().applied_at, kNow);
}

TEST_P(Migrations, AreMadeByAStoreThatIsOpenedOnAnEmptyDatabase) {
    EXPECT_EQ(refusal(), "");
    EXPECT_EQ(status().version(), newest());
    EXPECT_EQ(must(open_store(place->open(), test::zones()), "open")->tenants().value().size(), 1U)
        << "the default tenant, once";
}

TEST_P(Migrations, AreAppliedOnceWhenSeveralProgramsStartTogether) {
    constexpr int kPrograms = 4;
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
        const auto fresh = new_place(GetParam());
        std::vector<DatabasePtr> databases;
        for (int i = 0; i < kPrograms; ++i) databases.push_back(fresh->open());
        std::latch together(kPrograms);
        std::atomic<int> applied = 0;
        std::vector<std::thread> programs;
        for (auto& own : databases) {
            programs.emplace_back([&together, &applied, &own] {
                together.arrive_and_wait();
                const auto done = migrate_up(*own, kNow);
                EXPECT_TRUE(done) << done.error().message;
                if (done) applied += *done;
            });
        }
        for (auto& program : programs) program.join();
        EXPECT_EQ(applied, newest());
        EXPECT_FALSE(check_schema(must(schema_status(*databases.front()), "status")));
    }
}

TEST_P(Migrations, OpenAStoreForSeveralProgramsThatStartTogether) {
    constexpr int kPrograms = 4;
    std::latch together(kPrograms);
    std::vector<std::thread> programs;
    for (int i = 0; i < kPrograms; ++i) {
        programs.emplace_back([&] {
            auto own = place->open();
            together.arrive_and_wait();
            const auto opened = open_store(std::move(own), test::zones());
            EXPECT_TRUE(opened) << opened.error().message;
        });
    }
    for (auto& program : programs) program.join();
}

TEST_P(Migrations, OfANewerProgramAreRefusedByAnOlderOne) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    run("INSERT INTO schema_migrations (number, name, checksum, applied_us) VALUES (" + std::to_string(newest() + 1) +
        ", 'later', 'x', 0)");
    const auto error = check_schema(status());
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("use a newer belfry"));
    EXPECT_THAT(error->message, HasSubstr("version " + std::to_string(newest() + 1)));
    EXPECT_THAT(refusal(), HasSubstr("use a newer belfry"));
    const auto migrated = migrate_up(*database, kNow);
    ASSERT_FALSE(migrated);
    EXPECT_THAT(migrated.error().message, HasSubstr("use a newer belfry"));
    EXPECT_EQ(status().version(), newest() + 1) << "nothing was touched";
}

TEST_P(Migrations, ThatAreMissingAreNamedWithTheCommandThatAppliesThem) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    auto older = status();
    older.known += 1;  // as a program with one more step sees it
    const auto error = check_schema(older);
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("run `belfry migrate up`"));
    EXPECT_THAT(error->message, HasSubstr("needs " + std::to_string(newest() + 1)));
}

// A database that an older program made: the first step and nothing else.
TEST_P(Migrations, BringAnOlderDatabaseUpToDateWithWhatIsInIt) {
    const auto schedule = test::task_schedule([](auto& s) { s.target.kind = "it's \"quoted\""; });
    const auto named = [](const char* name) {
        return test::task_schedule([name](auto& s) {
            s.name = name;
            s.target.type = model::TargetType::workflow;
            s.target.kind = "flow";
        });
    };
    const auto flow = named("flow");
    const auto gone = named("gone");
    {
        const auto store = open_store_on(*place);
        must(test::create(*store, {schedule, flow, gone}, kNow), "create");
        must(test::remove(*store, test::ref_of(gone), kNow), "delete");
        must(test::tick(*store, kNow + std::chrono::hours{1}), "tick");
    }
    go_back(kBackToTheFourth);
    run("DROP INDEX schedules_by_target; ALTER TABLE schedules DROP COLUMN target_type; ALTER TABLE schedules DROP "
        "COLUMN target_kind; "
        "DROP TABLE tenant_counts; DROP TABLE requests; ALTER TABLE leases DROP COLUMN queue_key");
    run("DROP TABLE servers; DROP TABLE leadership; DROP TABLE api_keys; DROP TABLE feed; DROP TABLE feed_base; DROP "
        "TABLE webhooks; "
        "DROP TABLE deliveries; ALTER TABLE tenants DROP COLUMN followed_us; ALTER TABLE tenants DROP COLUMN webhooks; "
        "DELETE FROM schema_migrations WHERE number > 1");
    EXPECT_EQ(status().version(), 1);
    EXPECT_THAT(refusal(), HasSubstr("has schema version 1 and this program needs " + std::to_string(newest()) +
                                     ": run `belfry migrate up`"));
    EXPECT_EQ(status().version(), 1) << "opening a store changes nothing";

    const auto applied = migrate_up(*database, kNow + std::chrono::hours{2});
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(*applied, newest() - 1);
    EXPECT_EQ(refusal(), "");
    EXPECT_EQ(status().applied.at(1).name, "servers, leadership");
    EXPECT_EQ(status().applied.at(1).applied_at, kNow + std::chrono::hours{2});
    const auto store = open_store_on(*place);
    EXPECT_EQ(test::all_runs(*store, {.tenant = "default"}).size(), 2U);
    const auto names = [&store](const ScheduleFilter& filter) {
        std::vector<std::string> found;
        for (const auto& each : test::all_schedules(*store, filter)) found.push_back(each.definition.name);
        return found;
    };
    EXPECT_EQ(names({.tenant = "default", .target_kind = "it's \"quoted\""}), std::vector{schedule.name});
    EXPECT_EQ(names({.tenant = "default", .target_type = model::TargetType::workflow}), std::vector{flow.name});
    EXPECT_EQ(names({.tenant = "default", .status = model::ScheduleStatus::deleted, .target_kind = "flow"}),
              std::vector{gone.name});
    must(store->put_tenant({.name = "default", .schedules_max = 3, .version = 2}), "limit");
    must(test::create(*store, {named("third")}, kNow), "the deleted one does not count");
    EXPECT_EQ(test::create(*store, {named("fourth")}, kNow).error().code, ErrorCode::exhausted)
        << "and the old ones do";
    EXPECT_EQ(test::all_events(*store, test::ref_of(schedule)).size(), 2U);
    EXPECT_EQ(must(store->renew_membership({"a", kNow}), "renew_membership"), (ClusterView{{"a"}, "a", 1, kNow}));
    EXPECT_EQ(test::all_upcoming(*store).size(), 3U) << "those that may fire";
    EXPECT_EQ(must(store->remove_ended({.ended_before = kNow + Micros{1}}), "remove"), (RemovalOutcome{1}))
        << "and the one that was deleted";
}

// From the fifth step on, tasks that are ready, delayed or leased belong to nodes: theirs is the one without
// a name.
TEST_P(Migrations, KeepTheTasksThatAreUnderWayWhenTheyBelongToNodes) {
    using namespace std::chrono_literals;
    const auto ten = kNow + 1h;
    const auto named = [](const char* name) {
        return test::task_schedule([name](auto& s) {
            s.name = name;
            s.target.queue = name;
            s.retry = {3, 600'000ms, {}, {}};
        });
    };
    const auto ready = named("ready");
    const auto delayed = named("delayed");
    const auto leased = named("leased");
    const auto claim = [](Store& store, const std::string& queue, Instant now) {
        return must(
            store.claim({.tenant = "default", .queue = queue, .worker = "w", .limit = 10, .now = now, .lease = 1h}),
            "claim");
    };
    model::LeaseRef held;
    test::Snapshot before;
    {
        const auto store = open_store_on(*place);
        must(test::create(*store, {ready, delayed, leased}, kNow), "create");
        must(test::tick(*store, ten), "tick");
        must(test::complete(*store, {test::lease_of(claim(*store, "delayed", ten).front()), test::failed()}, ten),
             "complete");
        held = test::lease_of(claim(*store, "leased", ten).front());
        before = test::read_everything(*store, {"default"});
    }
    go_back(kBackToTheFourth);
    EXPECT_EQ(status().version(), 4);
    EXPECT_EQ(must(migrate_up(*database, ten), "migrate"), newest() - 4);

    const auto store = open_store_on(*place);
    auto after = test::read_everything(*store, {"default"});
    for (auto& walk : before.walks) walk.events.clear();  // a program of the fourth step kept none
    for (auto& lease : before.leases) lease.deadline.reset();
    EXPECT_EQ(test::difference(before, after), "");
    expect_sound_tables(*database);
    EXPECT_EQ(must(store->heartbeat(std::vector{held}, ten, ten + 2h), "heartbeat"), std::vector{held});
    must(test::complete(*store, {held, test::succeeded()}, ten + 1min), "complete");
    EXPECT_TRUE(claim(*store, "delayed", ten + 1min).empty()) << "not yet";
    for (const auto& schedule : {ready, delayed}) {
        const auto tasks = claim(*store, schedule.name, ten + 1h);
        ASSERT_EQ(tasks.size(), 1U) << schedule.name;
        EXPECT_EQ(tasks.front().attempt, schedule.name == "delayed" ? 2 : 1);
        EXPECT_EQ(tasks.front().node, "");
        must(test::complete(*store, {test::lease_of(tasks.front()), test::succeeded()}, ten + 1h), "complete");
    }
    for (const auto& run : test::all_runs(*store, {.tenant = "default"}))
        EXPECT_EQ(run.execution, model::ExecutionStatus::succeeded);
    expect_sound_tables(*database);
}

// Runs that wait already were asked for when they were decided.
TEST_P(Migrations, AskForTheRunsThatWaitForApproval) {
    using namespace std::chrono_literals;
    const auto ten = kNow + 1h;
    const auto waits = test::task_schedule(
        [](auto& s) { s.approval.requires_approval = true, s.overlap.policy = model::OverlapPolicy::allow_all; });
    std::string refused;
    {
        const auto store = open_store_on(*place);
        must(test::create(*store, {waits}, kNow), "create");
        must(test::tick(*store, ten), "tick");
        must(test::tick(*store, ten + 1h), "tick");
        refused = test::all_runs(*store, {.tenant = "default"}).front().id;
        must(test::judge(*store, test::ref_of(waits), refused, {false, "no"}, ten + 1h), "refuse");
    }
    go_back(kBackToTheFifth);
    EXPECT_EQ(must(migrate_up(*database, ten + 2h), "migrate"), newest() - 5);
    const auto store = open_store_on(*place);
    const auto pending = must(store->approvals({"default"}, {}), "list").items;
    ASSERT_EQ(pending.size(), 1U);
    const auto id = pending.front().run_id;
    EXPECT_NE(id, refused);
    EXPECT_EQ(pending.front(), (model::Approval{.run_id = id, .requested_at = ten, .expires_at = ten + 24h}));
    EXPECT_TRUE(must(store->approvals_of("default", {&refused, 1}), "read").empty());
    expect_sound_tables(*database);
    must(test::judge(*store, test::ref_of(waits), id, {true, "yes"}, ten + 2h), "approve");
    EXPECT_EQ(must(store->claim({.tenant = "default", .worker = "w", .limit = 10, .now = ten + 2h}), "claim").size(),
              1U);
}

// Until the ninth step two tenants whose names are UUIDs of version 7 had one key between them.
TEST_P(Migrations, GiveTenantsWithUuidsAsNamesKeysOfTheirOwn) {
    using namespace std::chrono_literals;
    const std::string one = "019a0000-0000-7000-8000-000000000001";
    const std::string two = "019a0000-0000-7000-8000-000000000002";
    const auto schedule = test::task_schedule([&](auto& s) { s.tenant = one, s.labels = {{"team", "a"}}; });
    test::Snapshot before;
    {
        const auto store = open_store_on(*place);
        must(store->put_tenant({.name = one}), "tenant");
        must(store->put_calendar(one, {{.name = "holidays", .dates = {"2026-06-02"}}, 1}), "calendar");
        must(test::create(*store, {schedule}, kNow), "create");
        must(test::tick(*store, kNow + 1h), "tick");
        before = test::read_everything(*store, {one});
    }
    for (const char* const table : {"tenants", "tenant_counts", "calendars", "schedules", "schedule_labels", "runs"}) {
        run("UPDATE " + std::string(table) + " SET tenant_key = " + std::to_string(model::key_of(one)) +
            " WHERE tenant_key = " + std::to_string(model::tenant_key(one)));
    }
    go_back(kBackToTheEighth);
    EXPECT_EQ(must(migrate_up(*database, kNow), "migrate"), newest() - 8);
    const auto store = open_store_on(*place);
    EXPECT_EQ(test::difference(before, test::read_everything(*store, {one})), "");
    must(store->put_tenant({.name = two}), "another tenant");
    EXPECT_TRUE(test::all_schedules(*store, {.tenant = two}).empty());
    expect_sound_tables(*database);
}

// The checksums stand in databases that people have: a step that was released stays as it is.
TEST_P(Migrations, FindInTheLedgerWhatConditionsAndTeamsLookAt) {
    using namespace std::chrono_literals;
    const auto schedule = test::task_schedule([](auto& s) {
        s.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
        s.assignee = {"team", "blue"};
    });
    {
        const auto store = open_store_on(*place);
        must(test::create(*store, {schedule}, kNow), "create");
        must(test::tick(*store, kNow + 1h), "tick");
        const auto task =
            must(store->claim({.tenant = "default", .worker = "w", .now = kNow + 1h, .assignee = "blue"}), "claim")
                .at(0);
        must(test::complete(*store, {test::lease_of(task), test::succeeded("kept")}, kNow + 1h), "complete");
    }
    go_back(kBackToTheEighth);
    EXPECT_EQ(must(migrate_up(*database, kNow), "migrate"), newest() - 8);
    const auto store = open_store_on(*place);
    decide::Facts seen;
    const auto looked = store->change(test::ref_of(schedule), {.now = kNow + 2h},
                                      [&](const decide::Facts& facts) -> Result<decide::Plan> {
                                          seen = facts;
                                          return Error{ErrorCode::conflict, "only looking"};
                                      });
    EXPECT_FALSE(looked);
    EXPECT_EQ(seen.prior_run_result, Json("kept"));
    EXPECT_EQ(seen.last_24h, (decide::RunStats{.succeeded = 1, .total = 1}));
    RunFilter filter{.tenant = "default"};
    filter.team = "blue";
    EXPECT_EQ(test::all_runs(*store, filter).size(), 1U);
}

TEST_P(Migrations, ThatWereReleasedAreNeverChanged) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    std::vector<std::string> checksums;
    for (const auto& applied : status().applied) checksums.push_back(applied.checksum.substr(0, 16));
    EXPECT_EQ(checksums, (std::vector<std::string>{"80e1cbbc054651a6", "610d7feebbe0e6c8", "baa992efe472b0ad",
                                                   "696a28c8c9117098", "ab7d6bb57db1253c", "d1c6c5d7c5e27fca",
                                                   "a0dbf402bff456c3", "2fc62ccf114ddfe7", "3024111589ff061e",
                                                   "d87ec336c51ec4c8", "9e8f87b9fb7b9c7f", "bb22666d6b7879cc"}));
}

TEST_P(Migrations, ThatWereTamperedWithAreRefused) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    run("UPDATE schema_migrations SET checksum = 'tampered' WHERE number = 1");
    const auto error = check_schema(status());
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("step 1"));
    EXPECT_THAT(refusal(), HasSubstr("step 1"));
    const auto migrated = migrate_up(*database, kNow);
    ASSERT_FALSE(migrated);
    EXPECT_THAT(migrated.error().message, HasSubstr("step 1"));
}

// What the ledger says is not what this program would have written.
TEST_P(Migrations, WithAGapInTheirRecordAreRefused) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    for (const auto* number : {"0", "-7"}) {
        run("UPDATE schema_migrations SET number = " + std::string(number) + " WHERE number < 2");
        EXPECT_THAT(check_schema(status()).value_or(Error{}).message, HasSubstr("lacks step 1"));
        EXPECT_THAT(refusal(), HasSubstr("lacks step 1"));
        EXPECT_FALSE(migrate_up(*database, kNow));
    }
}

// Tables without a ledger are somebody else's, or a ledger was lost: a person has to look.
TEST_P(Migrations, AreNotAppliedOverTablesThatAreThereAlready) {
    ASSERT_TRUE(migrate_up(*database, kNow));
    run("DELETE FROM schema_migrations");
    EXPECT_FALSE(open_store(place->open(), test::zones()));
    EXPECT_FALSE(migrate_up(*database, kNow));
    EXPECT_EQ(status().version(), 0);
}

// A step is whole or not there at all: one that fails leaves neither tables nor a line in the ledger.
TEST_P(Migrations, LeaveNothingOfAStepThatFails) {
    for (std::size_t call = 1;; ++call) {
        SCOPED_TRACE("call " + std::to_string(call) + " is refused");
        const auto fresh = new_place(GetParam());
        const auto inner = fresh->open();
        test::FaultyDatabase faulty(*inner, {call, test::CallFault::refused});
        const auto migrated = migrate_up(faulty, kNow);
        if (!faulty.struck()) {
            EXPECT_TRUE(migrated) << migrated.error().message;
            EXPECT_GT(call, 5U);
            break;
        }
        faulty.heal();
        const auto found = must(schema_status(*inner), "status");
        ASSERT_FALSE(migrated);
        EXPECT_EQ(migrated.error().code, ErrorCode::unavailable);
        const auto again = migrate_up(faulty, kNow);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(*again, newest() - found.version()) << "what was missing, and nothing twice";
        EXPECT_FALSE(check_schema(must(schema_status(*inner), "status")));
        EXPECT_TRUE(open_store(fresh->open(), test::zones()));
    }
}

}  // namespace
}  // namespace belfry::store::sql
