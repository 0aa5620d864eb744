// Faults of real things under a store: a line to PostgreSQL that is cut, a server that is restarted, locks of
// strangers, a full disk, and a process that is killed. What could be planted call by call is in store_faults_test.cpp.
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <latch>
#include <set>
#include <thread>

#include "store_faults.hpp"
#include "store_faults_world.hpp"
#include "support/fakes/tcp_proxy.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::store {
namespace {

using test::Fault;

constexpr auto kPatience = 30s;  // for what has to happen sooner or later

template <typename Condition>
bool eventually(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

// --- the line to PostgreSQL

std::string at_port(std::string url, std::uint16_t port) {
    const auto begin = url.find(':', url.find("://") + 3) + 1;
    return url.replace(begin, url.find('/', begin) - begin, std::to_string(port));
}
std::uint16_t port_in(const std::string& url) {
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.find(':', url.find("://") + 3) + 1)));
}

struct Cut {
    std::string verb;
    std::string bytes;  // of the message at which the line is cut
    Fault fault;
    bool happens = false;  // in spite of it
    friend std::ostream& operator<<(std::ostream& out, const Cut& cut) {
        return out << cut.verb << " at " << cut.bytes;
    }
};

std::vector<Cut> all_cuts() {
    std::vector<Cut> all;
    for (const auto* verb : {"tick", "create_one", "create_three", "trigger", "approve", "complete_success",
                             "complete_retry", "claim", "claim_delayed", "purge", "put_tenant", "step_backfill"}) {
        all.push_back({verb, "COMMIT", Fault::cut_before, false});
        all.push_back({verb, "COMMIT", Fault::cut_after, true});
    }
    for (const auto* bytes :
         {"FOR UPDATE OF s", "UPDATE schedule_state", "INSERT INTO events", "INSERT INTO ready_tasks"}) {
        all.push_back({"tick", bytes, Fault::cut_before, false});
        // The COMMIT follows the last statement in the same message: the cut after it is the one after the COMMIT.
        if (std::string_view(bytes) != "INSERT INTO ready_tasks")
            all.push_back({"tick", bytes, Fault::cut_after, false});
    }
    return all;
}

class StoreBehindABadLine : public ::testing::TestWithParam<Cut> {
protected:
    World& world = World::again("postgres");
    const std::string url = dynamic_cast<const PostgresPlace&>(*world.place).url();
    test::TcpProxy proxy{port_in(url)};
    DatabasePtr far = sql::open_postgres({.url = at_port(url, proxy.port())});
};
INSTANTIATE_TEST_SUITE_P(Every, StoreBehindABadLine, ::testing::ValuesIn(all_cuts()), [](const auto& tested) {
    auto name = tested.param.verb + "_at_" + tested.param.bytes +
                (tested.param.fault == Fault::cut_before ? "_before" : "_after");
    std::ranges::replace(name, ' ', '_');
    return name;
});

TEST_P(StoreBehindABadLine, FindsOutByItselfWhatBecameOfACommit) {
    const auto before = world.camera->take();
    const auto verb = verb_named(GetParam().verb, *store_on(*world.near));
    const auto expected = verb.call(*store_on(*world.near));
    const auto after = world.camera->take();
    world.camera->put_back();

    const auto store = store_on(*far);
    ASSERT_TRUE(store->tenants());  // connected
    proxy.fail_on(GetParam().bytes, GetParam().fault);
    const auto answer = verb.call(*store);
    EXPECT_TRUE(proxy.failed());
    // What a cut connection left behind is rolled back as soon as the server notices.
    const auto& wanted = GetParam().happens ? after : before;
    EXPECT_TRUE(eventually([&] { return world.camera->take() == wanted; }))
        << difference_of(wanted, world.camera->take());
    if (GetParam().happens) {
        EXPECT_EQ(answer.text, expected.text);
        return;
    }
    EXPECT_EQ(answer.refused, ErrorCode::unavailable) << answer.text;
    // Until then its locks are held, and a tick would pass the schedules over.
    const auto under_way =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid "
        "<> pg_backend_pid()";
    EXPECT_TRUE(eventually([&] { return test::query_sql(url, under_way) == "0"; }));
    EXPECT_EQ(verb.call(*store).text, expected.text);
    EXPECT_EQ(difference_of(after, world.camera->take()), "");
}

