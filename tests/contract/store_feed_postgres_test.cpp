// The feed on PostgreSQL, where transactions commit in any order, others use the same cluster, and data is moved.
#include <atomic>
#include <latch>
#include <thread>

#include "decide/explain/feed.hpp"
#include "store/registry.hpp"
#include "store_contract.hpp"
#include "store_faults.hpp"
#include "support/fakes/tcp_proxy.hpp"

namespace belfry::store {
namespace {

using model::FeedItem;

constexpr int kPostgresLooks = 10'000;  // before what should happen counts as missing

class FeedOnPostgres : public ::testing::Test {
protected:
    void SetUp() override {
        must(store->registry().follow("default", kNine + 24h), "follow");
        for (const auto& each : {first, second}) must(test::create(*store, {each}, kNine), "create");
        begin = settled(2).back().position;
    }
    std::vector<FeedItem> settled(std::size_t count, std::int64_t after = 0) {
        std::vector<FeedItem> items;
        for (int i = 0; i < kPostgresLooks && items.size() < count; ++i)
            items = must(store->registry().feed("default", after, 100), "feed");
        EXPECT_GE(items.size(), count);
        return items;
    }

    // Pauses the schedule; `meanwhile` happens inside of its transaction.
    Result<decide::Plan> pause_while(const model::Schedule& schedule, const std::function<void()>& meanwhile) {
        return store->change(ref_of(schedule), {.now = kTen}, [&](const Facts& facts) {
            meanwhile();
            return decide::plan_pause(facts, {}, kTen, {});
        });
    }

    const PostgresPlace place;
    std::unique_ptr<Store> store = open_store_on(place);
    const model::Schedule first = task_schedule([](auto& s) { s.name = "first"; });
    const model::Schedule second = task_schedule([](auto& s) { s.name = "second"; });
    std::int64_t begin = 0;
};

TEST_F(FeedOnPostgres, WhatBeganBeforeAndCommitsLaterIsNotLost) {
    const auto other = open_store_on(place);
    std::vector<FeedItem> read;
    must(pause_while(first,
                     [&] {
                         must(test::pause(*other, ref_of(second), kTen), "pause");
                         read = must(other->registry().feed("default", begin, 100), "feed");
                     }),
         "pause");
    ASSERT_EQ(read.size(), 1U) << "who has no position yet will get a later one";
    EXPECT_EQ(read[0].schedule_id, second.id);
    const auto items = settled(1, read[0].position);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].schedule_id, first.id);
}

TEST_F(FeedOnPostgres, WhatBeganLaterDoesNotHoldUpWhatCommitsBefore) {
    std::latch early_has_begun(1);
    std::latch early_may_end(1);
    std::thread early([&] {
        must(pause_while(first,
                         [&] {
                             early_has_begun.count_down();
                             early_may_end.wait();
                         }),
             "pause");
    });
    early_has_begun.wait();
    std::int64_t last = 0;
    must(pause_while(second,
                     [&] {
                         early_may_end.count_down();
                         early.join();
                         const auto items = settled(1, begin);
                         ASSERT_EQ(items.size(), 1U);
                         EXPECT_EQ(items[0].schedule_id, first.id);
                         last = items[0].position;
                     }),
         "pause");
    const auto items = settled(1, last);
    ASSERT_EQ(items.size(), 1U) << "the other one comes after what the reader has seen";
    EXPECT_EQ(items[0].schedule_id, second.id);
}

