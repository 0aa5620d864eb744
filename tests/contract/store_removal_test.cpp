// Retention beyond runs: schedules that are over go in full but for their events, old versions go, and so does what
// only has an age.
#include "store/registry.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class RemovalContract : public StoreContract {
protected:
    // It has lived for two hours, with a run each, and was deleted at noon.
    model::Schedule create_deleted(const std::string& name = "gone", const test::Edit& edit = {}) {
        auto schedule = create_named(name, [&](auto& s) {
            s.labels = {{"team", "a"}};
            s.target.queue = name;
            if (edit) edit(s);
        });
        for (int hour = 0; hour < 2; ++hour) live_once(schedule, kTen + hour * 1h);
        EXPECT_TRUE(test::remove(*store, ref_of(schedule), kTen + 2h));
        return schedule;
    }
    void live_once(const model::Schedule& schedule, Instant now, const decide::AttemptEnd& end = test::succeeded()) {
        tick(now, {key_of(schedule)});
        for (const auto& task :
             store->claim({.tenant = "default", .queue = schedule.target.queue, .worker = "w", .limit = 9, .now = now})
                 .value()) {
            EXPECT_TRUE(test::complete(*store, {lease_of(task), end}, now));
        }
    }
    RemovalOutcome remove(RemovalRequest request = {.ended_before = kTen + 24h}) {
        const auto removed = store->remove_ended(request);
        EXPECT_TRUE(removed) << removed.error().message;
        return removed ? *removed : RemovalOutcome{-1};
    }
    bool exists(const model::Schedule& schedule) { return store->schedule(ref_of(schedule)).has_value(); }
};
INSTANTIATE_TEST_SUITE_P(Every, RemovalContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(RemovalContract, ADeletedScheduleGoesInFullButForItsEvents) {
    const auto other = create_named("other");
    const auto schedule = create_deleted();
    const auto before = everything(schedule);
    EXPECT_EQ(remove({.ended_before = kTen + 2h}), RemovalOutcome{}) << "not older than that";
    EXPECT_EQ(everything(schedule), before);
    EXPECT_EQ(remove(), (RemovalOutcome{1, 2}));
    reopen();
    EXPECT_EQ(code_of(store->schedule(ref_of(schedule))), ErrorCode::not_found);
    EXPECT_TRUE(store->schedules_by_keys("default", std::vector{key_of(schedule)}).value().empty());
    EXPECT_TRUE(store->peek_next_fires(std::vector{key_of(schedule)}).value().empty());
    EXPECT_EQ(code_of(store->runs({.tenant = "default", .schedule_id = schedule.id}, {})), ErrorCode::not_found);
    for (const auto& gone : before.runs) EXPECT_EQ(code_of(store->run("default", gone.id)), ErrorCode::not_found);
    EXPECT_TRUE(store->schedules({.tenant = "default", .status = ScheduleStatus::deleted}, {}).value().items.empty());
    EXPECT_EQ(store->schedules({.tenant = "default", .newest_first = true}, {}).value().items.size(), 1U);
    EXPECT_TRUE(store->schedules({.tenant = "default", .label = {{"team", "a"}}}, {}).value().items.empty());
    EXPECT_EQ(events(schedule), before.events) << "its history is read by its id";
    EXPECT_EQ(code_of(store->events({.tenant = "another", .id = schedule.id}, 0, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->events({.tenant = "default", .name = schedule.name}, 0, 10)), ErrorCode::not_found);
    EXPECT_TRUE(exists(other));
    EXPECT_EQ(remove(), RemovalOutcome{}) << "once";
    EXPECT_EQ(code_of(store->change(ref_of(schedule), {.now = kTen}, [](const Facts&) { return Plan{}; })),
              ErrorCode::not_found);
    EXPECT_EQ(tick(kTen + 3h, {key_of(schedule)}).plans.size(), 0U);
}

TEST_P(RemovalContract, AnIdIsNeverGivenOutAgainButANameIs) {
    const auto schedule = create_deleted();
    ASSERT_EQ(remove().schedules, 1);
    EXPECT_EQ(code_of(test::create(*store, {schedule}, kTen + 25h)), ErrorCode::already_exists);
    const auto again = create_named(schedule.name);
    EXPECT_NE(again.id, schedule.id);
    EXPECT_EQ(events(again).size(), 1U);
}

TEST_P(RemovalContract, AStartWithoutAScheduleGoesWhetherItRanOrWasSkipped) {
    const auto once = [](auto& s) {
        s.labels = {{model::kImmediateLabel, "task"}};
        s.spec = {.at = {"2026-06-01T10:00:00Z"}};
        s.max_runs = 1;
    };
    const auto ran = create_named("ran", once);
    live_once(ran, kTen);
    ASSERT_EQ(state(ran).status, ScheduleStatus::deleted) << "with its only run";
    const auto skipped = create_named("skipped", [&](auto& s) {
        once(s);
        s.calendars = {"weekends-only"};
    });
    tick(kTen, {key_of(skipped)});
    ASSERT_EQ(state(skipped).status, ScheduleStatus::deleted) << "with its only occurrence";
    const auto somebodys = create_named("somebodys", [&](auto& s) {
        once(s);
        s.calendars = {"weekends-only"};
        s.labels.clear();
    });
    tick(kTen, {key_of(somebodys)});
    ASSERT_EQ(state(somebodys).status, ScheduleStatus::completed);
    const auto before = events(skipped);
    EXPECT_EQ(remove(), (RemovalOutcome{2, 2}));
    EXPECT_FALSE(exists(ran));
    EXPECT_FALSE(exists(skipped));
    EXPECT_TRUE(exists(somebodys)) << "a completed schedule stays until somebody deletes it";
    EXPECT_EQ(events(skipped), before);
    EXPECT_TRUE(test::remove(*store, ref_of(somebodys), kTen + 1h));
    EXPECT_EQ(remove().schedules, 1);
}

TEST_P(RemovalContract, ASkippedStartFreesItsPlaceOfTheTenantAtOnce) {
    ASSERT_TRUE(store->put_tenant({.name = "acme", .schedules_max = 1}));
    const auto skipped = create_named("skipped", [](auto& s) {
        s.tenant = "acme";
        s.labels = {{model::kImmediateLabel, "task"}};
        s.spec = {.at = {"2026-06-01T10:00:00Z"}};
        s.calendars = {"weekends-only"};
    });
    tick(kTen, {key_of(skipped)});
    const auto next = task_schedule([](auto& s) { s.tenant = "acme"; });
    EXPECT_EQ(store->usage("acme", kTen).value().schedules, 0);
    EXPECT_TRUE(test::create(*store, {next}, kTen));
    EXPECT_EQ(remove().schedules, 1);
    EXPECT_EQ(store->usage("acme", kTen).value().schedules, 1) << "it is not counted off twice";
}

TEST_P(RemovalContract, WhatIsInFlightIsWaitedFor) {
    auto schedule = create_named("busy", [](auto& s) { s.overlap.policy = OverlapPolicy::buffer_all; });
    tick(kTen);
    const auto task = claim_one(kTen);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 1min));
    EXPECT_EQ(remove(), RemovalOutcome{});
    EXPECT_TRUE(exists(schedule));
    ASSERT_TRUE(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + 2min));
    EXPECT_EQ(remove(), (RemovalOutcome{1, 1}));
}

