// The database interface of the store: statements inside transactions. SQLite and PostgreSQL implement it. The rest
// of the store is written once, on top of it.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time/instant.hpp"
#include "store/sql/row.hpp"
#include "store/sql/statement.hpp"

namespace belfry::store::sql {

using RowSink = std::function<void(const Row&)>;
using RowVisitor = std::function<bool(const Row&)>;  // returns false to stop

// The number of rows that a statement must change. Any other number is a conflict with this message.
struct Expected {
    std::int64_t rows = 0;
    const char* otherwise = "";

    [[nodiscard]] std::optional<Error> refuse(std::int64_t changed) const {
        return changed == rows ? std::nullopt : std::optional(Error{ErrorCode::conflict, otherwise});
    }
};

// An open transaction. Used by one thread at a time. After an error in a write, no more statements can run in it.
class Session {
public:
    virtual ~Session() = default;

    // Runs the statement for the batch: once per row if it is batched (an empty batch does nothing), otherwise once
    // with the only row. Returns the number of changed rows. Errors: conflict if a constraint rejects it (the message
    // names the constraint), unavailable if the database is busy, full or unreachable, corrupt if the database
    // rejects the statement itself.
    virtual Result<std::int64_t> run(const Statement& statement, const Batch& batch, const RowSink& sink = {}) = 0;

    // Runs a statement that only reads, row by row: at most one row is in memory, however long the result is. Ends
    // when the visitor returns false.
    virtual Result<void> scan(const Statement& statement, const Batch& batch, const RowVisitor& visitor) = 0;

    // Like run(), for a statement whose result is not needed yet: the result or the error may arrive as late as the
    // next run() or the commit. Statements that are sent together wait for the database once. They take effect in the
    // order of the calls. REQUIRES: the data that the sink uses lives until then; statement and batch need not.
    virtual Result<void> later(const Statement& statement, const Batch& batch, RowSink sink = {},
                               std::optional<Expected> expected = {}) {
        auto done = run(statement, batch, sink);
        if (!done) return done.error();
        if (expected) {
            if (auto refused = expected->refuse(*done)) return *refused;
        }
        return {};
    }

    // The same for queries: the sink gets what the query reads.
    template <typename T, std::invocable<T> Sink>
    Result<std::int64_t> run(const Query<T>& query, const Batch& batch, const Sink& sink) {
        return run(static_cast<const Statement&>(query), batch,
                   RowSink([&query, &sink](const Row& row) { sink(read(query, row)); }));
    }
    template <typename T, std::predicate<T> Visitor>
    Result<void> scan(const Query<T>& query, const Batch& batch, const Visitor& visitor) {
        return scan(static_cast<const Statement&>(query), batch,
                    RowVisitor([&query, &visitor](const Row& row) { return visitor(read(query, row)); }));
    }
    template <typename T, std::invocable<T> Sink>
    Result<void> later(const Query<T>& query, const Batch& batch, Sink sink) {
        return later(static_cast<const Statement&>(query), batch,
                     RowSink([&query, sink](const Row& row) { sink(read(query, row)); }));
    }

    // Sends a text to every listener of the database (see Database::listen) after the transaction has committed.
    virtual Result<void> notify(std::string_view text) = 0;

    // Runs several statements without parameters or results, for migrations.
    virtual Result<void> script(std::string_view text) = 0;

private:
    template <typename T>
    static T read(const Query<T>& query, const Row& row) {
        Columns columns(row);
        return query.read(columns);
    }
};

using Work = std::function<Result<void>(Session&)>;

// Thread-safe.
class Database {
public:
    virtual ~Database() = default;
    [[nodiscard]] virtual const Dialect& dialect() const = 0;

    // Runs the work in its own transaction, commits if the work succeeds, and returns the work's result. If the work
    // fails, the transaction is rolled back. The exception is `unknown`: the connection broke during the commit. The
    // work may run on another thread, but only while the caller waits.
    virtual Result<void> write(const Work& work) = 0;

    // The same for work that only reads, on one consistent snapshot. Never waits for writers.
    virtual Result<void> read(const Work& work) = 0;

    // Runs one statement that only reads. Cheaper than read(), because a single statement needs no transaction.
    virtual Result<void> query(const Statement& statement, const Batch& batch, const RowSink& sink) {
        return read([&](Session& session) -> Result<void> {
            auto done = session.run(statement, batch, sink);
            return done ? Result<void>() : done.error();
        });
    }
    template <typename T, std::invocable<T> Sink>
    Result<void> query(const Query<T>& query, const Batch& batch, const Sink& sink) {
        return this->query(static_cast<const Statement&>(query), batch, RowSink([&](const Row& row) {
                               Columns columns(row);
                               sink(query.read(columns));
                           }));
    }

    // The common time of all users of the database: the database server's clock or, without a server, the machine's.
    // At most one round trip, without a transaction.
    virtual Result<Instant> now() = 0;

    // Calls the listener, on a separate thread, with every notified text from this or another server, and with an
    // empty text whenever notifications may have been lost. It receives what is committed after this call has
    // returned. If the database is unreachable, it gets an empty text once it is reachable again. Notifications only
    // save time: callers must not rely on them. Replaces the previous listener, which is not called after this
    // returns; an empty function ends the notifications.
    virtual void listen(std::function<void(std::string_view)> listener) = 0;
};

// `sqlite:PATH`; creates the file if it does not exist.
[[nodiscard]] Result<std::unique_ptr<Database>> open_sqlite(const std::string& path);

struct PostgresOptions {
    std::string url;  // postgres://… or any libpq connection string
    int connections_max = 8;
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::milliseconds lock_timeout{5'000};
    // How long a transaction may be idle between two statements before the database ends it. A frozen server keeps
    // its rows locked, and other servers must not wait long for them.
    std::chrono::milliseconds idle_in_transaction{5'000};
    // For this long after its last response, a connection is assumed to be alive and not tested. If it is dead, the
    // caller gets `unavailable`, which correctly means that nothing was changed.
    std::chrono::milliseconds alive_for{100};
};
// Does not connect: a server may start before its database.
[[nodiscard]] std::unique_ptr<Database> open_postgres(const PostgresOptions& options);

}  // namespace belfry::store::sql
