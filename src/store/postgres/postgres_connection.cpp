#include "store/postgres/postgres_connection.hpp"

#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "store/postgres/postgres_channel.hpp"
#include "store/postgres/postgres_error.hpp"
#include "store/postgres/postgres_row.hpp"

namespace belfry::store::postgres {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// TLS decrypts whole records, so the end of a response may already be in its buffer while the socket has no more
// data, and libpq does not report that. Polling after this time is rarely needed and always sufficient.
constexpr int kTlsLookMs = 10;

// Runs on every new connection, before any write: the data may have been moved or restored since the last one. A
// database without the schema has no such function.
constexpr const char* kHealFeed =
    "DO $$ BEGIN IF to_regprocedure('heal_feed()') IS NOT NULL THEN PERFORM heal_feed(); END IF; END $$";

struct FreeText {
    void operator()(char* text) const { PQfreemem(text); }
};

bool succeeded(const PGresult& result) {
    const auto status = PQresultStatus(&result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

// The number of changed rows; PostgreSQL also counts the rows that a SELECT returns.
std::int64_t changed_rows(PGresult& result) {
    if (std::strncmp(PQcmdStatus(&result), "SELECT", 6) == 0) return 0;
    const std::string_view text = PQcmdTuples(&result);
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

// Makes the server count the changed rows, which the last parameter states. With any other number the statement fails,
// and so does the transaction. The client need not wait for the number before it sends the COMMIT.
constexpr std::string_view kMiscounted = "22012";  // division by zero
void count_rows(sql::Rendered& rendered) {
    rendered.text = "WITH changed_ AS (" + rendered.text + " RETURNING 1) SELECT 1 / CASE WHEN count(*) = $" +
                    std::to_string(rendered.parameters.size() + 1) + "::bigint THEN 1 ELSE 0 END FROM changed_";
}
bool is_miscounted(const PGresult& result) {
    const char* const state = PQresultErrorField(&result, PG_DIAG_SQLSTATE);
    return state != nullptr && state == kMiscounted;
}

}  // namespace

Connection::Connection(ConnectionHandle handle, const sql::PostgresOptions& options)
    : handle_(std::move(handle)),
      // The server itself enforces the time limit of a statement. The client gives up only if the server does not.
      patience_(options.statement_timeout.count() > 0 ? Patience(options.statement_timeout + options.connect_timeout)
                                                      : std::nullopt),
      short_patience_(options.connect_timeout),
      alive_for_(options.alive_for) {
    PQsetNoticeReceiver(handle_.get(), hear, &unasked_);
    PQsetnonblocking(handle_.get(), 1);
}

// A warning during a commit is about the commit (see commit()). A server that ends an idle session reports that in an
// unsolicited FATAL error.
void Connection::hear(void* unasked, const PGresult* message) {
    const char* severity = PQresultErrorField(message, PG_DIAG_SEVERITY_NONLOCALIZED);
    const std::string_view heard = severity == nullptr ? "" : severity;
    if (heard == "WARNING") static_cast<Unasked*>(unasked)->warning = true;
    if (heard == "FATAL" || heard == "PANIC") static_cast<Unasked*>(unasked)->farewell = true;
}

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, const sql::PostgresOptions& options) {
    auto handle = address.connect();
    if (!handle) return handle.error();
    std::unique_ptr<Connection> connection(new Connection(std::move(*handle), options));
    if (auto ready = connection->set_up(options); !ready) {
        return from_database(ErrorCode::unavailable, "the database cannot be reached: " + ready.error().message);
    }
    return connection;
}

Result<void> Connection::set_up(const sql::PostgresOptions& options) {
    const auto set = [](const char* name, milliseconds value) {
        return "SET " + std::string(name) + " = " + std::to_string(value.count()) + ";";
    };
    // Every statement of the store has the index that it needs, at any table size. Without these settings, a plan
    // that was made for an empty table would still scan it when it has a million rows. No statement reads enough to be
    // worth the start of other processes, which takes longer than a page of a list.
    //
    // synchronous_commit: acknowledged data is durable, whatever the server's or the role's default; only a setting
    // that is stronger than "on" is kept.
    return execute(set("statement_timeout", options.statement_timeout) + set("lock_timeout", options.lock_timeout) +
                       set("idle_in_transaction_session_timeout", options.idle_in_transaction) +
                       "SET client_min_messages = warning;"
                       "SET timezone = 'UTC';"
                       "SET default_transaction_isolation = 'read committed';"
                       "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;"
                       "SET enable_mergejoin = off; SET jit = off; SET max_parallel_workers_per_gather = 0;"
                       "SELECT set_config('synchronous_commit', 'on', false) WHERE "
                       "current_setting('synchronous_commit') <> 'remote_apply';" +
                       kHealFeed,
                   "set up", short_patience_);
}

Connection::Prepared& Connection::find_prepared(const sql::Statement& statement, bool counted) {
    auto& forms = prepared_[counted ? 1 : 0][&statement];
    // Compares the text, because another statement may have the address of a destroyed one.
    const auto found = std::ranges::find(forms, statement.text, &Prepared::source);
    return found != forms.end() ? *found : add_form(forms, statement, 0, counted);
}

// A form of the statement for what the rows of this batch share. There are few forms, because each costs the server
// memory and a plan: one that leaves a few more arrays will do.
Connection::Prepared& Connection::find_prepared(const sql::Statement& statement, const sql::Batch& batch,
                                                bool counted) {
    constexpr std::size_t kFormsMax = 6;
    constexpr int kArraysMore = 4;
    auto* best = &find_prepared(statement, counted);
    if (best->rendered.sharable == 0 || batch.empty() || batch.width() != best->rendered.parameters.size())
        return *best;
    const auto shared = shared_by_rows(best->rendered, batch);
    auto& forms = prepared_[counted ? 1 : 0][&statement];
    for (auto& form : forms) {
        const bool fits = (form.rendered.shared & ~shared) == 0 && form.source == statement.text;
        if (fits && std::popcount(form.rendered.shared) > std::popcount(best->rendered.shared)) best = &form;
    }
    const auto more = std::popcount(shared) - std::popcount(best->rendered.shared);
    return more > kArraysMore && forms.size() < kFormsMax ? add_form(forms, statement, shared, counted) : *best;
}

Connection::Prepared& Connection::add_form(std::deque<Prepared>& forms, const sql::Statement& statement,
                                           sql::ParameterSet shared, bool counted) {
    auto& form = forms.emplace_back(Prepared{std::string(statement.text), "b" + std::to_string(++names_given_),
                                             render(statement.text, sql::postgres_dialect(), shared)});
    if (counted) count_rows(form.rendered);
    return form;
}

bool Connection::enter_pipeline() {
    return PQpipelineStatus(handle_.get()) != PQ_PIPELINE_OFF || PQenterPipelineMode(handle_.get()) == 1;
}

bool Connection::send_text(const char* text, const char* what) {
    if (!enter_pipeline() || PQsendQueryParams(handle_.get(), text, 0, nullptr, nullptr, nullptr, nullptr, 1) == 0)
        return false;
    sent_.push_back({what, {}, {}, nullptr});
    return true;
}

Result<void> Connection::begin(const char* text) {
    if (steady_clock::now() - answered_at_ > alive_for_) return execute(text, "begin", short_patience_);
    if (!send_text(text, "begin")) return lost("begin");
    return {};
}

Result<void> Connection::send(const sql::Statement& statement, const sql::Batch& batch, sql::RowSink sink,
                              std::optional<sql::Expected> expected) {
    auto& prepared = find_prepared(statement, batch, expected.has_value());
    if (prepared.rendered.batched && batch.empty()) return {};
    const auto rows = expected ? std::optional(expected->rows) : std::nullopt;
    if (auto encoded = parameters_.encode(prepared.rendered, batch, rows); !encoded) {
        return from_database(encoded.error().code, std::string(statement.name) + ": " + encoded.error().message);
    }
    if (!enter_pipeline()) return lost(statement.name);
    if (!prepared.done) {
        // Casts in the text give the types.
        if (PQsendPrepare(handle_.get(), prepared.name.c_str(), prepared.rendered.text.c_str(), 0, nullptr) == 0)
            return lost(statement.name);
        sent_.push_back({std::string(statement.name), {}, {}, &prepared});
        prepared.done = true;  // unless the server reports otherwise
    }
    const int sent = PQsendQueryPrepared(handle_.get(), prepared.name.c_str(), parameters_.count(),
                                         parameters_.values(), parameters_.lengths(), parameters_.formats(), 1);
    if (sent == 0) return lost(statement.name);
    sent_.push_back({std::string(statement.name), std::move(sink), expected});
    return {};
}

Result<std::int64_t> Connection::run(const sql::Statement& statement, const sql::Batch& batch,
                                     const sql::RowSink& sink) {
    if (auto sent = send(statement, batch, sink); !sent) return sent.error();
    const bool nothing = find_prepared(statement, false).rendered.batched && batch.empty();
    auto answered = settle(patience_);
    if (!answered) return answered.error();
    return nothing ? 0 : changed_rows(**answered);
}

Result<void> Connection::scan(const sql::Statement& statement, const sql::Batch& batch,
                              const sql::RowVisitor& visitor) {
    bool wanted = true;
    const auto sink = [&](const sql::Row& row) { wanted = wanted && visitor(row); };
    if (auto sent = send(statement, batch, sink); !sent) return sent;
    sent_.back().row_by_row = true;
    return receive();
}

Result<void> Connection::receive() {
    if (auto answered = settle(patience_); !answered) return answered.error();
    return {};
}

Result<ResultHandle> Connection::settle(Patience patience) {
    const auto sent = std::exchange(sent_, {});
    if (sent.empty()) return ResultHandle();
    if (PQpipelineSync(handle_.get()) == 0) return lost(sent.back().what);
    ResultHandle last;
    std::optional<Error> first_error;
    for (const auto& each : sent) {
        auto answered = next_answer(each, patience);
        if (each.prepares != nullptr && (!answered || !*answered)) each.prepares->done = false;
        if (over_ && !answered) return first_error ? *first_error : answered.error();
        if (!answered && !first_error) first_error = answered.error();
        if (!answered || !*answered) continue;
        last = std::move(*answered);
        if (!each.sink || first_error) continue;
        const int rows = PQntuples(last.get());
        for (int row = 0; row < rows; ++row) each.sink(PostgresRow(*last, row));
    }
    // The end of every round: the server reports the state of the transaction with it.
    if (!wait_until_answered(patience)) return silent(sent.back().what);
    const ResultHandle end(PQgetResult(handle_.get()));
    if (!end || PQresultStatus(end.get()) != PGRES_PIPELINE_SYNC)
        return first_error ? *first_error : lost(sent.back().what);
    answered_at_ = steady_clock::now();
    if (first_error) return *std::move(first_error);
    return last;
}

Result<ResultHandle> Connection::next_answer(const Sent& sent, Patience patience) {
    ResultHandle last;
    std::optional<Error> first_error;
    if (sent.row_by_row) PQsetSingleRowMode(handle_.get());
    while (true) {
        if (!wait_until_answered(patience)) return first_error ? *first_error : silent(sent.what);
        ResultHandle next(PQgetResult(handle_.get()));
        if (!next) break;
        const auto status = PQresultStatus(next.get());
        if (status == PGRES_PIPELINE_ABORTED) continue;
        if (status == PGRES_PIPELINE_SYNC) return lost(sent.what);  // out of sync: no later result can be trusted
        if (status == PGRES_SINGLE_TUPLE) {
            sent.sink(PostgresRow(*next, 0));
            continue;
        }
        if (!succeeded(*next) && !first_error && sent.expected && is_miscounted(*next)) {
            first_error = Error{ErrorCode::conflict, sent.expected->otherwise};
        } else if (!succeeded(*next) && !first_error) {
            auto refused = refusal(*next, sent.what);
            over_ = over_ || refused.connection_over;
            first_error = std::move(refused.error);
        }
        last = std::move(next);
    }
    if (first_error) return *std::move(first_error);
    if (!last && PQstatus(handle_.get()) != CONNECTION_OK) return lost(sent.what);
    return last;
}

Result<void> Connection::leave_pipeline(Patience patience) {
    auto settled = settle(patience);
    if (!over_ && PQpipelineStatus(handle_.get()) != PQ_PIPELINE_OFF && PQexitPipelineMode(handle_.get()) == 0)
        return lost("leave the pipeline");
    if (!settled) return settled.error();
    return {};
}

Result<void> Connection::execute(const std::string& text, std::string_view what, Patience patience) {
    if (auto left = leave_pipeline(patience); !left) return left;
    if (PQsendQuery(handle_.get(), text.c_str()) == 0) return lost(what);
    if (auto answered = answer(what, patience); !answered) return answered.error();
    answered_at_ = steady_clock::now();
    return {};
}

// Once COMMIT was sent, a missing response proves nothing: the server may have committed before the connection broke.
// Only a response decides. "ROLLBACK" is one (the transaction had failed before), and so is an ERROR (a deferred
// constraint). A FATAL is not: a stopping server sends it after a commit, too. A WARNING is not either: PostgreSQL
// uses it if the commit is not on the standby, or if there was no transaction.
Result<void> Connection::commit() {
    if (sent_.empty() && closed_by_server()) return lost("commit");
    unasked_.warning = false;
    const auto unknown = [&](const std::string& why) {
        over_ = true;
        return from_database(ErrorCode::unknown, "commit: the outcome is unknown: " + why);
    };
    if (!send_text("COMMIT", "commit")) return unknown(complaint(*handle_));
    auto answered = settle(patience_);
    const auto state = PQstatus(handle_.get()) == CONNECTION_OK ? PQtransactionStatus(handle_.get()) : PQTRANS_UNKNOWN;
    // The server rejected an earlier statement, so it did not execute the COMMIT.
    if (!answered && state == PQTRANS_INERROR) {
        rollback();
        return answered.error();
    }
    if (state != PQTRANS_IDLE) return unknown(answered ? "the connection broke" : answered.error().message);
    if (!answered) return answered.error();
    if (std::strcmp(PQcmdStatus(answered->get()), "COMMIT") != 0) {
        return Error{ErrorCode::unavailable, "commit: the database had already rolled back the transaction"};
    }
    if (unasked_.warning) return unknown("the database answered with a warning");
    return {};
}

bool Connection::can_notify(std::string_view text) {
    return std::unique_ptr<char, FreeText>(PQescapeLiteral(handle_.get(), text.data(), text.size())) != nullptr;
}

// PostgreSQL commits notifying transactions one after another, each with its own wait for the disk: pg_notify inside
// the transaction cost five sixths of the writes per second of eight threads. So it is sent afterwards, in one round
// trip, without a wait for the disk. If the server dies now, the notification is lost, and listeners find the change
// by polling.
void Connection::notify(const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    std::string command = "SET LOCAL synchronous_commit = off; SELECT ";
    for (const auto& text : texts) {
        const std::unique_ptr<char, FreeText> literal(PQescapeLiteral(handle_.get(), text.data(), text.size()));
        command += std::string(&text == texts.data() ? "" : ", ") + "pg_notify('" + std::string(kChannel) + "', " +
                   (literal ? literal.get() : "''") + ")";
    }
    if (!execute(command, "notify", short_patience_)) over_ = true;
}

void Connection::rollback() {
    for (auto& sent : sent_) sent.sink = {};  // their targets may no longer exist
    (void)leave_pipeline(short_patience_);
    if (over_) return;
    const auto state = PQtransactionStatus(handle_.get());
    if (state != PQTRANS_INTRANS && state != PQTRANS_INERROR) return;  // lost, or still busy
    if (!execute("ROLLBACK", "rollback", short_patience_)) over_ = true;
}

bool Connection::reusable() {
    return !over_ && PQtransactionStatus(handle_.get()) == PQTRANS_IDLE && !closed_by_server();
}

// Reads unsolicited data, which can only be the server's closing message.
bool Connection::closed_by_server() {
    constexpr int kReadsMax = 8;
    for (int i = 0; i < kReadsMax; ++i) {
        if (PQstatus(handle_.get()) != CONNECTION_OK || unasked_.farewell) return true;
        pollfd socket{PQsocket(handle_.get()), POLLIN, 0};
        if (poll(&socket, 1, 0) <= 0) return false;
        if (PQconsumeInput(handle_.get()) == 0) return true;
        PQisBusy(handle_.get());
    }
    return true;
}

Error Connection::silent(std::string_view what) {
    if (PQstatus(handle_.get()) != CONNECTION_OK) return lost(what);
    over_ = true;
    return from_database(ErrorCode::unavailable, std::string(what) + ": the database does not respond");
}

Error Connection::lost(std::string_view what) {
    over_ = true;
    return from_database(ErrorCode::unavailable,
                         std::string(what) + ": the connection was lost: " + complaint(*handle_));
}

Result<ResultHandle> Connection::answer(std::string_view what, Patience patience) {
    ResultHandle last;
    std::optional<Error> first_error;
    while (true) {
        if (!wait_until_answered(patience)) {
            if (first_error && PQstatus(handle_.get()) != CONNECTION_OK) return *first_error;
            return silent(what);
        }
        ResultHandle next(PQgetResult(handle_.get()));
        if (!next) break;
        if (!succeeded(*next) && !first_error) {
            auto refused = refusal(*next, what);
            over_ = over_ || refused.connection_over;
            first_error = std::move(refused.error);
        }
        last = std::move(next);
    }
    if (first_error) return *std::move(first_error);
    if (!last) return lost(what);
    return last;
}

// Sends pending data and reads until a complete result has arrived. False on timeout. A broken connection also counts
// as a result, which PQgetResult describes.
bool Connection::wait_until_answered(Patience patience) {
    const auto deadline = steady_clock::now() + patience.value_or(milliseconds{0});
    while (true) {
        const int unsent = PQflush(handle_.get());
        if (PQisBusy(handle_.get()) == 0) return true;
        int timeout = -1;
        if (patience) {
            const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
            if (left <= 0) return false;
            timeout = static_cast<int>(left);
        }
        const bool tls = PQsslInUse(handle_.get()) != 0;
        if (tls) timeout = timeout < 0 ? kTlsLookMs : std::min(timeout, kTlsLookMs);
        pollfd socket{PQsocket(handle_.get()), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
        if (poll(&socket, 1, timeout) < 0 && errno != EINTR) return false;
        if ((tls || (socket.revents & ~POLLOUT) != 0) && PQconsumeInput(handle_.get()) == 0) return true;
    }
}

}  // namespace belfry::store::postgres
