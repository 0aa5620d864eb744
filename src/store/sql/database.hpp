// What the store needs of a database: statements inside transactions. SQLite and PostgreSQL implement it; everything else
// about the store is written once, on top of this.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/instant.hpp"
#include "base/result.hpp"
#include "store/sql/statement.hpp"

namespace belfry::store::sql {

// One row of an answer, valid until the sink returns. Columns are counted from 0. Asking for the wrong type gives 0 or "".
class Row {
public:
    virtual ~Row() = default;
    [[nodiscard]] virtual bool is_null(int column) const = 0;
    [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
    [[nodiscard]] virtual std::string_view text(int column) const = 0;  // bytes, too
};
using RowSink = std::function<void(const Row&)>;

// How many rows a statement has to change; any other number is a conflict, and this is what it means.
struct Expected {
    std::int64_t rows = 0;
    const char* otherwise = "";

    [[nodiscard]] std::optional<Error> refuse(std::int64_t changed) const {
        return changed == rows ? std::nullopt : std::optional(Error{ErrorCode::conflict, otherwise});
    }
};

// An open transaction. Used by one thread at a time. After an error inside a write nothing more can be run in it.
class Session {
public:
    virtual ~Session() = default;

    // Runs the statement for the batch: once for every row when it is batched (an empty batch does nothing), otherwise
    // once with the only row. Returns how many rows were changed. Errors: conflict when a constraint refuses (the message
    // names it), unavailable when the database is busy, full or away, corrupt when the statement itself is refused.
    virtual Result<std::int64_t> run(const Statement& statement, const Batch& batch, const RowSink& sink = {}) = 0;

    // The same for a statement whose answer is not needed yet: it may come as late as with the next run() or the commit, and so
    // may its error. What is sent together waits for the database once. Statements take effect in the order of the calls.
    // REQUIRES: what the sink uses lives until then; statement and batch need not.
    virtual Result<void> later(const Statement& statement, const Batch& batch, RowSink sink = {}, std::optional<Expected> expected = {}) {
        auto done = run(statement, batch, sink);
        if (!done) return done.error();
        if (expected) {
            if (auto refused = expected->refuse(*done)) return *refused;
        }
        return {};
    }

    // Announces a text to every listener of the database (see Database::listen), once the transaction is committed.
    virtual Result<void> notify(std::string_view text) = 0;

    // Several statements without parameters or answers, for migrations.
    virtual Result<void> script(std::string_view text) = 0;
};

using Work = std::function<Result<void>(Session&)>;

// Thread-safe.
class Database {
public:
    virtual ~Database() = default;
    [[nodiscard]] virtual const Dialect& dialect() const = 0;

    // Runs the work in a transaction of its own and commits when the work succeeds; what the work answers is answered. When
    // it fails nothing of it stays. The one error that says less is `unknown`: the connection broke inside the commit.
    // The work may run on another thread, but only while the caller waits.
    virtual Result<void> write(const Work& work) = 0;

    // The same for work that only reads, on one consistent snapshot. It never waits for writers.
    virtual Result<void> read(const Work& work) = 0;

    // What time it is for everybody who uses the database: the server's clock where there is a server, otherwise the
    // machine's. At most one round trip, and no transaction.
    virtual Result<Instant> now() = 0;

    // Calls back, on a thread of its own, with what was announced, here or on another server, and with an empty text
    // whenever announcements may have been lost. It hears what is committed after this has returned; when the database could not be
    // reached, it gets an empty text as soon as it can be. An acceleration: no caller may rely on it. Replaces the listener before
    // it; an empty function ends it, and when this returns the old one is not called any more.
    virtual void listen(std::function<void(std::string_view)> listener) = 0;
};

// `sqlite:PATH`; the file is made when it does not exist.
[[nodiscard]] Result<std::unique_ptr<Database>> open_sqlite(const std::string& path);

struct PostgresOptions {
    std::string url;  // postgres://… or what libpq understands
    int connections_max = 8;
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::milliseconds lock_timeout{5'000};
    // How long the work between two statements may take before the database ends the transaction. A server that freezes inside one keeps
    // its rows locked, and others must not wait long for them.
    std::chrono::milliseconds idle_in_transaction{5'000};
    // So long after its last answer a connection is taken to be alive, and not asked. Who is wrong about that gets an error,
    // "unavailable", which says truly that nothing was changed.
    std::chrono::milliseconds alive_for{100};
};
// Does not connect yet: a server may start before its database.
[[nodiscard]] std::unique_ptr<Database> open_postgres(const PostgresOptions& options);

}  // namespace belfry::store::sql
