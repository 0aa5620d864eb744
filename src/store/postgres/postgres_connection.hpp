// One connection to PostgreSQL: prepared statements and transactions. Every wait has a limit, so a frozen server or a
// network that drops packets costs time, not a thread.
//
// Statements are sent in libpq's pipeline mode: a statement whose result is not needed yet travels with the next one
// whose result is. A round trip costs both sides more than most of Belfry's statements.
//
// Prepared statements outlive transactions and belong to the session, so a connection pooler in between must use
// session pooling.
#pragma once

#include <array>
#include <chrono>
#include <deque>
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

// How long to wait for a response; empty: as long as the connection lives.
using Patience = std::optional<std::chrono::milliseconds>;

// Used by one thread at a time.
class Connection {
public:
    // Connects and configures the session (time limits, durable commits, UTC). Errors: unavailable.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const Address& address,
                                                                  const sql::PostgresOptions& options);

    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // See sql::Session::run.
    [[nodiscard]] Result<std::int64_t> run(const sql::Statement& statement, const sql::Batch& batch,
                                           const sql::RowSink& sink);

    // See sql::Session::scan. Rows that are no longer wanted are still received, and discarded one by one.
    [[nodiscard]] Result<void> scan(const sql::Statement& statement, const sql::Batch& batch,
                                    const sql::RowVisitor& visitor);

    // See sql::Session::later.
    [[nodiscard]] Result<void> send(const sql::Statement& statement, const sql::Batch& batch, sql::RowSink sink,
                                    std::optional<sql::Expected> expected = {});

    // Waits for the results of everything that was sent. Returns the first error.
    [[nodiscard]] Result<void> receive();

    // Runs statements as text, without parameters or rows, after those already sent.
    [[nodiscard]] Result<void> execute(const std::string& text, std::string_view what, Patience patience);

    // Does not test a connection that responded a moment ago: BEGIN travels with the first statement.
    [[nodiscard]] Result<void> begin(const char* text);

    // Commits everything that was sent. Errors: unavailable or conflict if it certainly did not commit, unknown if
    // that cannot be determined.
    [[nodiscard]] Result<void> commit();

    // Whether the server would accept the text: not if it is not UTF-8.
    [[nodiscard]] bool can_notify(std::string_view text);
    // Notifies every listener of the database, in a separate transaction after the one that it is about. Best effort.
    void notify(const std::vector<std::string>& texts);

    // Best effort: if it fails, the connection is not reusable, and the server rolls back on its own.
    void rollback();

    // Whether it can start a transaction, as far as the client knows without a request.
    [[nodiscard]] bool reusable();

    [[nodiscard]] PGconn* handle() { return handle_.get(); }

private:
    struct Prepared {
        std::string source;
        std::string name;
        sql::Rendered rendered;
        bool done = false;
    };

    // Unsolicited messages from the server.
    struct Unasked {
        bool warning = false;
        bool farewell = false;
    };
    static void hear(void* unasked, const PGresult* message);

    // An unanswered request in the pipeline.
    struct Sent {
        std::string what;  // for errors
        sql::RowSink sink = {};
        std::optional<sql::Expected> expected = {};
        Prepared* prepares = nullptr;  // it prepares this statement on the server
        bool row_by_row = false;       // libpq delivers each row as it arrives, instead of all at the end
    };

    Connection(ConnectionHandle handle, const sql::PostgresOptions& options);

    [[nodiscard]] Result<void> set_up(const sql::PostgresOptions& options);
    // `counted`: it fails if it does not change the expected number of rows.
    [[nodiscard]] Prepared& find_prepared(const sql::Statement& statement, bool counted);
    [[nodiscard]] Prepared& find_prepared(const sql::Statement& statement, const sql::Batch& batch, bool counted);
    Prepared& add_form(std::deque<Prepared>& forms, const sql::Statement& statement, sql::ParameterSet shared,
                       bool counted);
    [[nodiscard]] bool send_text(const char* text, const char* what);
    [[nodiscard]] bool enter_pipeline();

    // Waits for the results of everything in the pipeline. Returns the last result, or the first error.
    [[nodiscard]] Result<ResultHandle> settle(Patience patience);
    [[nodiscard]] Result<void> leave_pipeline(Patience patience);
    // The result of the oldest unanswered request; null: the server skipped it because of an earlier error.
    [[nodiscard]] Result<ResultHandle> next_answer(const Sent& sent, Patience patience);

    // After a request outside of the pipeline: the last result, or the first error.
    [[nodiscard]] Result<ResultHandle> answer(std::string_view what, Patience patience);
    [[nodiscard]] bool wait_until_answered(Patience patience);
    [[nodiscard]] bool closed_by_server();
    [[nodiscard]] Error silent(std::string_view what);
    [[nodiscard]] Error lost(std::string_view what);

    ConnectionHandle handle_;
    Patience patience_;        // for a statement
    Patience short_patience_;  // for requests that need no work: begin, prepare, rollback
    std::chrono::milliseconds alive_for_;
    bool over_ = false;  // the connection must not be used again
    Unasked unasked_;    // libpq keeps a pointer to it
    Parameters parameters_;
    // Without and with a count of the changed rows. The first form of a statement has all arrays.
    std::array<std::unordered_map<const sql::Statement*, std::deque<Prepared>>, 2> prepared_;
    int names_given_ = 0;
    std::vector<Sent> sent_;
    std::chrono::steady_clock::time_point answered_at_ = {};  // the server's latest response
};

}  // namespace belfry::store::postgres
