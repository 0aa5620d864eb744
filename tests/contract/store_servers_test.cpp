// The clock that all share, who is here, and who leads.
#include <latch>
#include <random>
#include <thread>

#include "base/time/clock.hpp"
#include "store/memory/memory_store.hpp"
#include "store_contract.hpp"
#include "store_faults.hpp"

namespace belfry::store {
namespace {

using Servers = std::vector<std::string>;

class ServerContract : public StoreContract {
protected:
    // Without the newest time, which has a test of its own.
    ClusterView renew_membership(const std::string& server, Instant now, Micros lease = 10s, bool settled = false) {
        auto& told = told_.try_emplace(server, newest_).first->second;
        auto answer = store->renew_membership({server, now, lease, settled, told});
        EXPECT_TRUE(answer) << answer.error().message;
        if (!answer) return {};
        newest_ = told = std::exchange(answer->newest, {});
        return *answer;
    }
    Instant newest_ = {};
    std::map<std::string, Instant> told_;
    // What a leader leaves behind that attends by a clock which is an hour ahead, before it is put back.
    static constexpr Micros kAhead = 1h;
    void leave(const std::string& server) {
        const auto left = store->leave(server);
        EXPECT_TRUE(left) << left.error().message;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, ServerContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(ServerContract, TheClockIsTheMachinesAndGoesOn) {
    const auto before = SystemClock().now();
    const auto first = store->now();
    const auto second = store->now();
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_TRUE(second) << second.error().message;
    // The test's database runs on this machine.
    EXPECT_GE(*first, before);
    EXPECT_GE(*second, *first);
    EXPECT_LE(*second, SystemClock().now());
}

TEST_P(ServerContract, TheFirstToAttendLeads) {
    EXPECT_EQ(renew_membership("b", kNine), (ClusterView{{"b"}, "b", 1}));
    EXPECT_EQ(renew_membership("a", kNine + 1s), (ClusterView{{"a", "b"}, "b", 1}))
        << "sorted, and the second does not lead";
    EXPECT_EQ(renew_membership("B", kNine + 2s), (ClusterView{{"B", "a", "b"}, "b", 1}))
        << "sorted byte by byte, everywhere";
    EXPECT_EQ(renew_membership("b", kNine + 3s), (ClusterView{{"B", "a", "b"}, "b", 1}))
        << "who attends in time keeps the term";
}

TEST_P(ServerContract, WhoDoesNotAttendInTimeIsGone) {
    renew_membership("a", kNine, 10s);
    renew_membership("b", kNine, 30s);
    EXPECT_EQ(renew_membership("c", kNine + 10s - Micros{1}).servers, (Servers{"a", "b", "c"}));
    EXPECT_EQ(renew_membership("c", kNine + 10s).servers, (Servers{"b", "c"})) << "a lease ends at its end";
    EXPECT_EQ(renew_membership("a", kNine + 11s).servers, (Servers{"a", "b", "c"})) << "and may begin anew";
}

TEST_P(ServerContract, ALeaderWhoseLeaseRanOutIsFollowedByTheNextToAttend) {
    renew_membership("a", kNine);
    EXPECT_EQ(renew_membership("b", kNine + 9s), (ClusterView{{"a", "b"}, "a", 1}));
    EXPECT_EQ(renew_membership("b", kNine + 10s), (ClusterView{{"b"}, "b", 2}));
    EXPECT_EQ(renew_membership("a", kNine + 11s), (ClusterView{{"a", "b"}, "b", 2})) << "the old one comes too late";
}

TEST_P(ServerContract, ALeaderThatComesLateNeedsANewTerm) {
    renew_membership("a", kNine);
    EXPECT_EQ(renew_membership("a", kNine + 9s).term, 1);
    EXPECT_EQ(renew_membership("a", kNine + 19s), (ClusterView{{"a"}, "a", 2})) << "nobody else wanted it, and yet";
}

TEST_P(ServerContract, LeavingGivesUpAttendanceAndLeadershipAtOnce) {
    renew_membership("a", kNine);
    renew_membership("b", kNine);
    leave("a");
    EXPECT_EQ(renew_membership("b", kNine + 1s), (ClusterView{{"b"}, "b", 2}));
    leave("a");
    leave("nobody");
    leave("");
    EXPECT_EQ(renew_membership("a", kNine + 2s), (ClusterView{{"a", "b"}, "b", 2}))
        << "leaving again takes nothing from the others";
    leave("a");
    leave("b");
    EXPECT_EQ(renew_membership("a", kNine + 2s), (ClusterView{{"a"}, "a", 3})) << "a term is given out once";
}

TEST_P(ServerContract, AClockThatGoesBackShortensNoLeaseAndStealsNothing) {
    renew_membership("a", kNine, 10s);
    EXPECT_EQ(renew_membership("a", kNine - 5min), (ClusterView{{"a"}, "a", 1})) << "the leader's own clock went back";
    EXPECT_EQ(renew_membership("b", kNine + 9s), (ClusterView{{"a", "b"}, "a", 1})) << "its lease is as long as before";
    EXPECT_EQ(renew_membership("b", kNine - 1h), (ClusterView{{"a", "b"}, "a", 1}));
    EXPECT_EQ(renew_membership("c", kNine + 18s), (ClusterView{{"b", "c"}, "c", 2}))
        << "b is here until nineteen seconds past";
    EXPECT_EQ(renew_membership("a", kNine + 1s).leader, "c") << "the time at which a led is over";
    renew_membership("c", kNine + 20s);
    leave("c");
    EXPECT_EQ(renew_membership("a", kNine + 19s), (ClusterView{{"a"}, "", 2}))
        << "c led then; nobody leads a second time";
    EXPECT_EQ(renew_membership("a", kNine + 20s), (ClusterView{{"a"}, "a", 3}));
}

TEST_P(ServerContract, RemembersTheNewestTimeOfALeader) {
    EXPECT_EQ(store->renew_membership({"a", kNine + kAhead, 10s})->newest, kNine + kAhead);
    EXPECT_EQ(store->renew_membership({"b", kNine, 10s})->newest, kNine + kAhead)
        << "a server that starts later sees that the clock was put back";
    EXPECT_EQ(store->renew_membership({"b", kNine + 2 * kAhead, 10s})->newest, kNine + 2 * kAhead);
}

TEST_P(ServerContract, ADeadLeaderOfALaterTimeIsNotWaitedForUntilThen) {
    renew_membership("a", kNine + kAhead);
    EXPECT_EQ(renew_membership("b", kNine).leader, "a") << "others may still believe in that time";
    EXPECT_EQ(renew_membership("b", kNine + 1min, 10s, true), (ClusterView{{"b"}, "a", 1}))
        << "once it has settled, a little longer than a lease";
    EXPECT_EQ(renew_membership("b", kNine + 1min + 20s - Micros{1}, 10s, true).leader, "a");
    EXPECT_EQ(renew_membership("b", kNine + 1min + 20s, 10s, true), (ClusterView{{"b"}, "b", 2}));
    EXPECT_EQ(renew_membership("b", kNine + 1min + 25s, 10s, true), (ClusterView{{"b"}, "b", 2}));
    EXPECT_EQ(renew_membership("c", kNine + 1min + 35s, 10s, true), (ClusterView{{"c"}, "c", 3}))
        << "and its leases are as long as ever";
}

TEST_P(ServerContract, ALeaderOfALaterTimeThatLivesKeepsItsTerm) {
    renew_membership("a", kNine + kAhead);
    renew_membership("b", kNine + 1min, 10s, true);
    EXPECT_EQ(renew_membership("a", kNine + 1min + 5s, 10s, true), (ClusterView{{"a", "b"}, "a", 1}));
    EXPECT_EQ(renew_membership("b", kNine + 1min + 19s, 10s, true).leader, "a");
    EXPECT_EQ(renew_membership("b", kNine + 1min + 21s, 10s, true).leader, "b")
        << "it was silent for longer than its lease";
}

TEST_P(ServerContract, ALeaderOfALaterTimeThatLeftIsFollowedAtOnce) {
    renew_membership("a", kNine + kAhead);
    leave("a");
    EXPECT_EQ(renew_membership("b", kNine).leader, "") << "not before it has settled";
    EXPECT_EQ(renew_membership("b", kNine + 1min, 10s, true), (ClusterView{{"b"}, "b", 2}));
}

TEST_P(ServerContract, ARequestThatWasHeldUpEndsNobodysLease) {
    renew_membership("a", kNine);
    renew_membership("b", kNine);
    for (auto now = kNine; now <= kNine + 40s; now += 4s) renew_membership("a", now);
    EXPECT_EQ(renew_membership("b", kNine + 1s, 10s, true).leader, "a")
        << "its server stood still after it had asked for the time";
    EXPECT_EQ(renew_membership("c", kNine + 42s, 10s, true), (ClusterView{{"a", "c"}, "a", 1}));
}

TEST_P(ServerContract, AShorterLeaseDoesNotShortenTheOneBefore) {
    renew_membership("a", kNine, 60s);
    renew_membership("a", kNine + 1s, 1s);
    EXPECT_EQ(renew_membership("b", kNine + 59s), (ClusterView{{"a", "b"}, "a", 1}));
    EXPECT_EQ(renew_membership("b", kNine + 60s), (ClusterView{{"b"}, "b", 2}));
}

TEST_P(ServerContract, EverythingIsStillThereAfterARestart) {
    renew_membership("a", kNine);
    reopen();
    EXPECT_EQ(renew_membership("b", kNine + 1s), (ClusterView{{"a", "b"}, "a", 1}));
}

TEST_P(ServerContract, WhatMakesNoSenseIsRefused) {
    for (const MembershipRequest& request :
         {MembershipRequest{"", kNine, 10s}, MembershipRequest{std::string(kServerIdMax + 1, 'x'), kNine, 10s},
          MembershipRequest{"a", kNine, 0s}, MembershipRequest{"a", kNine, -1s}}) {
        EXPECT_EQ(code_of(store->renew_membership(request)), ErrorCode::invalid_argument) << request.server;
    }
    EXPECT_EQ(renew_membership(std::string(kServerIdMax, 'x'), kNine).term, 1) << "nobody led before";
}

// Time jumps forward and back, servers come and go. A new term never begins before the last moment at which the one
// before was confirmed to its leader, and a term has one leader.
TEST_P(ServerContract, HasOneLeaderAtATimeWhateverTheClocksSay) {
    std::mt19937 random(20260601);
    const auto number = [&random](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::int64_t newest = 0;
    std::string leader;
    Instant confirmed;
    auto now = kNine;
    int terms = 0;
    for (int i = 0; i < 300; ++i) {
        now += number(0, 5000) * 1ms;
        const std::string server(1, static_cast<char>('a' + number(0, 3)));
        if (number(0, 9) == 0) {
            leave(server);
            if (leader == server) leader.clear();
            continue;
        }
        const auto own = number(0, 3) == 0 ? now - number(0, 60'000) * 1ms : now;
        const auto answer = renew_membership(server, own, number(1, 10'000) * 1ms);
        ASSERT_TRUE(std::ranges::is_sorted(answer.servers));
        ASSERT_TRUE(std::ranges::binary_search(answer.servers, server)) << "who asks is here";
        ASSERT_GE(answer.term, newest);
        if (answer.term > newest) {
            ASSERT_EQ(answer.term, newest + 1);
            ASSERT_EQ(answer.leader, server) << "nobody but the decision gets a new term";
            ASSERT_GE(own, confirmed) << "the term before was still on";
            newest = answer.term;
            leader = server;
            ++terms;
        }
        ASSERT_EQ(answer.leader, leader) << "a term has one leader";
        if (answer.leader == server) confirmed = std::max(confirmed, own);
    }
    EXPECT_GT(terms, 20);
}

TEST_P(ServerContract, OfManyWhoAttendAtOnceOneLeads) {
    constexpr int kServers = 4;
    constexpr int kRounds = 10;
    std::vector<test::StorePtr> handles;
    for (int i = 0; i < kServers; ++i) handles.push_back(world->open());
    for (int round = 0; round < kRounds; ++round) {
        const auto now = kNine + round * 1min;  // nobody's lease is left
        std::vector<ClusterView> answers(kServers);
        std::latch start(kServers);
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < kServers; ++i) {
                threads.emplace_back([&, i] {
                    const auto at = static_cast<std::size_t>(i);
                    start.arrive_and_wait();
                    auto answer = handles[at]->renew_membership({"s" + std::to_string(i), now, 10s});
                    EXPECT_TRUE(answer) << answer.error().message;
                    if (answer) answers[at] = *answer;
                });
            }
        }
        for (const auto& answer : answers) {
            EXPECT_EQ(answer.term, round + 1);
            EXPECT_EQ(answer.leader, answers[0].leader);
        }
        EXPECT_EQ(renew_membership("s0", now + 1s).servers.size(), static_cast<std::size_t>(kServers));
    }
}

// --- what only databases have

class ServersInADatabase : public ::testing::TestWithParam<std::string> {
protected:
    std::int64_t rows() {
        static const sql::Statement kCount("count servers", "SELECT count(*) FROM servers");
        std::int64_t count = -1;
        must(database->read([&](sql::Session& session) -> Result<void> {
            auto read = session.run(kCount, {}, [&count](const sql::Row& row) { count = row.integer(0); });
            if (!read) return read.error();
            return {};
        }),
             "count");
        return count;
    }

    std::unique_ptr<Place> place = new_place(GetParam());
    std::unique_ptr<Store> store = open_store_on(*place);
    DatabasePtr database = place->open();
};
INSTANTIATE_TEST_SUITE_P(Every, ServersInADatabase, ::testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST_P(ServersInADatabase, ThatDiedLongAgoAreForgotten) {
    for (const char* const server : {"a", "b", "c"})
        must(store->renew_membership({server, kNine, 10s}), "renew_membership");
    must(store->renew_membership({"d", kNine + 10s + kServerForgottenAfter - Micros{1}, 10s}), "renew_membership");
    EXPECT_EQ(rows(), 4);
    must(store->renew_membership({"d", kNine + 10s + kServerForgottenAfter, 10s}), "renew_membership");
    EXPECT_EQ(rows(), 1);
    must(store->leave("d"), "leave");
    EXPECT_EQ(rows(), 0);
}

class StoppedClock final : public Clock {
public:
    [[nodiscard]] Instant now() const override { return kTen; }
};

TEST_P(ServersInADatabase, AgreeOnAClockThatTheyAreGiven) {
    const StoppedClock clock;
    const auto given = must(sql::open_store(place->open(), test::zones(), &clock), "open");
    EXPECT_EQ(given->now().value(), kTen);
    EXPECT_NE(store->now().value(), kTen);
}

TEST(ServersInMemory, AgreeOnAClockThatTheyAreGiven) {
    const StoppedClock clock;
    EXPECT_EQ(MemoryStore(test::zones(), &clock).now().value(), kTen);
    EXPECT_NE(MemoryStore(test::zones()).now().value(), kTen);
}

// The server is asked, with the precision that everything is stored with.
TEST(ServersOnPostgres, AskTheDatabaseForTheTime) {
    const PostgresPlace place;
    const auto store = open_store_on(place);
    const auto theirs = [&] {
        return Instant{Micros{std::stoll(
            test::query_sql(place.url(), "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"))}};
    };
    const auto before = theirs();
    const auto now = store->now().value();
    EXPECT_LE(before, now);
    EXPECT_LE(now, theirs());
}

TEST(ServersOnPostgres, DoNotKnowTheTimeWhileTheDatabaseIsAway) {
    test::PostgresCluster cluster;
    const auto database = sql::open_postgres({.url = cluster.new_database()});
    ASSERT_TRUE(database->now());
    cluster.restart_immediate();
    EXPECT_TRUE(database->now()) << "a connection that died in the pool is replaced";
    cluster.stop_now();
    const auto now = database->now();
    ASSERT_FALSE(now);
    EXPECT_EQ(now.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace belfry::store