TEST(StoreOnPostgres, IsUnavailableWhileAStrangerHoldsTheScheduleForTooLong) {
    auto& world = World::again("postgres");
    const auto impatient = sql::open_postgres(
        {.url = dynamic_cast<const PostgresPlace&>(*world.place).url(), .lock_timeout = std::chrono::milliseconds(50)});
    const auto before = world.camera->take();
    const auto store = store_on(*impatient);
    static const sql::Statement hold("hold a schedule",
                                     "SELECT revision FROM schedule_state s WHERE s.schedule_key = :key FOR UPDATE");
    must(world.near->write([&](sql::Session& session) -> Result<void> {
        must(session.run(hold, {key_to("plain")}), "hold");
        for (const auto* name :
             {"pause", "rename", "cancel_running", "complete_success", "complete_several", "create_backfill"}) {
            const auto refused = verb_named(name, *store).call(*store);
            EXPECT_EQ(refused.refused, ErrorCode::unavailable) << name << ": " << refused.text;
        }
        const auto passed_over = test::tick(*store, kNow, {key_to("plain")});
        EXPECT_TRUE(passed_over && passed_over->plans.empty() && passed_over->upcoming.empty())
            << "a tick waits for nobody";
        return {};
    }),
         "hold");
    EXPECT_EQ(difference_of(before, world.camera->take()), "");
    EXPECT_FALSE(verb_named("complete_several", *store).call(*store).refused);
    EXPECT_FALSE(verb_named("pause", *store).call(*store).refused);
    expect_sound_tables(*world.near, {{id_of("history"), id_of("old")}});
}

