// The PostgreSQL driver against a real server: what it stores, and what it says when the server or the line fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "base/concurrency/client_thread.hpp"
#include "store/sql/database.hpp"
#include "support/fakes/tcp_proxy.hpp"
#include "support/servers/postgres_cluster.hpp"

namespace belfry::store::sql {
namespace {

using namespace std::chrono_literals;
using test::Fault;
using test::PostgresCluster;
using test::shared_cluster;
using test::TcpProxy;
using testing::HasSubstr;
using testing::Not;

const Statement kInsert("insert", "INSERT INTO things (id, name, body) SELECT :id, :name::text, :body::bytea {rows}");
const Statement kInsertOne("insert one", "INSERT INTO things (id, name, body) VALUES (:id, :name::text, :body::bytea)");
const Statement kSelect("select", "SELECT id, name, body FROM things ORDER BY id");
const Statement kCount("count", "SELECT count(*), sum(id) FROM things");
const Statement kLock("lock", "SELECT id FROM things WHERE id = :id FOR UPDATE");
const Statement kSleep("sleep", "SELECT pg_sleep(30)");
const Statement kWrong("wrong", "SELECT nothing FROM nowhere");

struct Thing {
    std::int64_t id = 0;
    std::optional<std::string> name = {};
    std::optional<std::string> body = {};
    friend bool operator==(const Thing&, const Thing&) = default;
};

Result<void> ok(const Result<std::int64_t>& run) {
    if (!run) return run.error();
    return {};
}

Work insert(std::int64_t id) {
    return [id](Session& session) { return ok(session.run(kInsertOne, {id, "thing", Bytes{"x"}})); };
}

std::vector<Thing> things(Database& database) {
    std::vector<Thing> found;
    const auto text = [](const Row& row, int column) {
        return row.is_null(column) ? std::nullopt : std::optional(std::string(row.text(column)));
    };
    const auto read = database.read([&](Session& session) {
        return ok(session.run(kSelect, {}, [&](const Row& row) {
            found.push_back({row.integer(0), text(row, 1), text(row, 2)});
        }));
    });
    EXPECT_TRUE(read) << read.error().message;
    return found;
}

std::size_t count(Database& database) { return things(database).size(); }

// Short, so that a test of a failure is short as well.
PostgresOptions impatient(std::string url) {
    return {.url = std::move(url),
            .connections_max = 4,
            .connect_timeout = 1s,
            .statement_timeout = 1s,
            .lock_timeout = 50ms};
}

void make_table(Database& database) {
    const auto made = database.write([](Session& session) {
        return session.script(
            "CREATE TABLE things (id BIGINT CONSTRAINT one_of_each PRIMARY KEY, name TEXT, body BYTEA);"
            "CREATE TABLE parts (thing BIGINT CONSTRAINT of_a_thing REFERENCES things)");
    });
    ASSERT_TRUE(made) << made.error().message;
}

// Until it holds, or for as long as a slow machine may need.
template <typename Condition>
bool eventually(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

// Announcements, in the order of their arrival.
class Inbox {
public:
    std::function<void(std::string_view)> sink() {
        return [this](std::string_view text) {
            const std::lock_guard lock(mutex_);
            texts_.emplace_back(text);
            arrived_.notify_all();
        };
    }
    std::string next() {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, 20s, [&] { return !texts_.empty(); })) return "(nothing came)";
        auto text = texts_.front();
        texts_.pop_front();
        return text;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::string> texts_;
};

class PostgresDatabase : public testing::Test {
protected:
    void SetUp() override { make_table(*database); }

