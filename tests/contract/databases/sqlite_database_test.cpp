// What only SQLite can show: its file, its locks, its log and its group commit. What both databases promise is in the
// suite of the store.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <latch>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

#include "store/sql/database.hpp"
#include "store/sqlite/notifier.hpp"
#include "store/sqlite/readers.hpp"
#include "store/sqlite/writer.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::store::sqlite {
namespace {

using sql::Batch;
using sql::Bytes;
using sql::Database;
using sql::open_sqlite;
using sql::Row;
using sql::Statement;
using sql::Work;
using DatabaseSession = sql::Session;

constexpr auto kSchema = "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT, raw BLOB) STRICT";

const Statement kInsert{"insert_note", "INSERT INTO notes (id, body, raw) SELECT :id, :body::text, :raw::bytea {rows}"};
const Statement kInsertOrEnd{"insert_or_rollback", "INSERT OR ROLLBACK INTO notes (id) VALUES (:id)"};
const Statement kInsertReturning{"insert_returning",
                                 "INSERT INTO notes (id, body) SELECT :id, :body::text {rows} RETURNING id, body"};
const Statement kUpdate{"update_notes", "UPDATE notes SET body = :body::text WHERE id >= :from"};
const Statement kSelect{"select_notes", "SELECT id, body, raw FROM notes ORDER BY id"};
const Statement kCount{"count_notes", "SELECT count(*) FROM notes"};
const Statement kFill{"fill", "INSERT INTO notes (raw) VALUES (zeroblob(:size))"};

// When only success matters.
Result<void> run(DatabaseSession& session, const Statement& statement, const Batch& batch) {
    if (auto done = session.run(statement, batch); !done) return std::move(done).error();
    return {};
}

Work insert(std::int64_t id) {
    return [id](DatabaseSession& session) { return run(session, kInsert, {id, std::monostate{}, std::monostate{}}); };
}

Work script(std::string text) {
    return [text = std::move(text)](DatabaseSession& session) { return session.script(text); };
}

// Inserts a row, and then fails for a reason of its own.
Work insert_and_fail(std::int64_t id) {
    return [id](DatabaseSession& session) -> Result<void> {
        if (auto inserted = insert(id)(session); !inserted) return inserted;
        return Error{ErrorCode::not_found, "changed my mind"};
    };
}

Work fill(std::int64_t bytes) {
    return [bytes](DatabaseSession& session) { return run(session, kFill, {bytes}); };
}

std::set<std::int64_t> ids_in(DatabaseSession& session) {
    std::set<std::int64_t> ids;
    EXPECT_TRUE(session.run(kSelect, {}, [&](const Row& row) { ids.insert(row.integer(0)); }).has_value());
    return ids;
}

template <typename Source>
std::set<std::int64_t> ids_of(Source& source) {
    std::set<std::int64_t> ids;
    const auto done = source.read([&](DatabaseSession& session) -> Result<void> {
        ids = ids_in(session);
        return {};
    });
    EXPECT_TRUE(done) << done.error().message;
    return ids;
}

std::string message_of(const Result<void>& result) { return result ? "no error" : result.error().message; }

void expect_error(const Result<void>& result, ErrorCode code, std::string_view part, int line = __builtin_LINE()) {
    if (!result && result.error().code == code && result.error().message.find(part) != std::string::npos) return;
    ADD_FAILURE_AT(__FILE__, line) << "expected an error about '" << part << "', got: " << message_of(result);
}

struct SqliteDatabase : ::testing::Test {
    test::TempFolder folder;
    std::string path = folder.file("belfry.db");
    std::unique_ptr<Database> database = open();

    std::unique_ptr<Database> open() const {
        auto opened = open_sqlite(path);
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? std::move(*opened) : nullptr;
    }