TEST_F(FeedOnPostgres, SeveralPlansOfOneTransactionHavePositionsInTheirOrder) {
    // Both endings concern one schedule, so they are decided one after the other.
    const auto busy =
        task_schedule([](auto& s) { s.name = "busy", s.overlap.policy = model::OverlapPolicy::allow_all; });
    must(test::create(*store, {busy}, kNine), "create");
    must(test::trigger(*store, ref_of(busy), kTen), "trigger");
    must(test::trigger(*store, ref_of(busy), kTen + 1s), "trigger");
    const auto tasks = must(store->claim({.tenant = "default", .worker = "w", .limit = 2, .now = kTen + 2s}), "claim");
    ASSERT_EQ(tasks.size(), 2U);
    const auto before = settled(5).back().position;
    must(test::complete(*store,
                        std::vector<AttemptReport>{{lease_of(tasks[0]), test::succeeded()},
                                                   {lease_of(tasks[1]), test::succeeded()}},
                        kTen + 3s),
         "end");
    const auto items = settled(2, before);
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].run_id, tasks[0].run_id);
    EXPECT_EQ(items[1].run_id, tasks[1].run_id);
    EXPECT_GT(items[1].position, items[0].position);
}

// The ids of transactions begin anew where a dump is restored. Here it looks as if this had been written by a server
// that had come much further.
TEST_F(FeedOnPostgres, GoesOnAfterADumpWasRestoredElsewhere) {
    constexpr std::int64_t kFurther = std::int64_t{1} << 50;
    must(store->registry().put_webhook("default", {.id = "w1", .url = "https://example.com"}), "put a webhook");
    must(test::pause(*store, ref_of(first), kTen), "pause");
    settled(3);
    test::run_sql(place.url(), "UPDATE feed SET position = position + " + std::to_string(kFurther));
    test::run_sql(place.url(), "UPDATE webhooks SET taken_position = taken_position + " + std::to_string(kFurther));
    store = open_store_on(place);
    const auto old = settled(3);
    ASSERT_EQ(old.size(), 3U);
    EXPECT_GT(old.back().position, kFurther);
    must(test::pause(*store, ref_of(second), kTen), "pause");
    const auto fresh = settled(1, old.back().position);
    ASSERT_EQ(fresh.size(), 1U);
    EXPECT_EQ(fresh[0].schedule_id, second.id);
    EXPECT_EQ(must(store->registry().take_deliveries("default", "w1", kTen, 100), "take"), 2);
    const auto position = fresh[0].position;
    store = open_store_on(place);
    EXPECT_EQ(settled(4).back().position, position) << "opening once more changes nothing";
}

// Whether it becomes true within so many looks.
template <typename Condition>
bool becomes_true(const Condition& condition) {
    for (int i = 0; i < kPostgresLooks; ++i) {
        if (condition()) return true;
        std::this_thread::yield();
    }
    return false;
}

TEST_F(FeedOnPostgres, ATransactionOfAnotherProgramHoldsUpNothing) {
    for (const auto& url : {place.url(), test::shared_cluster().new_database()}) {
        const auto foreign = sql::open_postgres({.url = url});
        must(foreign->write([&](sql::Session& session) -> Result<void> {
            if (auto begun = session.script("SELECT pg_current_xact_id()"); !begun) return begun;
            must(url == place.url() ? test::pause(*store, ref_of(first), kTen)
                                    : test::resume(*store, ref_of(first), kTen + 1s),
                 "change");
            const auto items = must(store->registry().feed("default", begin, 100), "feed");
            EXPECT_EQ(items.size(), url == place.url() ? 1U : 2U) << url;
            return {};
        }),
             "a transaction of another program");
    }
}