    std::string url = shared_cluster().new_database();
    std::unique_ptr<Database> database = open_postgres(impatient(url));
};

TEST_F(PostgresDatabase, GivesBackEveryTypeAsItWasStored) {
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    const std::string all_bytes("\0\x01\xff\0", 4);
    Batch batch;
    batch.add_row(kLeast, "", Bytes{""});
    batch.add_row(-1, std::monostate(), Bytes{all_bytes});
    batch.add_row(kMost, "Gruß, 世界", std::monostate());
    const auto written = database->write([&](Session& session) {
        const auto changed = session.run(kInsert, batch);
        EXPECT_EQ(changed.value(), 3);
        return ok(session.run(kInsertOne, {7, std::monostate(), Bytes{all_bytes}}));
    });
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(things(*database), (std::vector<Thing>{{kLeast, "", ""},
                                                     {-1, std::nullopt, all_bytes},
                                                     {7, std::nullopt, all_bytes},
                                                     {kMost, "Gruß, 世界", std::nullopt}}));
}

TEST_F(PostgresDatabase, ReadsNumbersOfEveryWidthAndNothingAsTheWrongType) {
    static const Statement statement(
        "widths",
        "SELECT 1::int2, -2::int4, -3::int8, true, sum(x), 'text', -12345678901234567890.9::numeric / 10, NULL::int8 "
        "FROM generate_series(99999999, 100000001) AS x");
    const auto read = database->read([&](Session& session) {
        return ok(session.run(statement, {}, [](const Row& row) {
            EXPECT_EQ(row.integer(0), 1);
            EXPECT_EQ(row.integer(1), -2);
            EXPECT_EQ(row.integer(2), -3);
            EXPECT_EQ(row.integer(3), 1);
            EXPECT_EQ(row.integer(4), 300'000'000);
            EXPECT_EQ(row.integer(5), 0);
            EXPECT_EQ(row.integer(6), -1'234'567'890'123'456'789);
            EXPECT_EQ(row.integer(7), 0);
            EXPECT_EQ(row.text(0), "");
            EXPECT_EQ(row.text(5), "text");
            EXPECT_TRUE(row.is_null(7));
        }));
    });
    EXPECT_TRUE(read) << read.error().message;
}

TEST_F(PostgresDatabase, RunsABatchAsOneStatementAndCountsWhatItChanged) {
    static const Statement update("update",
                                  "UPDATE things SET name = :name::text {rows} WHERE id = :id RETURNING id, name");
    Batch inserts;
    Batch updates;
    for (std::int64_t id = 0; id < 1'000; ++id) {
        inserts.add_row(id, "old", std::monostate());
        if (id % 2 == 0) updates.add_row("new", id);
    }
    std::vector<std::int64_t> returned;
    const auto written = database->write([&](Session& session) {
        EXPECT_EQ(session.run(kInsert, inserts).value(), 1'000);
        EXPECT_EQ(session.run(kInsert, {}).value(), 0);
        EXPECT_EQ(session.run(kSelect, {}).value(), 0);
        return ok(session.run(update, updates, [&](const Row& row) {
            EXPECT_EQ(row.text(1), "new");
            returned.push_back(row.integer(0));
        }));
    });
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(returned.size(), 500);
}

TEST_F(PostgresDatabase, NamesTheConstraintThatRefuses) {
    ASSERT_TRUE(database->write(insert(1)));
    const auto twice = database->write(insert(1));
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().code, ErrorCode::conflict);
    EXPECT_THAT(twice.error().message, HasSubstr("one_of_each"));
    EXPECT_THAT(twice.error().message, HasSubstr("insert one"));

    static const Statement orphan("orphan", "INSERT INTO parts VALUES (:thing)");
    const auto refused = database->write([&](Session& session) { return ok(session.run(orphan, {99})); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_THAT(refused.error().message, HasSubstr("of_a_thing"));
}

TEST_F(PostgresDatabase, NamesTheConstraintThatRefusesTheCommit) {
    static const Statement orphan("orphan", "INSERT INTO late_parts VALUES (:thing)");
    ASSERT_TRUE(database->write([](Session& session) {
        return session.script(
            "CREATE TABLE late_parts (thing BIGINT CONSTRAINT of_a_thing_at_last REFERENCES things DEFERRABLE "
            "INITIALLY DEFERRED)");
    }));
    const auto refused = database->write([](Session& session) { return ok(session.run(orphan, {99})); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_THAT(refused.error().message, HasSubstr("of_a_thing_at_last"));
}

TEST_F(PostgresDatabase, PreparesAStatementAgainAfterAMigration) {
    static const Statement all("all", "SELECT * FROM things");
    const auto read_all = [&] { return database->read([](Session& session) { return ok(session.run(all, {})); }); };
    ASSERT_TRUE(read_all());
    test::run_sql(url, "ALTER TABLE things ADD COLUMN colour TEXT");
    const auto outdated = read_all();
    ASSERT_FALSE(outdated);
    EXPECT_EQ(outdated.error().code, ErrorCode::unavailable);
    EXPECT_TRUE(read_all());
}

TEST_F(PostgresDatabase, GivesUpATransactionThatIsIdleForTooLong) {
    auto options = impatient(url);
    options.statement_timeout = 20ms;
    const auto hasty = open_postgres(options);
    const auto idle =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()";
    const auto slow = hasty->write([&](Session& session) {
        auto done = ok(session.run(kInsertOne, {1, "a", Bytes{}}));
        EXPECT_TRUE(eventually([&] { return test::query_sql(url, idle) == "0"; }));
        return done;
    });
    ASSERT_FALSE(slow);
    EXPECT_EQ(slow.error().code, ErrorCode::unavailable);
    EXPECT_EQ(count(*database), 0);
}

TEST_F(PostgresDatabase, KeepsNothingOfWorkThatFailed) {
    const auto failed = database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.run(kInsertOne, {1, "a", Bytes{}}));
        return Error{ErrorCode::not_found, "changed our mind"};
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::not_found);
    EXPECT_EQ(count(*database), 0);
}

TEST_F(PostgresDatabase, KeepsNothingOfWorkThatSwallowedAnError) {
    const auto swallowed = database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.run(kInsertOne, {1, "a", Bytes{}}));
        EXPECT_FALSE(session.run(kInsertOne, {1, "a", Bytes{}}));
        EXPECT_EQ(session.run(kInsertOne, {2, "a", Bytes{}}).error().code, ErrorCode::conflict);
        return {};
    });
    ASSERT_FALSE(swallowed);
    EXPECT_EQ(swallowed.error().code, ErrorCode::conflict);
    EXPECT_EQ(count(*database), 0);
}

TEST_F(PostgresDatabase, StatementsForLaterTakeEffectInTheirOrder) {
    std::size_t seen = 0;
    const auto done = database->write([&seen](Session& session) -> Result<void> {
        EXPECT_TRUE(session.later(kInsertOne, {1, "a", Bytes{}}));
        EXPECT_TRUE(session.later(kSelect, {}, [&seen](const Row&) { ++seen; }));
        EXPECT_TRUE(session.later(kInsertOne, {2, "b", Bytes{}}));
        std::size_t at_last = 0;
        EXPECT_TRUE(session.run(kSelect, {}, [&at_last](const Row&) { ++at_last; }));
        EXPECT_EQ(at_last, 2U);
        EXPECT_EQ(seen, 1U) << "answered no later than the next run";
        return session.later(kInsertOne, {3, "c", Bytes{}});
    });
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(count(*database), 3U);
}

TEST_F(PostgresDatabase, AnErrorOfAStatementForLaterIsTheNextRunsOrTheCommits) {
    const auto at_run = database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.later(kInsertOne, {1, "a", Bytes{}}));
        EXPECT_TRUE(session.later(kInsertOne, {1, "again", Bytes{}}));
        EXPECT_TRUE(session.later(kInsertOne, {2, "passed over", Bytes{}}));
        return ok(session.run(kSelect, {}));
    });
    ASSERT_FALSE(at_run);
    EXPECT_EQ(at_run.error().code, ErrorCode::conflict);
    EXPECT_NE(at_run.error().message.find("one_of_each"), std::string::npos) << at_run.error().message;
    const auto at_commit = database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.later(kInsertOne, {1, "a", Bytes{}}));
        return session.later(kInsertOne, {1, "again", Bytes{}});
    });
    ASSERT_FALSE(at_commit);
    EXPECT_EQ(at_commit.error().code, ErrorCode::conflict);
    EXPECT_EQ(count(*database), 0U);
    EXPECT_TRUE(database->write([](Session& session) {
        return session.later(kInsertOne, {1, "a", Bytes{}});
    })) << "the connection is as good as new";
    EXPECT_EQ(count(*database), 1U);
}