    void SetUp() override {
        ASSERT_NE(database, nullptr);
        ASSERT_TRUE(database->write(script(kSchema)));
    }
};

// --- statements

struct Note {
    std::int64_t id = 0;
    std::optional<std::string> body = {};
    std::optional<std::string> raw = {};
    friend bool operator==(const Note&, const Note&) = default;
};

std::vector<Note> notes_of(Database& database) {
    std::vector<Note> notes;
    const auto text = [](const Row& row, int column) {
        return row.is_null(column) ? std::optional<std::string>() : std::optional<std::string>(row.text(column));
    };
    const auto done = database.read([&](DatabaseSession& session) -> Result<void> {
        auto read = session.run(kSelect, {}, [&](const Row& row) {
            notes.push_back({row.integer(0), text(row, 1), text(row, 2)});
        });
        if (!read) return std::move(read).error();
        return {};
    });
    EXPECT_TRUE(done) << message_of(done);
    return notes;
}

TEST_F(SqliteDatabase, KeepsEveryTypeAsItWas) {
    const std::string zeros("\0a\0", 3);
    Batch batch;
    batch.add_row(std::numeric_limits<std::int64_t>::min(), std::monostate{}, std::monostate{});
    batch.add_row(std::int64_t{-1}, std::string(), Bytes{""});
    batch.add_row(std::int64_t{0}, std::string("Zürich, 東京 🔔"), Bytes{zeros});
    batch.add_row(std::numeric_limits<std::int64_t>::max(), std::string(100'000, 'x'),
                  Bytes{std::string(100'000, '\xff')});
    const auto done = database->write([&](DatabaseSession& session) -> Result<void> {
        auto inserted = session.run(kInsert, batch);
        EXPECT_TRUE(inserted && *inserted == 4);
        return {};
    });
    ASSERT_TRUE(done) << message_of(done);

    const std::vector<Note> expected = {
        {std::numeric_limits<std::int64_t>::min()},
        {-1, "", ""},
        {0, "Zürich, 東京 🔔", zeros},
        {std::numeric_limits<std::int64_t>::max(), std::string(100'000, 'x'), std::string(100'000, '\xff')},
    };
    EXPECT_EQ(notes_of(*database), expected);
}

TEST_F(SqliteDatabase, GivesNothingWhenAskedForTheWrongType) {
    static const Statement statement{"types", "SELECT 12, '12abc', x'3132', NULL, 1.5"};
    ASSERT_TRUE(database->read([](DatabaseSession& session) -> Result<void> {
        auto read = session.run(statement, {}, [](const Row& row) {
            EXPECT_EQ(row.text(0), "");
            EXPECT_EQ(row.integer(1), 0);
            EXPECT_EQ(row.integer(2), 0);
            EXPECT_EQ(row.integer(3), 0);
            EXPECT_EQ(row.text(3), "");
            EXPECT_EQ(row.integer(4), 0);
        });
        EXPECT_TRUE(read.has_value());
        return {};
    }));
}

TEST_F(SqliteDatabase, RunsABatchedStatementForEveryRowAndAddsUpTheChanges) {
    const auto done = database->write([](DatabaseSession& session) -> Result<void> {
        Batch batch;
        for (std::int64_t id = 1; id <= 1'000; ++id) batch.add_row(id, "note " + std::to_string(id));
        std::vector<std::int64_t> returned;
        auto inserted =
            session.run(kInsertReturning, batch, [&](const Row& row) { returned.push_back(row.integer(0)); });
        EXPECT_TRUE(inserted && *inserted == 1'000);
        EXPECT_EQ(returned.size(), 1'000U);

        EXPECT_EQ(*session.run(kInsert, {}), 0) << "an empty batch does nothing";
        EXPECT_EQ(*session.run(kUpdate, {std::string("late"), std::int64_t{901}}), 100);
        EXPECT_EQ(*session.run(kCount, {}), 0) << "a count changes nothing, whatever the statement before it did";
        return {};
    });
    EXPECT_TRUE(done) << message_of(done);
    EXPECT_EQ(notes_of(*database).size(), 1'000U);
}

TEST_F(SqliteDatabase, WaitsForTheDiskInEveryCommit) {
    static const Statement statement{"settings",
                                     "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous"};
    ASSERT_TRUE(database->write([](DatabaseSession& session) -> Result<void> {
        EXPECT_TRUE(session.run(statement, {}, [](const Row& row) {
            EXPECT_EQ(row.text(0), "wal");
            EXPECT_EQ(row.integer(1), 2);  // FULL
        }));
        return {};
    }));
}

TEST_F(SqliteDatabase, KnowsItsStatementsAfterTheSchemaChanged) {
    ASSERT_TRUE(database->write(insert(1)));
    ASSERT_EQ(ids_of(*database).size(), 1U);
    ASSERT_TRUE(
        database->write(script("ALTER TABLE notes ADD COLUMN more TEXT; CREATE INDEX notes_by_body ON notes (body);")));
    ASSERT_TRUE(database->write(insert(2)));
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1, 2}));
}

// --- errors

TEST_F(SqliteDatabase, RefusesWhatAConstraintForbidsAndNamesIt) {
    ASSERT_TRUE(database->write(insert(1)));
    expect_error(database->write(insert(1)), ErrorCode::conflict, "notes.id");
    expect_error(database->write(insert(1)), ErrorCode::conflict, "insert_note");
}

TEST_F(SqliteDatabase, CallsAStatementThatItCannotReadCorruptAndNamesIt) {
    static const Statement misspelt{"misspelt", "SELEKT 1"};
    static const Statement quoted{"quoted", "SELECT \"no such column\" FROM notes"};
    const auto running = [](const Statement& statement) {
        return [&statement](DatabaseSession& session) { return run(session, statement, {}); };
    };
    expect_error(database->write(running(misspelt)), ErrorCode::corrupt, "misspelt");
    expect_error(database->read(running(quoted)), ErrorCode::corrupt, "no such column");
    expect_error(database->write(script("CREATE TABLE twice (id INTEGER); CREATE TABLE twice (id INTEGER);")),
                 ErrorCode::corrupt, "twice");
    EXPECT_TRUE(database->write(script("CREATE TABLE twice (id INTEGER)"))) << "the first half was left behind";
}

TEST_F(SqliteDatabase, KeepsNothingOfAWorkThatFails) {
    expect_error(database->write(insert_and_fail(1)), ErrorCode::not_found, "changed my mind");
    EXPECT_TRUE(ids_of(*database).empty());
    EXPECT_TRUE(database->write(insert(1)));
}

TEST_F(SqliteDatabase, RunsNothingMoreAfterAnErrorEvenWhenTheWorkOverlooksIt) {
    expect_error(database->write([](DatabaseSession& session) -> Result<void> {
        EXPECT_TRUE(insert(1)(session));
        EXPECT_FALSE(insert(1)(session));
        EXPECT_FALSE(insert(2)(session));
        EXPECT_FALSE(session.script("DELETE FROM notes"));
        EXPECT_FALSE(session.notify("hello"));
        return {};
    }),
                 ErrorCode::conflict, "notes.id");
    EXPECT_TRUE(ids_of(*database).empty());
}

TEST_F(SqliteDatabase, DoesNotWriteInARead) {
    expect_error(database->read(insert(1)), ErrorCode::unavailable, "read-only");
}

TEST_F(SqliteDatabase, IsNotLeftLockedByAnException) {
    const auto throws = [](DatabaseSession& session) -> Result<void> {
        EXPECT_TRUE(insert(1)(session));
        EXPECT_TRUE(session.run(kSelect, {}, [](const Row&) { throw std::runtime_error("a bug"); }));
        return {};
    };
    EXPECT_THROW((void)database->write(throws), std::runtime_error);
    EXPECT_THROW((void)database->read([](DatabaseSession&) -> Result<void> { throw std::runtime_error("a bug"); }),
                 std::runtime_error);
    EXPECT_TRUE(ids_of(*database).empty());
    EXPECT_TRUE(database->write(insert(1)));
}

// --- snapshots and other processes

TEST_F(SqliteDatabase, ReadsOneSnapshotHoweverMuchIsWrittenMeanwhile) {
    ASSERT_TRUE(database->write(insert(1)));
    ASSERT_TRUE(database->read([&](DatabaseSession& session) -> Result<void> {
        EXPECT_EQ(ids_in(session), (std::set<std::int64_t>{1}));
        EXPECT_TRUE(database->write(insert(2)));
        EXPECT_EQ(ids_in(session), (std::set<std::int64_t>{1}));
        return {};
    }));
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1, 2}));
}

TEST_F(SqliteDatabase, ReadsWithoutWaitingForAWriterAndSeesNothingOfIt) {
    ASSERT_TRUE(database->write([&](DatabaseSession& session) {
        auto inserted = insert(1)(session);
        EXPECT_TRUE(ids_of(*database).empty());  // another connection, while this one holds the write lock
        return inserted;
    }));
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1}));
}