// A deletion tells its item and then waits for the count of its tenant, which this test holds: it has its position, and
// is not over.
class HeldUpDeletion : public FeedOnPostgres {
protected:
    void hold_up(const std::function<void()>& meanwhile) {
        const auto holder = place.open();
        std::thread deletion;
        must(holder->write([&](sql::Session& session) -> Result<void> {
            if (auto locked = session.script("SELECT 1 FROM tenant_counts FOR UPDATE"); !locked) return locked;
            deletion = std::thread([this] { deleted = test::remove(*store, ref_of(first), kTen).has_value(); });
            EXPECT_TRUE(becomes_true([&] { return waiting() == "1"; }));
            meanwhile();
            return {};
        }),
             "hold the tenant");
        deletion.join();
    }
    std::string waiting() const {
        return test::query_sql(
            place.url(),
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    }

    bool deleted = false;
};

TEST_F(HeldUpDeletion, WhatHasAPositionAndIsNotOverIsWaitedFor) {
    const auto other = open_store_on(place);
    hold_up([&] {
        must(test::pause(*other, ref_of(second), kTen), "pause");
        EXPECT_EQ(must(other->registry().feed("default", begin, 100), "feed"), std::vector<FeedItem>{})
            << "it is committed, but something may still come before it";
    });
    EXPECT_TRUE(deleted);
    const auto items = settled(2, begin);
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].schedule_id, first.id);
    EXPECT_EQ(items[1].schedule_id, second.id);
}

TEST_F(HeldUpDeletion, AWriterThatDiesHoldsUpNothing) {
    const auto other = open_store_on(place);
    hold_up([&] {
        must(test::pause(*other, ref_of(second), kTen), "pause");
        test::run_sql(place.url(),
                      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                      "AND wait_event_type = 'Lock'");
        const auto items = settled(1, begin);
        ASSERT_EQ(items.size(), 1U);
        EXPECT_EQ(items[0].schedule_id, second.id);
    });
    EXPECT_FALSE(deleted);
}

