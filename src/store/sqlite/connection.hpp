// One connection to an SQLite file, with its prepared statements. Used by one thread at a time.
//
// Only one connection writes to a file; all others only read and never checkpoint. SQLite 3.40, which Debian ships,
// can damage the file if two connections write and checkpoint at the same time: see write_gate.hpp.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/result.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sqlite {

enum class Access : std::uint8_t { write, read };

// How long a statement waits for another process's lock before it returns `unavailable`.
inline constexpr std::chrono::milliseconds kBusyTimeout{5'000};

class Connection {
public:
    // Access::write creates the file if it does not exist, but not its folder. The path must be absolute.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::string& path, Access access);

    ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Like sql::Session::run. The sink must not run statements, because their changes would be counted here.
    Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink = {});
    // Like sql::Session::scan.
    Result<void> scan(const sql::Statement& statement, const sql::Batch& batch, const sql::RowVisitor& visitor);
    Result<void> script(std::string_view text);

    // Runs a statement without parameters or rows, if the caller needs SQLite's own result code.
    [[nodiscard]] int execute(const sql::Statement& statement);
    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

    // SQLite itself ends a transaction after some errors; this is the only way to detect it.
    [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

    // Afterwards the connection is outside of any transaction.
    void roll_back();

    // The number of pages in the log at the last commit; 0 if nothing was committed since the last call.
    [[nodiscard]] int take_log_pages() { return std::exchange(log_pages_, 0); }

private:
    struct Close {
        void operator()(sqlite3* handle) const { sqlite3_close(handle); }
    };
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
    };
    struct Prepared {
        std::unique_ptr<sqlite3_stmt, Finalize> handle;
        std::size_t parameters = 0;
        bool batched = false;
        const char* name = nullptr;  // detects another statement at the same address
    };

    explicit Connection(sqlite3* handle) : handle_(handle) {}
    Result<void> prepare_to_write(const std::string& path);
    Result<void> prepare_to_read();
    Result<void> use_log(const std::string& path);
    Result<const Prepared*> prepare(const sql::Statement& statement);
    Error error(int code, std::string_view statement) const;

    std::unique_ptr<sqlite3, Close> handle_;  // declared before the statements, which must be destroyed first
    std::unordered_map<const sql::Statement*, Prepared> prepared_ = {};
    int log_pages_ = 0;
};

}  // namespace belfry::store::sqlite