TEST_F(SqliteDatabase, LetsMoreReadsTakeTurnsThanItHasReaders) {
    ASSERT_TRUE(database->write(insert(1)));
    // The first ones only end when as many as there are readers run at once.
    std::latch all_busy(kReadersMax);
    std::vector<std::jthread> threads;
    std::atomic<int> seen = 0;
    for (std::size_t i = 0; i < 3 * kReadersMax; ++i) {
        threads.emplace_back([&, first = i < kReadersMax] {
            const auto done = database->read([&](DatabaseSession& session) -> Result<void> {
                seen += static_cast<int>(ids_in(session).size());
                if (first) all_busy.arrive_and_wait();
                return {};
            });
            EXPECT_TRUE(done) << message_of(done);
        });
        if (i + 1 == kReadersMax) all_busy.wait();
    }
    threads.clear();
    EXPECT_EQ(seen, 3 * static_cast<int>(kReadersMax));
}

// A connection as another process would have it.
class Stranger {
public:
    explicit Stranger(const std::string& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK); }
    ~Stranger() { sqlite3_close(handle_); }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;

    void run(const char* text) {
        EXPECT_EQ(sqlite3_exec(handle_, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle_);
    }

private:
    sqlite3* handle_ = nullptr;
};

TEST_F(SqliteDatabase, IsUnavailableWhileAnotherProcessHoldsTheWriteLockAndWorksAfterwards) {
    ASSERT_TRUE(database->write(script("PRAGMA busy_timeout = 1")));
    Stranger stranger(path);
    stranger.run("BEGIN IMMEDIATE; INSERT INTO notes (id) VALUES (7)");
    expect_error(database->write(insert(1)), ErrorCode::unavailable, "busy");
    EXPECT_TRUE(ids_of(*database).empty()) << "and reads go on";
    stranger.run("COMMIT");
    EXPECT_TRUE(database->write(insert(1)));
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1, 7}));
}