TEST_F(FeedOnPostgres, NothingEverAppearsBeforeAPositionThatAReaderWasGiven) {
    constexpr int kWriters = 4;
    constexpr int kChanges = 40;
    std::vector<model::Schedule> schedules;
    for (int i = 0; i < kWriters; ++i) {
        schedules.push_back(task_schedule([&](auto& s) { s.name = "racing-" + std::to_string(i); }));
        must(test::create(*store, {schedules.back()}, kNine), "create");
    }
    begin = settled(2 + kWriters).back().position;
    std::atomic<int> writing = kWriters;
    std::vector<std::thread> writers;
    for (const auto& schedule : schedules) {
        writers.emplace_back([&, own = open_store_on(place)] {
            for (int i = 0; i < kChanges; ++i) {
                must(
                    i % 2 == 0 ? test::pause(*own, ref_of(schedule), kTen) : test::resume(*own, ref_of(schedule), kTen),
                    "change");
            }
            --writing;
        });
    }
    std::vector<FeedItem> read;
    const auto read_on = [&] {
        const auto some =
            must(store->registry().feed("default", read.empty() ? begin : read.back().position, 7), "feed");
        read.insert(read.end(), some.begin(), some.end());
        return !some.empty();
    };
    while (writing > 0) read_on();
    for (auto& each : writers) each.join();
    while (read_on()) continue;
    EXPECT_EQ(read.size(), std::size_t{kWriters * kChanges});
    EXPECT_EQ(read, must(store->registry().feed("default", begin, 1'000), "feed"))
        << "a reader who goes on from its last position misses nothing";
}

// --- whoever begins to follow

class BeginsToFollow : public ::testing::Test {
protected:
    // A pause has looked whether its tenant is followed, and is not over yet, when `follow` is called. Either that
    // waits, or what is committed after it has returned is in the feed.
    void race(const std::function<void(Store&)>& follow) {
        must(test::create(*store, {schedule}, kNine), "create");
        std::atomic<bool> returned = false;
        bool returned_before = false;
        std::thread follower;
        must(store->change(ref_of(schedule), {.now = kTen},
                           [&](const Facts& facts) {
                               follower = std::thread([&] {
                                   follow(*store);
                                   returned = true;
                               });
                               EXPECT_TRUE(becomes_true([&] { return returned || waits(); }));
                               returned_before = returned;
                               return decide::plan_pause(facts, {}, kTen, {});
                           }),
             "pause");
        follower.join();
        const auto items = must(store->registry().feed("default", 0, 100), "feed");
        EXPECT_TRUE(!returned_before || items.size() == 1)
            << "committed after the follower was told that it follows, and not in the feed";
        must(test::resume(*store, ref_of(schedule), kTen + 1s), "resume");
        EXPECT_TRUE(becomes_true(
            [&] { return must(store->registry().feed("default", 0, 100), "feed").size() > items.size(); }));
    }
    [[nodiscard]] bool waits() const {
        return test::query_sql(
                   place.url(),
                   "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' "
                   "AND query LIKE '%await_deciders%' AND pid <> pg_backend_pid()") != "0";
    }

    const PostgresPlace place;
    std::unique_ptr<Store> store = open_store_on(place);
    const model::Schedule schedule = task_schedule();
};

TEST_F(BeginsToFollow, GetsWhatIsCommittedAfterItBegan) {
    race([](Store& each) { must(each.registry().follow("default", kNine + 24h), "follow"); });
}

TEST_F(BeginsToFollow, AsAWebhookGetsWhatIsCommittedAfterItWasMade) {
    race([](Store& each) {
        must(each.registry().put_webhook("default", {.id = "w1", .url = "https://example.com"}), "put a webhook");
    });
}

// --- data that is moved under a server that goes on

TEST_F(FeedOnPostgres, GoesOnWhenItsDataIsReplacedWhileTheServerRuns) {
    constexpr std::int64_t kFurther = std::int64_t{1} << 50;
    must(store->registry().put_webhook("default", {.id = "w1", .url = "https://example.com"}), "put a webhook");
    test::run_sql(place.url(), "UPDATE feed SET position = position + " + std::to_string(kFurther));
    test::run_sql(place.url(), "UPDATE webhooks SET taken_position = taken_position + " + std::to_string(kFurther));
    test::run_sql(place.url(),
                  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                  "AND pid <> pg_backend_pid()");
    EXPECT_TRUE(becomes_true([&] { return test::pause(*store, ref_of(second), kTen).has_value(); }));
    const auto fresh = settled(1, begin + kFurther);
    ASSERT_EQ(fresh.size(), 1U);
    EXPECT_EQ(fresh[0].schedule_id, second.id);
    EXPECT_EQ(must(store->registry().take_deliveries("default", "w1", kTen, 100), "take"), 1);
}

TEST(FeedOnTwoClusters, GoesOnWhereADumpIsRestoredWhileTheServerRuns) {
    const test::PostgresCluster before;
    const test::PostgresCluster after;
    const auto old_url = before.url("moving");
    test::run_sql(before.url(), "CREATE DATABASE moving");
    test::run_sql(after.url(), "CREATE DATABASE moving");
    // The ids of transactions are far ahead of those where the dump is restored.
    test::run_sql(before.url(),
                  "CREATE TABLE used (n int); DO $$ BEGIN FOR i IN 1 .. 20000 LOOP BEGIN INSERT INTO used VALUES (i); "
                  "EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END $$");
    test::TcpProxy proxy(before.port());
    const PostgresPlace place("postgres://postgres@127.0.0.1:" + std::to_string(proxy.port()) + "/moving");
    const auto store = open_store_on(place);
    const auto schedule = task_schedule();
    must(store->registry().put_webhook("default", {.id = "w1", .url = "https://example.com"}), "put a webhook");
    must(test::create(*store, {schedule}, kNine), "create");
    EXPECT_TRUE(
        becomes_true([&] { return must(store->registry().take_deliveries("default", "w1", kTen, 100), "take") == 1; }));
    test::copy_database(old_url, after.url("moving"));
    proxy.lead_to(after.port());
    EXPECT_TRUE(becomes_true([&] { return test::pause(*store, ref_of(schedule), kTen).has_value(); }));
    EXPECT_TRUE(becomes_true([&] {
        return must(store->registry().take_deliveries("default", "w1", kTen, 100), "take") == 1;
    })) << "what happened after the move is behind what the webhook has seen";
}

}  // namespace
}  // namespace belfry::store