TEST_P(RemovalContract, ADeadLetterThatIsToBeKeptKeepsItsScheduleAndItsRun) {
    auto schedule = create_named("broken", [](auto& s) { s.target.queue = "broken"; });
    live_once(schedule, kTen, test::failed());
    live_once(schedule, kTen + 1h);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 2h));
    EXPECT_EQ(remove({.ended_before = kTen + 24h, .keep_letters_since = kTen}), (RemovalOutcome{0, 1}));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 failed"}));
    EXPECT_EQ(test::all_dead_letters(*store, "default", 10).size(), 1U);
    EXPECT_EQ(remove({.ended_before = kTen + 24h, .keep_letters_since = kTen + Micros{1}}), (RemovalOutcome{1, 1}));
    EXPECT_TRUE(test::all_dead_letters(*store, "default", 10).empty());
}

TEST_P(RemovalContract, GoesOnWhereTheLimitWasReachedTheLongestOverFirst) {
    const auto first = create_deleted("first");
    const auto second = create_named("second", [](auto& s) { s.target.queue = "second"; });
    for (int hour = 0; hour < 5; ++hour) live_once(second, kTen + hour * 1h);
    ASSERT_TRUE(test::remove(*store, ref_of(second), kTen + 6h));
    RemovalRequest request{.ended_before = kTen + 24h, .limit = 3};
    const auto step = remove(request);
    EXPECT_EQ(step, (RemovalOutcome{1, 3, EndedPlace{kTen + 2h, key_of(first)}}));
    request.after = *step.next_after;
    EXPECT_EQ(remove(request), (RemovalOutcome{0, 3, request.after})) << "up to the limit";
    EXPECT_EQ(remove(request), (RemovalOutcome{1, 1}));
    EXPECT_FALSE(exists(second));
}