// --- full and failing disks

TEST_F(SqliteDatabase, SaysThatTheDiskIsFullAndGoesOnWhenThereIsRoomAgain) {
    ASSERT_TRUE(database->write(script("PRAGMA max_page_count = 20")));
    expect_error(database->write(fill(1'000'000)), ErrorCode::unavailable, "full");
    EXPECT_TRUE(ids_of(*database).empty());
    EXPECT_TRUE(database->write(insert(1)));
    ASSERT_TRUE(database->write(script("PRAGMA max_page_count = 1000000")));
    EXPECT_TRUE(database->write(fill(1'000'000)));
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

TEST_F(SqliteDatabase, DoesNotKnowWhetherItCommittedWhenTheDiskFailsInside) {
    ASSERT_TRUE(database->write(insert(1)));
    {
        const FileSizeLimit limit(std::filesystem::file_size(path + "-wal"));
        expect_error(database->write(insert(2)), ErrorCode::unknown, "the disk failed");
        EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1}));
    }
    EXPECT_TRUE(database->write(insert(3)));
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1, 3}));
    database.reset();
    database = open();
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1, 3}));
}

TEST_F(SqliteDatabase, SurvivesADiskThatFailsBeforeTheCommit) {
    // More than the cache holds: pages go to the log before the commit, and the failure comes inside the work.
    ASSERT_TRUE(database->write(script("PRAGMA cache_size = 10")));
    {
        const FileSizeLimit limit(std::filesystem::file_size(path + "-wal") + 100'000);
        expect_error(database->write(fill(10'000'000)), ErrorCode::unavailable, "the disk failed");
    }
    EXPECT_TRUE(database->write(insert(1)));
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1}));
}

// --- opening