// Both count the schedules of the tenant; neither may wait for the other while it is waited for.
TEST(StoreOnPostgres, LetsSeveralCreateInALimitedTenantAtOnce) {
    auto& world = World::again("postgres");
    constexpr int kEach = 4;
    std::atomic<int> created = 0;
    std::atomic<int> full = 0;
    std::vector<std::thread> threads;
    for (const auto* who : {"a", "b", "c"}) {
        threads.emplace_back([&, who] {
            const auto store = store_on(*world.far);
            for (int i = 0; i < kEach; ++i) {
                const auto done = test::create(
                    *store, {schedule_named(who + std::to_string(i), [](auto& s) { s.tenant = "acme"; })}, kNow);
                created += done ? 1 : 0;
                full += !done && done.error().code == ErrorCode::exhausted ? 1 : 0;
                EXPECT_TRUE(done || done.error().code == ErrorCode::exhausted) << done.error().message;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(created, 9) << "there was one, and ten are allowed";
    EXPECT_EQ(full, 3);
}

// --- many ticks, whatever happens meanwhile

// Four schedules that fire every minute and forgive any delay.
std::vector<model::Schedule> every_minute() {
    std::vector<model::Schedule> all;
    for (const auto* name : {"minute a", "minute b", "minute c", "minute d"}) {
        all.push_back(schedule_named(name, [](auto& s) {
            s.spec.cron = {"* * * * *"};
            s.missed = {model::MissedPolicy::fire_all, 1h, 1'000};
            s.overlap.policy = OverlapPolicy::allow_all;
        }));
    }
    return all;
}

// Each of them has one dispatched run for every minute after nine up to the last one decided; returns how many.
int expect_every_minute_once(Store& store) {
    std::optional<int> least;
    for (const auto& schedule : every_minute()) {
        std::set<Instant> occurrences;
        for (const auto& run : test::all_runs(store, {.tenant = "default", .schedule_id = schedule.id}, 1'000)) {
            EXPECT_EQ(run.dispatch, model::DispatchStatus::dispatched) << test::text_of(run);
            EXPECT_TRUE(occurrences.insert(run.slot.occurrence).second) << "twice: " << test::text_of(run);
        }
        const auto count = static_cast<int>(occurrences.size());
        if (count > 0) {
            EXPECT_EQ(*occurrences.begin(), kNine + 1min);
            EXPECT_EQ(*occurrences.rbegin(), kNine + count * 1min) << schedule.name << " has a gap";
        }
        least = std::min(least.value_or(count), count);
    }
    return least.value_or(0);
}

TEST(StoreOnPostgres, LosesAndDoublesNothingWhenTheServerIsRestartedUnderTwoTickers) {
    constexpr int kMinutes = 60;
    test::PostgresCluster cluster;
    const PostgresPlace place(cluster.new_database());
    must(test::create(*open_store_on(place), every_minute(), kNine), "create");
    std::atomic<int> reached = 0;
    std::atomic<int> failures = 0;
    std::vector<std::thread> tickers;
    for (int i = 0; i < 2; ++i) {
        tickers.emplace_back([&] {
            const auto database = place.open();
            const auto store = store_on(*database);
            for (int minute = 1; minute <= kMinutes; ++minute) {
                EXPECT_TRUE(eventually([&] {
                    const auto done = test::tick(*store, kNine + minute * 1min);
                    failures += done ? 0 : 1;
                    return done.has_value();
                }));
                reached = std::max(reached.load(), minute);
            }
        });
    }
    for (const int minute : {15, 40}) {
        EXPECT_TRUE(eventually([&] { return reached >= minute; }));
        cluster.restart_immediate();
    }
    for (auto& ticker : tickers) ticker.join();
    EXPECT_GT(failures, 0) << "nobody noticed the restarts";
    // Passed over by both, because each saw the other's lock, is possible for the last minute only.
    const auto store = open_store_on(place);
    must(test::tick(*store, kNine + kMinutes * 1min), "tick");
    EXPECT_EQ(expect_every_minute_once(*store), kMinutes);
    expect_sound_tables(*place.open());
}

// --- strangers and disks under SQLite

Result<void> set_pragma(sql::Database& database, const std::string& text) {
    return database.write([&](sql::Session& session) { return session.script("PRAGMA " + text); });
}

std::int64_t pages_of(sql::Database& database) {
    static const sql::Statement kPages("pages", "PRAGMA page_count");
    std::int64_t pages = 0;
    must(database.read([&](sql::Session& session) -> Result<void> {
        auto read = session.run(kPages, {}, [&pages](const sql::Row& row) { pages = row.integer(0); });
        if (!read) return read.error();
        return {};
    }),
         "count the pages");
    return pages;
}

TEST(StoreOnSqlite, IsUnavailableWhileAStrangerWritesAndWorksAfterwards) {
    auto& world = World::again("sqlite");
    const auto database = world.place->open();
    must(set_pragma(*database, "busy_timeout = 1"), "pragma");
    const auto store = store_on(*database);
    const auto before = world.camera->take();
    sqlite3* stranger = nullptr;
    ASSERT_EQ(sqlite3_open(dynamic_cast<const SqlitePlace&>(*world.place).path().c_str(), &stranger), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(stranger, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    for (const auto* name :
         {"tick", "create_one", "trigger", "claim", "heartbeat", "complete_success", "put_tenant", "purge"}) {
        const auto refused = verb_named(name, *store).call(*store);
        EXPECT_EQ(refused.refused, ErrorCode::unavailable) << name << ": " << refused.text;
    }
    EXPECT_TRUE(store->schedule(ref_to("plain"))) << "reads go on";
    EXPECT_EQ(sqlite3_exec(stranger, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(stranger);
    EXPECT_EQ(difference_of(before, world.camera->take()), "");
    EXPECT_FALSE(verb_named("tick", *store).call(*store).refused);
    expect_sound_tables(*world.near, {{id_of("history"), id_of("old")}});
}

TEST(StoreOnSqlite, ChangesNothingOnAFullDiskAndGoesOnWhenThereIsRoomAgain) {
    const SqlitePlace place;
    const auto database = place.open();
    must(test::create(*must(sql::open_store(place.open(), test::zones()), "open"), every_minute(), kNine), "create");
    const auto store = store_on(*database);
    const Camera camera(*database);
    must(set_pragma(*database, "max_page_count = " + std::to_string(pages_of(*database) + 20)), "pragma");
    int minute = 0;
    std::optional<Error> refused;
    Picture before;
    while (!refused && minute < 2'000) {
        before = camera.take();
        const auto done = test::tick(*store, kNine + ++minute * 1min);
        if (!done) refused = done.error();
    }
    ASSERT_TRUE(refused) << "the disk was never full";
    EXPECT_EQ(refused->code, ErrorCode::unavailable) << refused->message;
    EXPECT_EQ(difference_of(before, camera.take()), "");
    EXPECT_EQ(test::tick(*store, kNine + minute * 1min).error().code, ErrorCode::unavailable);
    must(set_pragma(*database, "max_page_count = 1000000"), "pragma");
    EXPECT_TRUE(test::tick(*store, kNine + minute * 1min));
    EXPECT_EQ(expect_every_minute_once(*store), minute);
    expect_sound_tables(*database);
}

// No file may grow beyond so many bytes: the disk answers with errors.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_ = {};
    void (*handler_)(int);
};

TEST(StoreOnSqlite, FindsOutWhatBecameOfACommitThatTheDiskFailed) {
    const SqlitePlace place;
    const auto database = place.open();
    must(test::create(*must(sql::open_store(place.open(), test::zones()), "open"), every_minute(), kNine), "create");
    const auto store = store_on(*database);
    must(test::tick(*store, kNine + 1min), "tick");
    {
        const FileSizeLimit limit(std::filesystem::file_size(place.path() + "-wal"));
        const auto refused = test::tick(*store, kNine + 2min);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
        EXPECT_EQ(expect_every_minute_once(*store), 1);
    }
    EXPECT_TRUE(test::tick(*store, kNine + 2min));
    EXPECT_EQ(expect_every_minute_once(*open_store_on(place)), 2);
    expect_sound_tables(*database);
}

// --- kill -9

// Runs the body in a process of its own, which ends only by being killed.
class Victim {
public:
    template <typename Body>
    explicit Victim(const Body& body) {
        EXPECT_EQ(::pipe(pipe_.data()), 0);
        process_ = ::fork();
        EXPECT_GE(process_, 0);
        if (process_ == 0) {
            body([this] {
                const char sign = '.';
                if (::write(pipe_[1], &sign, 1) != 1) ::_exit(1);
            });
            ::_exit(1);
        }
        ::close(pipe_[1]);
    }
    ~Victim() { ::close(pipe_[0]); }
    Victim(const Victim&) = delete;
    Victim& operator=(const Victim&) = delete;

    bool wait_for_sign() {
        char sign = 0;
        return ::read(pipe_[0], &sign, 1) == 1;
    }
    // How many signs were still on their way.
    int kill() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        int signs = 0;
        while (wait_for_sign()) ++signs;
        return signs;
    }

private:
    std::array<int, 2> pipe_ = {};
    pid_t process_ = 0;
};

// A server and a worker in one: ticks, triggers, claims and completes, minute by minute. Tells when a minute is done.
template <typename Tell>
void work_until_killed(const Place& place, int minute, const Tell& tell) {
    const auto store = open_store_on(place);
    for (;; ++minute) {
        const auto now = kNine + minute * 1min;
        if (!test::tick(*store, now)) return;
        const auto tasks =
            store->claim({.tenant = "default", .worker = "victim", .limit = 3, .now = now, .lease = 30s});
        if (!tasks) return;
        std::vector<AttemptReport> endings;
        for (const auto& task : *tasks) endings.push_back({test::lease_of(task), test::succeeded(test::json("1"))});
        if (!test::complete(*store, endings, now + 1s)) return;
        tell();
    }
}

void kill_again_and_again(const Place& place, int rounds) {
    must(test::create(*open_store_on(place), every_minute(), kNine), "create");
    test::Random random(static_cast<std::uint64_t>(rounds));
    int done = 0;
    for (int round = 1; round <= rounds; ++round) {
        const auto signs = random.number(0, 4);
        const auto spin = std::chrono::microseconds(random.number(0, 4'000));
        SCOPED_TRACE("round " + std::to_string(round) + ", killed " + std::to_string(spin.count()) + " us after " +
                     std::to_string(signs) + " signs");
        Victim victim([&](const auto& tell) { work_until_killed(place, done + 1, tell); });
        int answered = done;
        for (int i = 0; i < signs; ++i) {
            ASSERT_TRUE(victim.wait_for_sign()) << "the child gave up";
            ++answered;
        }
        for (const auto until = std::chrono::steady_clock::now() + spin; std::chrono::steady_clock::now() < until;)
            continue;
        answered += victim.kill();

        const auto database = place.open();
        expect_sound_tables(*database);
        // A server whose client is gone finishes what it was doing: one more look after its lock.
        const auto store = store_on(*database);
        done = expect_every_minute_once(*store);
        EXPECT_GE(done, answered) << "what was answered is there";
        EXPECT_LE(done, answered + 1);
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_TRUE(test::tick(*open_store_on(place), kNine + (done + 5) * 1min));
    EXPECT_EQ(expect_every_minute_once(*open_store_on(place)), done + 5);
}

TEST(StoreOnSqlite, IsWholeHoweverOftenItsProcessIsKilled) { kill_again_and_again(SqlitePlace(), 20); }

TEST(StoreOnPostgres, IsWholeHoweverOftenAProcessIsKilled) { kill_again_and_again(PostgresPlace(), 6); }

}  // namespace
}  // namespace belfry::store