TEST_P(RemovalContract, LooksAtSoManySchedulesAtOnce) {
    std::vector<model::Schedule> all;
    for (const char* const name : {"a", "b", "c"}) all.push_back(create_deleted(name));
    RemovalRequest request{.ended_before = kTen + 24h, .schedules = 2};
    const auto step = remove(request);
    EXPECT_EQ(step.schedules, 2);
    ASSERT_TRUE(step.next_after);
    request.after = *step.next_after;
    EXPECT_EQ(remove(request), (RemovalOutcome{1, 2}));
}

TEST_P(RemovalContract, RequestKeysOfWhatWasRemovedAreForgotten) {
    const auto schedule = create_named("asked");
    const auto backfill = test::new_backfill(schedule, kNine - 2h, kNine - 1h - 1min, kTen);
    ASSERT_TRUE(store->create_backfill("default", backfill, model::RequestKey{.key = "k", .fingerprint = "f"}));
    ASSERT_TRUE(test::step(*store, "default", backfill, kTen, 100));
    finish(kTen);
    ASSERT_TRUE(store->request("default", "k"));
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 2h));
    ASSERT_EQ(remove().schedules, 1);
    EXPECT_EQ(code_of(store->request("default", "k")), ErrorCode::not_found);
}

TEST_P(RemovalContract, TheFeedStillSaysWhatHappenedToWhatWasRemoved) {
    ASSERT_TRUE(store->registry().follow("default", kTen + 24h));
    const auto schedule = create_deleted();
    const auto before = store->registry().feed("default", 0, 100).value();
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(remove().schedules, 1);
    EXPECT_EQ(store->registry().feed("default", 0, 100).value(), before);
}

TEST_P(RemovalContract, TheArchiveIsForgottenWhenTheOperatorSaysSo) {
    const auto schedule = create_deleted();
    const auto living = create_named("living");
    const auto kept = events(living);
    ASSERT_EQ(remove().schedules, 1);
    const auto count = static_cast<std::int64_t>(events(schedule).size());
    EXPECT_EQ(store->prune_archive(kTen + 2h, 100).value(), 0) << "it had not ended before";
    EXPECT_EQ(store->prune_archive(kTen + 3h, 2).value(), 2) << "no more than the limit";
    EXPECT_EQ(store->prune_archive(kTen + 3h, 100).value(), count - 2 + 1) << "the other events, and whose they were";
    EXPECT_EQ(code_of(store->events(ref_of(schedule), 0, 10)), ErrorCode::not_found);
    EXPECT_EQ(store->prune_archive(kTen + 3h, 100).value(), 0);
    EXPECT_EQ(events(living), kept);
}

// --- versions

TEST_P(RemovalContract, VersionsThatNeitherTheScheduleNorARunNeedsAreForgotten) {
    const auto schedule = create_named("changing", [](auto& s) { s.target.queue = "changing"; });
    live_once(schedule, kTen);  // by version 1
    const auto describe = [&](const std::string& text, Instant now) {
        ASSERT_TRUE(test::update(*store, ref_of(schedule), now, [&](auto& s) { s.description = text; }));
    };
    describe("second", kTen + 1min);
    describe("third", kTen + 2min);
    live_once(schedule, kTen + 1h);  // by version 3
    describe("fourth", kTen + 1h + 1min);
    live_once(schedule, kTen + 2h);
    describe("fifth", kTen + 2h + 1min);
    EXPECT_EQ(store->prune_some({}).value(), (PruneOutcome{0, std::nullopt, 1})) << "the second";
    EXPECT_EQ(store->prune_some({}).value(), PruneOutcome{});
    const auto runs_before = runs(schedule);
    EXPECT_EQ(runs_before.size(), 3U);
    EXPECT_EQ(store->prune_some({.retention = {.keep_newest = 1}}).value(), (PruneOutcome{2, std::nullopt, 2}))
        << "with the runs that needed them";
    reopen();
    EXPECT_EQ(record(schedule).definition.version, 5);
    EXPECT_EQ(runs(schedule).front(), runs_before.front());
    describe("sixth", kTen + 3h);
    EXPECT_EQ(record(schedule).definition.version, 6);
}