TEST(OpenSqlite, SaysWhatIsWrongWithThePath) {
    const test::TempFolder folder;
    const auto opening = [](const std::string& path) -> Result<void> {
        auto opened = open_sqlite(path);
        if (!opened) return std::move(opened).error();
        return {};
    };
    expect_error(opening(""), ErrorCode::invalid_argument, "path");
    expect_error(opening(":memory:"), ErrorCode::invalid_argument, "path");
    expect_error(opening(folder.file("missing/belfry.db")), ErrorCode::unavailable,
                 "the folder " + folder.file("missing") + " does not exist");
    expect_error(opening(folder.path()), ErrorCode::unavailable, "the path is a folder");

    std::ofstream(folder.file("letter.txt")) << std::string(5'000, 'a');
    expect_error(opening(folder.file("letter.txt")), ErrorCode::corrupt, "not an SQLite database");
    std::ofstream(folder.file("note.txt")) << "short";
    expect_error(opening(folder.file("note.txt")), ErrorCode::corrupt, "not an SQLite database");
}

// Permissions do not stop root, so root becomes somebody else for a while.
class Unprivileged {
public:
    Unprivileged() : root_(::geteuid() == 0) { EXPECT_TRUE(!root_ || ::seteuid(65534) == 0); }
    ~Unprivileged() { EXPECT_TRUE(!root_ || ::seteuid(0) == 0); }
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

private:
    bool root_;
};

TEST(OpenSqlite, SaysWhatItMayNotDo) {
    using std::filesystem::perms;
    const test::TempFolder folder;
    const auto opening = [](const std::string& path) -> Result<void> {
        const Unprivileged nobody;
        auto opened = open_sqlite(path);
        if (!opened) return std::move(opened).error();
        return {};
    };
    const auto path = folder.file("belfry.db");
    ASSERT_TRUE(open_sqlite(path));
    constexpr auto kReadOnly = static_cast<perms>(0555);
    std::filesystem::permissions(folder.path(), perms::all);
    std::filesystem::permissions(path, kReadOnly);
    expect_error(opening(path), ErrorCode::unavailable, "the file is read-only");
    std::filesystem::permissions(path, perms::none);
    expect_error(opening(path), ErrorCode::unavailable, "Permission denied");
    std::filesystem::permissions(path, perms::all);
    std::filesystem::permissions(folder.path(), kReadOnly);
    expect_error(opening(path), ErrorCode::unavailable, "cannot use " + path);
    expect_error(opening(folder.file("new.db")), ErrorCode::unavailable, "cannot create a file");
    std::filesystem::permissions(folder.path(), perms::all);
}

// --- crashes

// Runs the body in a process of its own, which ends only by being killed.
class Victim {
public:
    template <typename Body>
    explicit Victim(Body body) {
        EXPECT_EQ(::pipe(pipe_.data()), 0);
        process_ = ::fork();
        EXPECT_GE(process_, 0);
        if (process_ == 0) {
            body([this](char sign) { EXPECT_EQ(::write(pipe_[1], &sign, 1), 1); });
            for (;;) ::pause();
        }
        ::close(pipe_[1]);
    }
    ~Victim() { ::close(pipe_[0]); }
    Victim(const Victim&) = delete;
    Victim& operator=(const Victim&) = delete;

    // The next sign of life.
    char wait() {
        char sign = 0;
        EXPECT_EQ(::read(pipe_[0], &sign, 1), 1);
        return sign;
    }

    // Returns how many signs were still on their way.
    int kill() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        int signs = 0;
        for (char sign = 0; ::read(pipe_[0], &sign, 1) == 1;) ++signs;
        return signs;
    }

private:
    std::array<int, 2> pipe_ = {};
    pid_t process_ = 0;
};

TEST_F(SqliteDatabase, KeepsWhatWasCommittedAndNothingElseWhenItsProcessIsKilledInTheMiddle) {
    database.reset();
    Victim victim([this](auto&& tell) {
        const auto own = open();
        (void)own->write(insert(1));
        (void)own->write([&](DatabaseSession& session) -> Result<void> {
            (void)insert(2)(session);
            tell('w');
            for (;;) ::pause();
        });
    });
    EXPECT_EQ(victim.wait(), 'w');
    victim.kill();
    database = open();
    EXPECT_EQ(ids_of(*database), (std::set<std::int64_t>{1}));
    EXPECT_TRUE(database->write(insert(2)));
}

TEST_F(SqliteDatabase, LosesNothingThatItAnsweredWhenItsProcessIsKilledAnywhere) {
    constexpr std::int64_t kRowsPerWrite = 50;
    for (int round = 1; round <= 8; ++round) {
        database.reset();
        std::filesystem::remove(path);
        database = open();
        ASSERT_TRUE(database->write(script(kSchema)));
        database.reset();
        Victim victim([this](auto&& tell) {
            const auto own = open();
            for (std::int64_t first = 0;; first += kRowsPerWrite) {
                Batch batch;
                for (auto id = first; id < first + kRowsPerWrite; ++id)
                    batch.add_row(id, std::string(500, 'x'), std::monostate{});
                const auto done = own->write([&](DatabaseSession& session) { return run(session, kInsert, batch); });
                if (done) tell('c');
            }
        });
        std::int64_t answered = 0;
        for (; answered < 10 * round; ++answered) EXPECT_EQ(victim.wait(), 'c');
        answered += victim.kill();

        database = open();
        const auto found = static_cast<std::int64_t>(ids_of(*database).size());
        EXPECT_EQ(found % kRowsPerWrite, 0) << "a write is there whole or not at all";
        EXPECT_GE(found / kRowsPerWrite, answered);
        EXPECT_LE(found / kRowsPerWrite, answered + 1);
    }
}

// --- groups

struct SqliteWriter : ::testing::Test {
    test::TempFolder folder;
    std::string path = folder.file("belfry.db");
    Notifier notifier;
    Writer writer{*Connection::open(path, Access::write), *WriteGate::open(path), notifier};
    Readers readers{path};

