#include "store/sqlite/connection.hpp"

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "store/sqlite/error.hpp"

namespace belfry::store::sqlite {

namespace {

using sql::Batch;
using sql::RowSink;
using sql::RowVisitor;
using sql::Statement;

const Statement kRollback{"rollback", "ROLLBACK"};

// synchronous: a commit is on disk before the call returns. The log shrinks to 64 MiB after a burst. The store
// maintains references between tables itself, on both databases.
constexpr auto kWriterSettings = R"(
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = OFF;
PRAGMA cache_size = -65536;
PRAGMA temp_store = MEMORY;
PRAGMA journal_size_limit = 67108864;
)";

constexpr auto kReaderSettings = R"(
PRAGMA query_only = ON;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
)";

class CurrentRow final : public sql::Row {
public:
    explicit CurrentRow(sqlite3_stmt* statement) : statement_(statement) {}

    [[nodiscard]] bool is_null(int column) const override {
        return sqlite3_column_type(statement_, column) == SQLITE_NULL;
    }

    [[nodiscard]] std::int64_t integer(int column) const override {
        // SQLite would convert other types: it reads '12abc' as 12.
        return sqlite3_column_type(statement_, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement_, column) : 0;
    }

    [[nodiscard]] std::string_view text(int column) const override {
        switch (sqlite3_column_type(statement_, column)) {
            case SQLITE_TEXT: return view(sqlite3_column_text(statement_, column), column);
            case SQLITE_BLOB: return view(sqlite3_column_blob(statement_, column), column);
            default: return {};
        }
    }

private:
    // REQUIRES: the caller has read `value` first, because reading it may change the number of bytes.
    [[nodiscard]] std::string_view view(const void* value, int column) const {
        if (value == nullptr) return {};  // an empty BLOB
        return {static_cast<const char*>(value), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
    }

    sqlite3_stmt* statement_;
};

// Resets the statement when a run ends, in every case: an open statement prevents the end of the transaction. Also
// clears the pointers into the batch.
class Use {
public:
    explicit Use(sqlite3_stmt* statement) : statement_(statement) {
        assert(sqlite3_stmt_busy(statement) == 0 && "a sink must not run its own statement");
    }
    ~Use() {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

private:
    sqlite3_stmt* statement_;
};

// SQLITE_STATIC: the batch outlives the run, so SQLite need not copy.
int bind_value(sqlite3_stmt* statement, int number, const sql::Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return sqlite3_bind_int64(statement, number, *integer);
    if (const auto* text = std::get_if<std::string>(&value)) {
        return sqlite3_bind_text64(statement, number, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    if (const auto* bytes = std::get_if<sql::Bytes>(&value)) {
        return sqlite3_bind_blob64(statement, number, bytes->value.data(), bytes->value.size(), SQLITE_STATIC);
    }
    return sqlite3_bind_null(statement, number);
}

int bind_row(sqlite3_stmt* statement, const Batch& batch, std::size_t row) {
    for (std::size_t column = 0; column < batch.width(); ++column) {
        const int code = bind_value(statement, static_cast<int>(column) + 1, batch.at(row, column));
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

int step_to_end(sqlite3_stmt* statement, const RowSink& sink) {
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        if (sink) sink(CurrentRow(statement));
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int step_while_wanted(sqlite3_stmt* statement, const RowVisitor& visitor) {
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW && visitor(CurrentRow(statement))) code = sqlite3_step(statement);
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

// The reason why the file could not be opened: SQLite itself always reports "unable to open database file".
std::string open_failure(sqlite3* handle, int code, const std::filesystem::path& path) {
    if (handle == nullptr) return sqlite3_errstr(code);  // out of memory
    std::error_code unseen;
    const auto folder = path.parent_path();
    if (std::filesystem::is_directory(path, unseen)) return "the path is a folder";
    if (!std::filesystem::exists(folder, unseen) && !unseen) return "the folder " + folder.string() + " does not exist";
    // SQLite would retry read-only and report that instead.
    if (!std::filesystem::exists(path, unseen) && !unseen)
        return "cannot create a file in the folder " + folder.string();
    return error_of(handle, code, "open").message;
}

// SQLite counts allocated bytes under one lock for the whole process, which slows down concurrent readers. Belfry
// does not need the count. It can be switched off only before the first use of SQLite.
void count_no_memory() { [[maybe_unused]] static const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

[[maybe_unused]] bool only_blanks(std::string_view text) {
    return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, Access access) {
    assert(path.starts_with('/') && "SQLite treats other names as URIs or as in-memory databases");
    count_no_memory();
    const int how = access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle, how | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    std::unique_ptr<Connection> connection(new Connection(handle));  // SQLite returns a handle even with an error
    if (code != SQLITE_OK)
        return from_database(ErrorCode::unavailable, "cannot open " + path + ": " + open_failure(handle, code, path));

    sqlite3_busy_timeout(handle, static_cast<int>(kBusyTimeout.count()));
    // "word" is a column or an error, as in PostgreSQL, and never a string.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    if (auto ready = access == Access::write ? connection->prepare_to_write(path) : connection->prepare_to_read();
        !ready) {
        auto error = std::move(ready).error();
        error.message = "cannot use " + path + ": " + error.message;
        return error;
    }
    return connection;
}

Result<void> Connection::prepare_to_write(const std::string& path) {
    // Without permission to write, SQLite still opens the file, read-only.
    if (sqlite3_db_readonly(handle(), "main") == 1) return Error{ErrorCode::unavailable, "the file is read-only"};
    // Has an effect only on an empty file: then shrink() can return the space of removed rows.
    if (auto vacuum = script("PRAGMA auto_vacuum = INCREMENTAL"); !vacuum) return vacuum;
    if (auto logging = use_log(path); !logging) return logging;
    // Replaces SQLite's own checkpoints inside COMMIT: the writer checkpoints after its callers have their results.
    sqlite3_wal_hook(
        handle(),
        [](void* self, sqlite3*, const char*, int pages) {
            static_cast<Connection*>(self)->log_pages_ = pages;
            return SQLITE_OK;
        },
        this);
    return script(kWriterSettings);
}

Result<void> Connection::prepare_to_read() {
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    return script(kReaderSettings);
}

Result<void> Connection::use_log(const std::string& path) {
    static const Statement journal{"journal_mode", "PRAGMA journal_mode = WAL"};
    std::string mode;
    if (auto set = run(journal, {}, [&](const sql::Row& row) { mode = row.text(0); }); !set)
        return std::move(set).error();
    if (mode == "wal") return {};
    return Error{ErrorCode::unavailable,
                 "SQLite cannot use a write-ahead log in the folder of " + path + " (a network file system?)"};
}

Result<const Connection::Prepared*> Connection::prepare(const Statement& statement) {
    auto& prepared = prepared_[&statement];
    if (prepared.handle) {
        assert(prepared.name == statement.name.data() && "a statement must outlive the database");
        return &prepared;
    }
    const auto rendered = sql::render(statement.text, sql::sqlite_dialect());
    sqlite3_stmt* handle = nullptr;
    const char* rest = nullptr;
    const int code =
        sqlite3_prepare_v3(handle_.get(), rendered.text.c_str(), static_cast<int>(rendered.text.size() + 1),
                           SQLITE_PREPARE_PERSISTENT, &handle, &rest);
    if (code != SQLITE_OK) return error(code, statement.name);
    assert(handle != nullptr && only_blanks(rest) && "exactly one statement");
    prepared = {std::unique_ptr<sqlite3_stmt, Finalize>(handle), rendered.parameters.size(), rendered.batched,
                statement.name.data()};
    return &prepared;
}

Result<std::int64_t> Connection::run(const Statement& statement, const Batch& batch, const RowSink& sink) {
    const auto prepared = prepare(statement);
    if (!prepared) return prepared.error();
    if ((*prepared)->batched && batch.empty()) return 0;
    assert(batch.width() == (*prepared)->parameters);
    assert((*prepared)->batched || batch.rows() <= 1);

    sqlite3_stmt* const handle = (*prepared)->handle.get();
    const Use use(handle);
    std::int64_t changes = 0;
    for (std::size_t row = 0; row < std::max<std::size_t>(batch.rows(), 1); ++row) {
        // A statement that changes nothing does not reset the count of the previous one. The total shows the
        // difference.
        const auto total = sqlite3_total_changes64(handle_.get());
        int code = bind_row(handle, batch, row);
        if (code == SQLITE_OK) code = step_to_end(handle, sink);
        if (code != SQLITE_OK) return error(code, statement.name);
        sqlite3_reset(handle);
        if (sqlite3_total_changes64(handle_.get()) != total) changes += sqlite3_changes64(handle_.get());
    }
    return changes;
}

Result<void> Connection::scan(const Statement& statement, const Batch& batch, const RowVisitor& visitor) {
    const auto prepared = prepare(statement);
    if (!prepared) return prepared.error();
    assert(!(*prepared)->batched && batch.width() == (*prepared)->parameters && batch.rows() <= 1);
    sqlite3_stmt* const handle = (*prepared)->handle.get();
    const Use use(handle);
    int code = bind_row(handle, batch, 0);
    if (code == SQLITE_OK) code = step_while_wanted(handle, visitor);
    if (code != SQLITE_OK) return error(code, statement.name);
    return {};
}

Result<void> Connection::script(std::string_view text) {
    const int code = sqlite3_exec(handle_.get(), std::string(text).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error(code, "script");
    return {};
}

int Connection::execute(const Statement& statement) {
    const auto prepared = prepare(statement);
    if (!prepared) return sqlite3_extended_errcode(handle_.get());
    const int code = sqlite3_step((*prepared)->handle.get());
    sqlite3_reset((*prepared)->handle.get());
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

void Connection::roll_back() {
    if (!in_transaction()) return;
    // Fails only if SQLite has already rolled back.
    (void)execute(kRollback);
}

Error Connection::error(int code, std::string_view statement) const { return error_of(handle_.get(), code, statement); }

}  // namespace belfry::store::sqlite