TEST_F(PostgresDatabase, AStatementForLaterThatChangesTooLittleRefusesTheCommit) {
    const auto refused = database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.later(kInsertOne, {1, "a", Bytes{}}));
        return session.later(kInsertOne, {2, "b", Bytes{}}, {}, Expected{2, "it is only one"});
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(refused.error().message, "it is only one");
    EXPECT_EQ(count(*database), 0U);
}

TEST_F(PostgresDatabase, WhatWasForLaterIsGoneWithWorkThatFailed) {
    const auto failed = database->write([](Session& session) -> Result<void> {
        {
            std::vector<std::string> gone;
            EXPECT_TRUE(session.later(kSelect, {}, [&gone](const Row&) { gone.emplace_back("never"); }));
        }
        EXPECT_TRUE(session.later(kInsertOne, {1, "a", Bytes{}}));
        return Error{ErrorCode::not_found, "changed our mind"};
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::not_found);
    EXPECT_EQ(count(*database), 0U);
}

TEST_F(PostgresDatabase, RefusesTextsThatItCannotHold) {
    for (const std::string& text : {std::string("a\0b", 3), std::string("\xff")}) {
        const auto scalar = database->write([&](Session& session) {
            return ok(session.run(kInsertOne, {1, text, Bytes{}}));
        });
        ASSERT_FALSE(scalar);
        EXPECT_EQ(scalar.error().code, ErrorCode::invalid_argument);
        const auto batched = database->write([&](Session& session) {
            return ok(session.run(kInsert, {1, text, Bytes{}}));
        });
        ASSERT_FALSE(batched);
        EXPECT_EQ(batched.error().code, ErrorCode::invalid_argument);
    }
    EXPECT_TRUE(database->write(insert(1)));
}

TEST_F(PostgresDatabase, CallsAStatementThatIsRefusedCorruptAndGoesOn) {
    const auto refused = database->write([](Session& session) { return ok(session.run(kWrong, {})); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
    EXPECT_THAT(refused.error().message, HasSubstr("wrong"));
    EXPECT_THAT(refused.error().message, HasSubstr("nowhere"));

    const auto mixed_up = database->write([](Session& session) {
        return ok(session.run(kInsertOne, {"name", 1, Bytes{}}));
    });
    ASSERT_FALSE(mixed_up);
    EXPECT_EQ(mixed_up.error().code, ErrorCode::corrupt);
    EXPECT_TRUE(database->write(insert(1)));
}

TEST_F(PostgresDatabase, ReadsOneSnapshotAndNeverWrites) {
    ASSERT_TRUE(database->write(insert(1)));
    const auto total = [](Session& session) {
        std::int64_t found = -1;
        EXPECT_TRUE(session.run(kCount, {}, [&](const Row& row) { found = row.integer(0); }));
        return found;
    };
    const auto read = database->read([&](Session& session) -> Result<void> {
        EXPECT_EQ(total(session), 1);
        EXPECT_TRUE(database->write(insert(2)));
        EXPECT_EQ(total(session), 1);
        return ok(session.run(kInsertOne, {3, "a", Bytes{}}));
    });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::unavailable);
    EXPECT_EQ(count(*database), 2);
}

TEST_F(PostgresDatabase, SetsItsOwnLimitsAndDurabilityWhateverTheServersDefaults) {
    test::run_sql(url,
                  "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());"
                  "EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', "
                  "current_database()); END $$");
    static const Statement settings(
        "settings",
        "SELECT concat_ws(' ', current_setting('synchronous_commit'), current_setting('statement_timeout'), "
        "current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'), "
        "current_setting('application_name'), current_setting('timezone'), current_setting('transaction_isolation'))");
    const auto fresh = open_postgres(impatient(url));
    std::string found;
    const auto asked = fresh->write(
        [&](Session& session) { return ok(session.run(settings, {}, [&](const Row& row) { found = row.text(0); })); });
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(found, "on 1s 50ms 5s belfry UTC read committed");
}

TEST_F(PostgresDatabase, WaitsForALockOnlyForAWhile) {
    ASSERT_TRUE(database->write(insert(1)));
    const auto outer = database->write([&](Session& session) -> Result<void> {
        EXPECT_TRUE(session.run(kLock, {1}));
        const auto inner = database->write([](Session& other) { return ok(other.run(kLock, {1})); });
        EXPECT_FALSE(inner);
        EXPECT_EQ(inner.error().code, ErrorCode::unavailable);
        EXPECT_THAT(inner.error().message, HasSubstr("lock"));
        return {};
    });
    EXPECT_TRUE(outer);
}

TEST_F(PostgresDatabase, EndsAStatementThatTakesTooLong) {
    auto options = impatient(url);
    options.statement_timeout = 50ms;
    const auto hasty = open_postgres(options);
    const auto slow = hasty->write([](Session& session) { return ok(session.run(kSleep, {})); });
    ASSERT_FALSE(slow);
    EXPECT_EQ(slow.error().code, ErrorCode::unavailable);
    EXPECT_THAT(slow.error().message, HasSubstr("too long"));
    // A migration takes the time that it needs.
    EXPECT_TRUE(hasty->write([](Session& session) { return session.script("SELECT pg_sleep(0.1)"); }));
}

TEST_F(PostgresDatabase, NeverOpensMoreConnectionsThanItMay) {
    auto options = impatient(url);
    options.connections_max = 2;
    options.connect_timeout = 100ms;
    const auto small = open_postgres(options);
    const auto nested = small->write([&](Session&) {
        return small->write([&](Session&) -> Result<void> {
            const auto third = small->write([](Session&) -> Result<void> { return {}; });
            EXPECT_FALSE(third);
            EXPECT_EQ(third.error(), (Error{ErrorCode::unavailable, "all connections are in use"}));
            return {};
        });
    });
    EXPECT_TRUE(nested);
    EXPECT_TRUE(small->write(insert(1)));
}

TEST_F(PostgresDatabase, LetsManyThreadsShareAFewConnections) {
    auto options = impatient(url);
    options.connections_max = 3;
    options.connect_timeout = 20s;
    options.lock_timeout = 20s;
    options.statement_timeout = 20s;
    const auto small = open_postgres(options);
    std::atomic<int> failed = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 20; ++i) {
                if (!small->write(insert(thread * 100 + i))) ++failed;
                if (!small->read([](Session& session) { return ok(session.run(kSelect, {})); })) ++failed;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(count(*small), 160);
}

// As many clients as there are connections, and more, wait for one row that another session has locked.
TEST_F(PostgresDatabase, KeepsConnectionsForTheEngineWhenClientsWaitForALock) {
    auto options = impatient(url);
    options.connections_max = 4;
    options.lock_timeout = 20s;
    options.statement_timeout = 20s;
    options.connect_timeout = 20s;
    const auto shared = open_postgres(options);
    ASSERT_TRUE(shared->write(insert(1)));
    std::atomic<int> at_the_lock = 0;
    std::vector<std::jthread> clients;
    const auto holding = database->write([&](Session& session) -> Result<void> {
        if (auto locked = session.run(kLock, {1}); !locked) return locked.error();
        for (int i = 0; i < 2 * options.connections_max; ++i) {
            clients.emplace_back([&] {
                serves_clients = true;
                (void)shared->write([&](Session& own) -> Result<void> {
                    ++at_the_lock;
                    return ok(own.run(kLock, {1}));
                });
            });
        }
        EXPECT_TRUE(eventually([&] { return at_the_lock == 3; }));
        EXPECT_TRUE(shared->write(insert(2))) << "the lock is still held";
        EXPECT_TRUE(shared->now());
        EXPECT_EQ(at_the_lock, 3) << "one connection is the engine's";
        return {};
    });
    EXPECT_TRUE(holding);
    clients.clear();
    EXPECT_EQ(at_the_lock, 2 * options.connections_max) << "each has had its turn";
}

TEST_F(PostgresDatabase, NotifiesWhatIsCommittedAndNothingElse) {
    Inbox inbox;
    database->listen(inbox.sink());
    EXPECT_EQ(inbox.next(), "");
    EXPECT_FALSE(database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.notify("rolled back"));
        return Error{ErrorCode::not_found, ""};
    }));
    EXPECT_TRUE(database->write([](Session& session) { return session.notify("committed"); }));
    EXPECT_EQ(inbox.next(), "committed");
    EXPECT_TRUE(database->write([](Session& session) { return session.notify(std::string(7'999, 'a')); }));
    EXPECT_EQ(inbox.next(), std::string(7'999, 'a'));
    EXPECT_TRUE(database->write([](Session& session) { return session.notify(std::string(8'000, 'a')); }));
    EXPECT_EQ(inbox.next(), "");
    EXPECT_TRUE(database->write([](Session& session) { return session.notify("it's \\ \xff"); }));
    EXPECT_EQ(inbox.next(), "");
    EXPECT_TRUE(database->write([](Session& session) -> Result<void> {
        EXPECT_TRUE(session.notify("it's \\ one"));
        EXPECT_TRUE(session.notify("it's \\ one"));
        return session.notify("two");
    }));
    EXPECT_EQ(inbox.next(), "it's \\ one");
    EXPECT_EQ(inbox.next(), "two");
    database->listen({});
}

TEST_F(PostgresDatabase, ReplacesItsListener) {
    Inbox first;
    Inbox second;
    database->listen(first.sink());
    EXPECT_EQ(first.next(), "");
    database->listen(second.sink());
    EXPECT_EQ(second.next(), "");
    EXPECT_TRUE(database->write([](Session& session) { return session.notify("hello"); }));
    EXPECT_EQ(second.next(), "hello");
}

// The line to the server goes through a proxy that breaks it.
class PostgresBehindABadLine : public PostgresDatabase {
protected:
    static std::uint16_t port_in(const std::string& url) {
        return static_cast<std::uint16_t>(std::stoi(url.substr(url.find(':', url.find("://") + 3) + 1)));
    }
    std::string through_proxy() const {
        auto text = url;
        const auto port = std::to_string(port_in(url));
        return text.replace(text.find(port), port.size(), std::to_string(proxy.port()));
    }

    TcpProxy proxy{port_in(url)};
    PostgresOptions options = impatient(through_proxy());
    std::unique_ptr<Database> far = open_postgres(options);
};

TEST_F(PostgresBehindABadLine, DoesNotKnowOfACommitThatNeverArrived) {
    ASSERT_TRUE(far->write(insert(1)));
    proxy.fail_on("COMMIT", Fault::cut_before);
    const auto cut = far->write(insert(2));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::unknown);
    EXPECT_EQ(count(*database), 1);
    EXPECT_TRUE(far->write(insert(3)));
}

TEST_F(PostgresBehindABadLine, DoesNotKnowOfACommitWhoseAnswerWasLost) {
    ASSERT_TRUE(far->write(insert(1)));
    proxy.fail_on("COMMIT", Fault::cut_after);
    const auto cut = far->write(insert(2));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::unknown);
    EXPECT_EQ(count(*database), 2);
    EXPECT_TRUE(far->write(insert(3)));
}

TEST_F(PostgresBehindABadLine, DoesNotWaitForEverForAnAnswer) {
    options.statement_timeout = 50ms;
    options.connect_timeout = 100ms;
    far = open_postgres(options);
    proxy.fail_on("COMMIT", Fault::silence);
    const auto silent_commit = far->write(insert(1));
    ASSERT_FALSE(silent_commit);
    EXPECT_EQ(silent_commit.error().code, ErrorCode::unknown);

    proxy.fail_on("thing", Fault::silence);
    const auto silent_statement = far->write(insert(2));
    ASSERT_FALSE(silent_statement);
    EXPECT_EQ(silent_statement.error().code, ErrorCode::unavailable);
    EXPECT_EQ(count(*database), 0);
}

TEST_F(PostgresBehindABadLine, IsUnavailableWhenTheLineBreaksBeforeTheCommit) {
    ASSERT_TRUE(far->write(insert(1)));
    for (const auto fault : {Fault::cut_before, Fault::cut_after}) {
        proxy.fail_on("thing", fault);
        const auto cut = far->write(insert(2));
        ASSERT_FALSE(cut);
        EXPECT_EQ(cut.error().code, ErrorCode::unavailable);
        EXPECT_TRUE(proxy.failed());
    }
    const auto before_commit = far->write([&](Session& session) {
        auto done = ok(session.run(kInsertOne, {2, "thing", Bytes{}}));
        proxy.cut_all();
        // The end of the connection has to arrive here before the commit is tried, or it would be sent into the void.
        EXPECT_TRUE(eventually([&] {
            return test::query_sql(url,
                                   "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND "
                                   "datname = current_database()") == "0";
        }));
        return done;
    });
    ASSERT_FALSE(before_commit);
    EXPECT_EQ(before_commit.error().code, ErrorCode::unavailable);
    EXPECT_EQ(count(*database), 1);
}

TEST_F(PostgresBehindABadLine, AsksNoConnectionThatHasJustAnsweredWhetherItLives) {
    options.alive_for = 1h;
    far = open_postgres(options);
    ASSERT_TRUE(far->write(insert(1)));
    proxy.fail_on("BEGIN", Fault::cut_before);
    const auto cut = far->write(insert(2));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::unavailable);
    EXPECT_EQ(count(*database), 1);
    EXPECT_TRUE(far->write(insert(2)));
    EXPECT_EQ(count(*database), 2);
}

TEST_F(PostgresBehindABadLine, ReplacesConnectionsThatDiedInThePool) {
    options.alive_for = 0ms;
    far = open_postgres(options);
    ASSERT_TRUE(far->write([&](Session&) { return far->write(insert(1)); }));
    EXPECT_EQ(proxy.connections_seen(), 2);
    proxy.cut_all();
    EXPECT_TRUE(far->write([&](Session&) { return far->write(insert(2)); }));
    EXPECT_EQ(proxy.connections_seen(), 4);

    // One that looks alive until it is used.
    proxy.fail_on("BEGIN", Fault::cut_before);
    EXPECT_TRUE(far->write(insert(3)));
    EXPECT_TRUE(proxy.failed());
    EXPECT_EQ(count(*database), 3);
}

TEST_F(PostgresBehindABadLine, LeavesADatabaseAloneThatCannotBeReached) {
    proxy.refuse(true);
    const auto first = far->write(insert(1));
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code, ErrorCode::unavailable);
    const auto seen = proxy.connections_seen();
    EXPECT_EQ(far->write(insert(1)).error(), first.error());
    EXPECT_EQ(proxy.connections_seen(), seen);

    proxy.refuse(false);
    EXPECT_TRUE(eventually([&] { return far->write(insert(1)).has_value(); }));
}

TEST_F(PostgresBehindABadLine, ListensAgainAfterTheLineBroke) {
    Inbox inbox;
    far->listen(inbox.sink());
    EXPECT_EQ(inbox.next(), "");
    proxy.cut_all();
    EXPECT_EQ(inbox.next(), "");
    EXPECT_TRUE(far->write([](Session& session) { return session.notify("back"); }));
    EXPECT_EQ(inbox.next(), "back");
}

TEST(PostgresRestart, IsForgottenByTheNextWrites) {
    PostgresCluster cluster;
    auto options = impatient(cluster.new_database());
    const auto database = open_postgres(options);
    make_table(*database);
    Inbox inbox;
    database->listen(inbox.sink());
    EXPECT_EQ(inbox.next(), "");
    ASSERT_TRUE(database->write([&](Session&) { return database->write(insert(1)); }));

    cluster.restart_immediate();
    EXPECT_TRUE(database->write([&](Session&) { return database->write(insert(2)); }));
    EXPECT_EQ(count(*database), 2);
    EXPECT_EQ(inbox.next(), "");

    cluster.stop_now();
    const auto away = database->write(insert(3));
    ASSERT_FALSE(away);
    EXPECT_EQ(away.error().code, ErrorCode::unavailable);
    cluster.start();
    EXPECT_TRUE(eventually([&] { return database->write(insert(3)).has_value(); }));
    EXPECT_EQ(count(*database), 3);
    EXPECT_EQ(inbox.next(), "");
}

TEST(PostgresUrl, IsNeverInAnError) {
    const auto try_url = [](const std::string& url) {
        PostgresOptions options{.url = url};
        const auto failed = open_postgres(options)->write([](Session&) -> Result<void> { return {}; });
        EXPECT_FALSE(failed);
        return failed.error();
    };
    for (const std::string url : {
             "postgres://someone:hunter2secret@127.0.0.1:1/db",
             "postgres://someone:hunter2secret@no.such.host.invalid/db",
             "host=127.0.0.1 port=1 password=hunter2secret",
         }) {
        const auto error = try_url(url);
        EXPECT_EQ(error.code, ErrorCode::unavailable) << url;
        EXPECT_THAT(error.message, Not(HasSubstr("hunter2secret")));
        EXPECT_THAT(error.message, HasSubstr("cannot be reached"));
    }
    // Mistyped: what should be the password ends up anywhere.
    for (const std::string url : {
             "postgres://someone:pass@hunter2secret@127.0.0.1:1/db",
             "postgres://someone:pass/hunter2secret@127.0.0.1:1/db",
             "postgres://someone:hunter2secret/pass@127.0.0.1:1/db",
             "postgres://someone:hunter2secret%zz@127.0.0.1:1/db",
             "postgres://127.0.0.1:1/db?passwort=hunter2secret",
             "hunter2secret",
         }) {
        const auto error = try_url(url);
        EXPECT_EQ(error.code, ErrorCode::invalid_argument) << url;
        EXPECT_THAT(error.message, Not(HasSubstr("hunter2secret")));
    }
}

}  // namespace
}  // namespace belfry::store::sql