TEST_P(RemovalContract, VersionsAreForgottenOnlyUpToTheLimit) {
    const auto schedule = create_named("changing");
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen, [&](auto& s) { s.description = std::to_string(i); }));
    }
    EXPECT_EQ(store->prune_some({.limit = 2}).value().definitions, 2);
    EXPECT_EQ(store->prune_some({.limit = 2}).value().definitions, 2);
    EXPECT_EQ(store->prune_some({.limit = 2}).value().definitions, 1);
}

// --- runs that somebody still needs

TEST_P(RemovalContract, RunsStayWhileABackfillDecidesByThem) {
    const auto schedule = create_named("filled", [](auto& s) { s.target.queue = "filled"; });
    for (int hour = 0; hour < 4; ++hour) live_once(schedule, kTen + hour * 1h);
    auto backfill = test::new_backfill(schedule, kTen, kTen + 3h, kTen + 4h);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    const Retention all{.occurred_before = kTen + 24h};
    EXPECT_EQ(store->prune(ref_of(schedule), all, 100).value(), 0);
    EXPECT_EQ(store->prune_some({.retention = all}).value().removed, 0);
    const auto stepped = test::step(*store, "default", backfill, kTen + 4h, 100);
    ASSERT_TRUE(stepped);
    EXPECT_EQ(stepped->backfill.dispatched, 0) << "all of them have run";
    EXPECT_EQ(store->prune(ref_of(schedule), all, 100).value(), 3) << "it is over";
}

TEST_P(RemovalContract, ADeadLetterKeepsItsRunForAsLongAsItIsToBeKept) {
    const auto schedule = create_named("broken", [](auto& s) { s.target.queue = "broken"; });
    live_once(schedule, kTen, test::failed());
    for (int hour = 1; hour < 3; ++hour) live_once(schedule, kTen + hour * 1h);
    Retention retention{.occurred_before = kTen + 24h, .keep_letters_since = kTen};
    EXPECT_EQ(store->prune_some({.retention = retention}).value().removed, 1);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 failed", "12:00 succeeded"}));
    EXPECT_EQ(store->prune(ref_of(schedule), retention, 10).value(), 0);
    EXPECT_EQ(store->prune_letters(kTen, 10).value(), 0) << "it did not fail before";
    EXPECT_EQ(store->prune_letters(kTen + 1h, 10).value(), 1);
    EXPECT_TRUE(test::all_dead_letters(*store, "default", 10).empty());
    EXPECT_EQ(store->prune(ref_of(schedule), retention, 10).value(), 1) << "nobody waits for it any more";
}

// --- what only has an age