    void SetUp() override { ASSERT_TRUE(writer.write(script(kSchema))); }

    // Runs the works in this order as one group: a work before them holds the turn until all have queued up.
    std::vector<Result<void>> write_together(const std::vector<Work>& works) {
        std::vector<Result<void>> results(works.size());
        std::vector<std::jthread> threads;
        std::latch everybody_waits(1);
        const auto start = [&](const Work& work, Result<void>& result) {
            const auto before = writer.callers();
            threads.emplace_back([&] { result = writer.write(work); });
            while (writer.callers() == before) std::this_thread::yield();
        };
        Result<void> first;
        const Work hold = [&](DatabaseSession&) -> Result<void> {
            everybody_waits.wait();
            return {};
        };
        start(hold, first);
        for (std::size_t i = 0; i < works.size(); ++i) start(works[i], results[i]);
        everybody_waits.count_down();
        threads.clear();
        EXPECT_TRUE(first);
        return results;
    }

    // How many transactions the log holds: the header of a transaction's last page has the size of the file in it.
    int commits() const {
        std::ifstream log(path + "-wal", std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(log), {}};
        constexpr std::size_t kHeader = 32;
        constexpr std::size_t kFrame = 24 + 4096;
        int found = 0;
        for (auto at = kHeader; at + kFrame <= bytes.size(); at += kFrame)
            found += bytes.substr(at + 4, 4) != std::string(4, '\0') ? 1 : 0;
        return found;
    }
};

std::vector<std::string> codes_of(const std::vector<Result<void>>& results) {
    std::vector<std::string> codes;
    for (const auto& result : results) {
        codes.emplace_back(result                                          ? "ok"
                           : result.error().code == ErrorCode::conflict    ? "conflict"
                           : result.error().code == ErrorCode::not_found   ? "not_found"
                           : result.error().code == ErrorCode::unavailable ? "unavailable"
                           : result.error().code == ErrorCode::unknown     ? "unknown"
                                                                           : "another error");
    }
    return codes;
}
using Codes = std::vector<std::string>;

TEST_F(SqliteWriter, CommitsEverythingThatQueuedUpInOneTransaction) {
    const auto before = commits();
    std::vector<Work> works;
    for (int id = 1; id <= 20; ++id) works.push_back(insert(id));
    EXPECT_EQ(codes_of(write_together(works)), Codes(20, "ok"));
    EXPECT_EQ(commits() - before, 1);
    EXPECT_EQ(ids_of(readers).size(), 20U);
}

TEST_F(SqliteWriter, CommitsOneByOneWhenNobodyWaits) {
    const auto before = commits();
    for (int id = 1; id <= 20; ++id) ASSERT_TRUE(writer.write(insert(id)));
    EXPECT_EQ(commits() - before, 20);
}

TEST_F(SqliteWriter, BoundsItsGroups) {
    const auto before = commits();
    std::vector<Work> works;
    for (std::size_t id = 1; id <= kGroupMax + 1; ++id) works.push_back(insert(static_cast<std::int64_t>(id)));
    EXPECT_EQ(codes_of(write_together(works)), Codes(kGroupMax + 1, "ok"));
    EXPECT_EQ(commits() - before, 2);
}

TEST_F(SqliteWriter, KeepsNothingOfAWorkThatFailsInAGroupAndEverythingOfTheOthers) {
    const auto before = commits();
    const auto results = write_together({insert(1), insert_and_fail(2), insert(3), insert(3), insert(4)});
    EXPECT_EQ(codes_of(results), (Codes{"ok", "not_found", "ok", "conflict", "ok"}));
    EXPECT_EQ(ids_of(readers), (std::set<std::int64_t>{1, 3, 4}));
    EXPECT_EQ(commits() - before, 1);
}

TEST_F(SqliteWriter, CommitsNothingWhenEveryWorkOfAGroupFails) {
    const auto before = commits();
    EXPECT_EQ(codes_of(write_together({insert_and_fail(1), insert_and_fail(2)})), (Codes{"not_found", "not_found"}));
    EXPECT_EQ(commits(), before);
    EXPECT_TRUE(ids_of(readers).empty());
}

