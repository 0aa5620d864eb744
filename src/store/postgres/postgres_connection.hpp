// One connection to PostgreSQL: statements, prepared once and kept, and the ends of transactions. Every wait has a bound, so
// that a server that is frozen, or behind a network that swallows everything, costs time and not a thread.
//
// Prepared statements outlive transactions and belong to the session, so a pooler between us and the server has to pool
// whole sessions. `plan_cache_mode` is left alone: PostgreSQL tries custom plans five times and then keeps a generic one
// when that is as cheap, which is what statements over arrays and keys want.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "store/postgres/postgres_address.hpp"
#include "store/postgres/postgres_encoding.hpp"
#include "store/postgres/postgres_handles.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::postgres {

// How long to wait for an answer; nothing means for as long as the connection lives.
using Patience = std::optional<std::chrono::milliseconds>;

// Used by one thread at a time.
class Connection {
public:
    // Connects and makes the session ours (time limits, durable commits, UTC). Errors: unavailable.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const Address& address, const sql::PostgresOptions& options);

    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // See sql::Session::run.
    [[nodiscard]] Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink);

    // Statements as text, without parameters or answers.
    [[nodiscard]] Result<void> execute(const std::string& text, std::string_view what, Patience patience);

    [[nodiscard]] Result<void> begin(const char* text) { return execute(text, "begin", short_patience_); }

    // Errors: unavailable or conflict when it certainly did not happen, unknown when nobody can say.
    [[nodiscard]] Result<void> commit();

    // Tells every listener of the database, in a transaction of its own after the one that it is about. Best effort.
    void announce(const std::vector<std::string>& texts);

    // Best effort: when it fails the connection is not reusable, and the server rolls back on its own.
    void rollback();

    // Whether a transaction can be begun on it, as far as we can see without asking the server.
    [[nodiscard]] bool reusable();

    [[nodiscard]] PGconn* handle() { return handle_.get(); }

private:
    struct Prepared {
        std::string source;
        std::string name;
        sql::Rendered rendered;
        bool done = false;
    };

    // What the server said without being asked.
    struct Unasked {
        bool warning = false;
        bool farewell = false;
    };
    static void hear(void* unasked, const PGresult* message);

    Connection(ConnectionHandle handle, const sql::PostgresOptions& options);

    [[nodiscard]] Result<void> set_up(const sql::PostgresOptions& options);
    [[nodiscard]] Prepared& find_prepared(const sql::Statement& statement);
    [[nodiscard]] Result<void> prepare(Prepared& prepared, std::string_view what);

    // After something was sent: the last result, or the first error.
    [[nodiscard]] Result<ResultHandle> answer(std::string_view what, Patience patience);
    [[nodiscard]] bool wait_until_answered(Patience patience);
    [[nodiscard]] bool closed_by_server();
    [[nodiscard]] Error lost(std::string_view what);

    ConnectionHandle handle_;
    Patience patience_;        // for a statement
    Patience short_patience_;  // for what needs no work: begin, prepare, rollback
    bool over_ = false;        // something happened after which it must not be used again
    Unasked unasked_;          // libpq keeps a pointer to it
    Parameters parameters_;
    std::unordered_map<const sql::Statement*, Prepared> prepared_;
    int names_given_ = 0;
};

}  // namespace belfry::store::postgres