TEST_P(RemovalContract, BackfillsThatAreOverAreForgottenOldestFirst) {
    const auto schedule = create_named("filled", [](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    std::vector<std::string> ids;
    for (int i = 0; i < 2; ++i) {
        auto backfill = test::new_backfill(schedule, kNine - (i + 2) * 1h, kNine - (i + 1) * 1h - 1min, kTen + i * 1h);
        ASSERT_TRUE(store->create_backfill("default", backfill));
        ASSERT_TRUE(test::step(*store, "default", backfill, kTen + i * 1h, 100));
        ids.push_back(backfill.id);
    }
    const auto open = test::new_backfill(schedule, kNine - 9h, kNine - 8h, kTen);
    ASSERT_TRUE(store->create_backfill("default", open));
    EXPECT_EQ(store->prune_backfills(kTen, 10).value(), 0);
    EXPECT_EQ(store->prune_backfills(kTen + 24h, 1).value(), 1);
    EXPECT_EQ(code_of(store->backfill("default", ids[0])), ErrorCode::not_found);
    EXPECT_EQ(store->prune_backfills(kTen + 24h, 10).value(), 1);
    EXPECT_EQ(store->backfills(ref_of(schedule)).value(), std::vector{open});
}

TEST_P(RemovalContract, DaysOfTenantsAreForgottenWithThoseOfAssignees) {
    ASSERT_TRUE(store->put_tenant({.name = "acme", .runs_per_day = 1}));
    const auto schedule = create_named("counted", [](auto& s) {
        s.tenant = "acme";
        s.overlap.policy = OverlapPolicy::allow_all;
    });
    tick(kTen, {key_of(schedule)});
    const auto today = model::day_of(kTen);
    EXPECT_EQ(store->prune_budgets(today, 10).value(), 0);
    tick(kTen + 1h, {key_of(schedule)});
    EXPECT_EQ(run_lines(schedule).back(), "11:00 skipped budget_exceeded");
    EXPECT_EQ(store->prune_budgets(today + std::chrono::days{1}, 10).value(), 1);
    tick(kTen + 2h, {key_of(schedule)});
    EXPECT_EQ(run_lines(schedule).back(), "12:00 queued") << "what was forgotten does not count";
}

TEST_P(RemovalContract, KeysThatWereRevokedOrRanOutAreForgottenButNeverTheNewest) {
    auto& registry = store->registry();
    const auto add = [&](const std::string& id, Instant created, std::optional<Instant> expires = {}) {
        ASSERT_TRUE(
            registry.add_key({.id = id, .name = id, .hash = "h", .created_at = created, .expires_at = expires}));
    };
    add("revoked", kNine);
    add("expired", kNine + 1s, kTen);
    add("good", kNine + 2s);
    add("newest", kNine + 3s);
    ASSERT_TRUE(registry.revoke_key("revoked", kTen));
    ASSERT_TRUE(registry.revoke_key("newest", kTen));
    EXPECT_EQ(registry.prune_keys(kTen, 10).value(), 0);
    EXPECT_EQ(registry.prune_keys(kTen + 1s, 1).value(), 1);
    EXPECT_EQ(registry.prune_keys(kTen + 1s, 10).value(), 1);
    EXPECT_EQ(registry.prune_keys(kTen + 1s, 10).value(), 0);
    std::vector<std::string> left;
    for (const auto& key : registry.keys().value()) left.push_back(key.id);
    EXPECT_EQ(left, (std::vector<std::string>{"good", "newest"})) << "without any key the server would ask nobody";
}

TEST_P(RemovalContract, VersionsOfWorkflowsStayThatARunWalksOrAScheduleNames) {
    auto diamond = test::diamond();
    diamond.version = 0;
    for (int version = 1; version <= 6; ++version) {
        ASSERT_EQ(store->put_workflow(diamond).value(), version);
        if (version != 2) continue;
        auto walking = test::workflow_schedule();
        ASSERT_TRUE(test::create(*store, {walking}, kNine));
        tick(kTen, {key_of(walking)});  // walks the second
        ASSERT_TRUE(test::remove(*store, ref_of(walking), kTen + 1min));
    }
    auto pinned = test::workflow_schedule([](auto& s) {
        s.name = "pinned";
        s.target.version = 3;
    });
    ASSERT_TRUE(test::create(*store, {pinned}, kNine));
    EXPECT_EQ(store->prune_workflows(0, 6, 100).value().removed, 0);
    EXPECT_EQ(store->prune_workflows(0, 2, 100).value(), (PruneOutcome{2})) << "the first and the fourth";
    for (const int version : {1, 4}) EXPECT_FALSE(store->workflow("default", diamond.name, version)) << version;
    for (const int version : {2, 3, 5, 6}) EXPECT_TRUE(store->workflow("default", diamond.name, version)) << version;
    EXPECT_EQ(store->prune_workflows(0, 2, 100).value(), PruneOutcome{});
    EXPECT_EQ(store->put_workflow(diamond).value(), 7);
}

// --- the living are found without the dead

TEST_P(RemovalContract, CursorsAreThoseOfSchedulesThatMayFire) {
    const auto active = create_named("active");
    const auto deleted = create_deleted("deleted");
    const auto paused = create_named("paused");
    ASSERT_TRUE(test::pause(*store, ref_of(paused), kTen));
    const auto once = create_named("once", [](auto& s) { s.spec = {.at = {"2026-06-01T10:00:00Z"}}; });
    live_once(once, kTen);
    ASSERT_EQ(state(once).status, ScheduleStatus::completed);
    std::vector<std::int64_t> keys;
    for (const auto& each : store->upcoming(0, 10).value()) keys.push_back(each.key);
    EXPECT_EQ(keys, std::vector{key_of(active)});
    ASSERT_TRUE(
        test::update(*store, ref_of(once), kTen + 1h, [](auto& s) { s.spec = {.at = {"2026-06-02T10:00:00Z"}}; }));
    ASSERT_TRUE(test::resume(*store, ref_of(paused), kTen + 1h));
    keys.clear();
    for (const auto& each : store->upcoming(0, 10).value()) keys.push_back(each.key);
    EXPECT_EQ(keys, (std::vector{key_of(active), key_of(paused), key_of(once)}))
        << "whoever lives again is found again";
}

}  // namespace
}  // namespace belfry::store
