// One connection to an SQLite file, with the statements that it has prepared. Used by one thread at a time.
//
// A file has one connection that writes; all others only read and never checkpoint. SQLite 3.40, which Debian ships, can
// damage the file when two connections write and checkpoint at once: see write_gate.hpp.
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

// How long a statement waits for the lock of another process before it is `unavailable`.
inline constexpr std::chrono::milliseconds kBusyTimeout{5'000};

class Connection {
public:
    // With Access::write the file is made when it does not exist; its folder is not. The path must be absolute.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::string& path, Access access);

    ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // As sql::Session::run. The sink must not run statements: their changes would be counted here.
    Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink = {});
    Result<void> script(std::string_view text);

    // A statement without parameters or answers, when SQLite's own code matters.
    [[nodiscard]] int execute(const sql::Statement& statement);
    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

    // SQLite ends a transaction by itself after some errors; only this tells.
    [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

    // Leaves the connection outside of any transaction.
    void roll_back();

    // How many pages the log held at the last commit, or 0 when nothing was committed since the last call.
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
        const char* name = nullptr;  // to notice another statement at the address of one that is gone
    };

    explicit Connection(sqlite3* handle) : handle_(handle) {}
    Result<void> prepare_to_write(const std::string& path);
    Result<void> prepare_to_read();
    Result<void> use_log(const std::string& path);
    Result<const Prepared*> prepare(const sql::Statement& statement);
    Error error(int code, std::string_view statement) const;

    std::unique_ptr<sqlite3, Close> handle_;  // before the statements: they have to go first
    std::unordered_map<const sql::Statement*, Prepared> prepared_ = {};
    int log_pages_ = 0;
};

}  // namespace belfry::store::sqlite