TEST_F(SqliteWriter, FailsTheWholeGroupWhenSqliteEndsItsTransaction) {
    ASSERT_TRUE(writer.write(insert(1)));
    std::atomic<bool> ran = false;
    const Work ends_it = [](DatabaseSession& session) { return run(session, kInsertOrEnd, {std::int64_t{1}}); };
    const Work after = [&](DatabaseSession& session) {
        ran = true;
        return insert(4)(session);
    };
    const auto results = write_together({insert(2), insert_and_fail(3), ends_it, after});
    EXPECT_EQ(codes_of(results), (Codes{"unavailable", "not_found", "conflict", "unavailable"}));
    EXPECT_FALSE(ran) << "outside of a transaction nothing can be taken back";
    EXPECT_EQ(ids_of(readers), (std::set<std::int64_t>{1}));
    EXPECT_TRUE(writer.write(insert(2)));
}

// SQLite rolls the whole transaction back when it finds no room, not just the savepoint.
TEST_F(SqliteWriter, FailsTheWholeGroupWhenOneWorkFindsNoRoom) {
    ASSERT_TRUE(writer.write(script("PRAGMA max_page_count = 20")));
    EXPECT_EQ(codes_of(write_together({insert(1), fill(1'000'000), insert(2)})),
              (Codes{"unavailable", "unavailable", "unavailable"}));
    EXPECT_TRUE(ids_of(readers).empty());
    EXPECT_EQ(codes_of(write_together({insert(1), insert(2)})), (Codes{"ok", "ok"}));
}

TEST_F(SqliteWriter, FailsTheWholeGroupWhenTheDiskFailsInsideOneWork) {
    ASSERT_TRUE(writer.write(script("PRAGMA cache_size = 10")));
    {
        const FileSizeLimit limit(std::filesystem::file_size(path + "-wal") + 100'000);
        const auto codes = codes_of(write_together({insert(1), fill(10'000'000), insert(2)}));
        EXPECT_EQ(codes, (Codes{"unavailable", "unavailable", "unavailable"}));
    }
    EXPECT_TRUE(ids_of(readers).empty());
    EXPECT_TRUE(writer.write(insert(1)));
}

TEST_F(SqliteWriter, KnowsOfNoWorkWhetherItIsThereWhenTheCommitOfTheGroupFails) {
    {
        const FileSizeLimit limit(std::filesystem::file_size(path + "-wal"));
        EXPECT_EQ(codes_of(write_together({insert(1), insert_and_fail(2), insert(3)})),
                  (Codes{"unknown", "not_found", "unknown"}));
    }
    EXPECT_TRUE(ids_of(readers).empty());
    EXPECT_TRUE(writer.write(insert(1)));
}

TEST_F(SqliteWriter, AnswersTheOthersWhenAWorkThrows) {
    std::latch queued(1);
    std::jthread leader([&] {
        EXPECT_TRUE(writer.write([&](DatabaseSession&) -> Result<void> {
            queued.wait();
            return {};
        }));
    });
    while (writer.callers() != 1) std::this_thread::yield();
    std::jthread unlucky([&] {
        EXPECT_THROW((void)writer.write([](DatabaseSession&) -> Result<void> { throw std::runtime_error("a bug"); }),
                     std::runtime_error);
    });
    while (writer.callers() != 2) std::this_thread::yield();
    std::jthread other([&] { expect_error(writer.write(insert(1)), ErrorCode::unavailable, "another write"); });
    while (writer.callers() != 3) std::this_thread::yield();
    queued.count_down();
    leader.join();
    unlucky.join();
    other.join();
    EXPECT_TRUE(writer.write(insert(1)));
}

TEST_F(SqliteWriter, AnswersEveryCallerForItsOwnWorkWhenManyWriteAtOnce) {
    constexpr int kThreads = 8;
    constexpr int kWrites = 60;
    std::array<std::set<std::int64_t>, kThreads> written;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&, thread] {
                for (int i = 0; i < kWrites; ++i) {
                    const auto own = std::int64_t{1'000} * (thread + 1) + i;
                    // Some fail by themselves, some are raced for by everybody, and most just work.
                    if (i % 7 == 3) {
                        EXPECT_FALSE(writer.write(insert_and_fail(own)));
                    } else if (i % 7 == 5) {
                        if (writer.write(insert(i))) written[static_cast<std::size_t>(thread)].insert(i);
                    } else {
                        const auto done = writer.write(insert(own));
                        EXPECT_TRUE(done) << message_of(done);
                        EXPECT_TRUE(ids_of(readers).contains(own)) << "who has an answer reads what it wrote";
                        written[static_cast<std::size_t>(thread)].insert(own);
                    }
                }
            });
        }
    }
    std::set<std::int64_t> expected;
    std::size_t total = 0;
    for (const auto& ids : written) {
        expected.insert(ids.begin(), ids.end());
        total += ids.size();
    }
    EXPECT_EQ(total, expected.size()) << "a row was given to two callers";
    EXPECT_EQ(ids_of(readers), expected);
    EXPECT_EQ(writer.callers(), 0U);
}

