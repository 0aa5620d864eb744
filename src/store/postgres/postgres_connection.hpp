// One connection to PostgreSQL: statements, prepared once and kept, and the ends of transactions. Every wait has a bound, so
// that a server that is frozen, or behind a network that swallows everything, costs time and not a thread.
//
// Statements are sent in libpq's pipeline mode: those whose answers nobody waits for yet travel with the next one that somebody
// does wait for. A round trip costs both sides more than most of our statements do.
//
// Prepared statements outlive transactions and belong to the session, so a pooler between us and the server has to pool
// whole sessions.
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

    // See sql::Session::later.
    [[nodiscard]] Result<void> send(const sql::Statement& statement, const sql::Batch& batch, sql::RowSink sink,
                                    std::optional<sql::Expected> expected = {});

    // Statements as text, without parameters or answers; after what was sent.
    [[nodiscard]] Result<void> execute(const std::string& text, std::string_view what, Patience patience);

    // A connection that has answered a moment ago is not asked whether it still does: the begin travels with the first statement.
    [[nodiscard]] Result<void> begin(const char* text);

    // Of what was sent, too. Errors: unavailable or conflict when it certainly did not happen, unknown when nobody can say.
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

    // Something that was sent in the pipeline and has not been answered.
    struct Sent {
        std::string what;  // for errors
        sql::RowSink sink = {};
        std::optional<sql::Expected> expected = {};
        const sql::Statement* prepares = nullptr;  // it makes this statement known to the server
    };

    Connection(ConnectionHandle handle, const sql::PostgresOptions& options);

    [[nodiscard]] Result<void> set_up(const sql::PostgresOptions& options);
    [[nodiscard]] Prepared& find_prepared(const sql::Statement& statement);
    [[nodiscard]] bool send_text(const char* text, const char* what);
    [[nodiscard]] bool enter_pipeline();

    // Waits for the answers to all that was sent in the pipeline. The last one, or the first error.
    [[nodiscard]] Result<ResultHandle> settle(Patience patience);
    [[nodiscard]] Result<void> leave_pipeline(Patience patience);
    // The one to the oldest that is unanswered; null: it was passed over, because of an error before it.
    [[nodiscard]] Result<ResultHandle> next_answer(const Sent& sent, Patience patience);

    // After something was sent outside of the pipeline: the last result, or the first error.
    [[nodiscard]] Result<ResultHandle> answer(std::string_view what, Patience patience);
    [[nodiscard]] bool wait_until_answered(Patience patience);
    [[nodiscard]] bool closed_by_server();
    [[nodiscard]] Error silent(std::string_view what);
    [[nodiscard]] Error lost(std::string_view what);

    ConnectionHandle handle_;
    Patience patience_;        // for a statement
    Patience short_patience_;  // for what needs no work: begin, prepare, rollback
    std::chrono::milliseconds alive_for_;
    bool over_ = false;  // something happened after which it must not be used again
    Unasked unasked_;    // libpq keeps a pointer to it
    Parameters parameters_;
    std::unordered_map<const sql::Statement*, Prepared> prepared_;
    int names_given_ = 0;
    std::vector<Sent> sent_;
    std::chrono::steady_clock::time_point answered_at_ = {};  // the last time that the server did
};

}  // namespace belfry::store::postgres