TEST_F(SqliteWriter, DoesNotWaitLongForAReadThatKeepsTheLogFromEndingAndShrinksItAfterwards) {
    constexpr std::int64_t kPage = 4096;
    const auto log_size = [&] { return static_cast<std::int64_t>(std::filesystem::file_size(path + "-wal")); };
    const auto fills = [&](std::int64_t bytes) {
        for (std::int64_t done = 0; done < bytes; done += 1 << 23) ASSERT_TRUE(writer.write(fill(1 << 23)));
    };
    ASSERT_TRUE(readers.read([&](DatabaseSession& session) -> Result<void> {
        EXPECT_TRUE(ids_in(session).empty());
        fills(kLogPagesMax * kPage);
        EXPECT_GE(log_size(), kLogPagesMax * kPage);
        EXPECT_TRUE(ids_in(session).empty());
        return {};
    }));
    ASSERT_TRUE(writer.write(insert(-1)));
    fills(kLogPagesMax * kPage);
    EXPECT_LE(log_size(), 3 * kLogPagesMax * kPage / 2);
}

// --- notifications

// Hears what is notified until it has heard "end".
class Ear {
public:
    void operator()(std::string_view text) {
        heard_.emplace_back(text);
        if (text == "end") ended_.count_down();
    }
    std::vector<std::string> wait() {
        ended_.wait();
        return heard_;
    }

private:
    std::vector<std::string> heard_ = {};
    std::latch ended_{1};
};

Work notify(std::string text, bool fail = false) {
    return [text = std::move(text), fail](DatabaseSession& session) -> Result<void> {
        if (auto told = session.notify(text); !told) return told;
        if (fail) return Error{ErrorCode::not_found, "changed my mind"};
        return {};
    };
}

TEST_F(SqliteDatabase, NotifiesWhatWasCommittedAndNothingElse) {
    ASSERT_TRUE(database->write(notify("before the first listener")));
    Ear ear;
    database->listen(std::ref(ear));
    ASSERT_TRUE(database->write(notify("one")));
    ASSERT_FALSE(database->write(notify("two", true)));
    ASSERT_TRUE(database->write([](DatabaseSession& session) -> Result<void> {
        EXPECT_TRUE(session.notify("three"));
        return session.notify("end");
    }));
    EXPECT_EQ(ear.wait(), (std::vector<std::string>{"one", "three", "end"}));

    database->listen({});
    ASSERT_TRUE(database->write(notify("after the last listener")));
    Ear second;
    database->listen(std::ref(second));
    ASSERT_TRUE(database->write(notify("end")));
    EXPECT_EQ(second.wait(), (std::vector<std::string>{"end"}));
}

TEST_F(SqliteDatabase, NotifiesOnlyTheCommittedPartOfAGroup) {
    Ear ear;
    database->listen(std::ref(ear));
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 20; ++i)
            threads.emplace_back([&, i] { (void)database->write(notify("text", i % 2 == 1)); });
    }
    ASSERT_TRUE(database->write(notify("end")));
    EXPECT_EQ(ear.wait().size(), 11U);
}

TEST_F(SqliteDatabase, LetsAListenerReadUntilItIsClosed) {
    std::latch heard(1);
    database->listen([&](std::string_view) {
        EXPECT_EQ(ids_of(*database).size(), 1U);
        heard.count_down();
    });
    ASSERT_TRUE(database->write([](DatabaseSession& session) -> Result<void> {
        if (auto inserted = insert(1)(session); !inserted) return inserted;
        return session.notify("look");
    }));
    heard.wait();
    database.reset();
}

TEST(SqliteNotifier, SaysOnceThatNotificationsWereLostWhenTheListenerIsTooSlow) {
    Notifier notifier;
    Ear ear;
    std::latch entered(1);
    std::latch go_on(1);
    notifier.listen([&](std::string_view text) {
        if (text == "first") {
            entered.count_down();
            go_on.wait();
        }
        ear(text);
    });
    notifier.notify({"first"});
    entered.wait();
    notifier.notify(std::vector<std::string>(kNotificationsMax, "too much"));
    notifier.notify({"end"});
    go_on.count_down();
    EXPECT_EQ(ear.wait(), (std::vector<std::string>{"first", "", "end"}));
}

}  // namespace
}  // namespace belfry::store::sqlite
