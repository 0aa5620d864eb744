#include "store/postgres/postgres_database.hpp"

#include "base/concurrency/blocking_scope.hpp"
#include "base/concurrency/client_thread.hpp"
#include "store/postgres/postgres_session.hpp"

namespace belfry::store::postgres {

namespace {

// READ COMMITTED, which Connection sets as the default.
constexpr const char* kBeginWrite = "BEGIN";
constexpr const char* kBeginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

// The current time, not the start of the transaction; exact, because an epoch is numeric.
const sql::Statement kNow("now", "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000000) AS bigint)");

const sql::Batch kNoParameters;

// The work's own result, unless it ignored the error of a statement: then the transaction must not commit.
Result<void> carry_out(const sql::Work& work, PostgresSession& session) {
    auto done = work(session);
    if (done && session.first_error()) return *session.first_error();
    return done;
}

}  // namespace

PostgresDatabase::PostgresDatabase(const sql::PostgresOptions& options)
    : options_(options), address_(Address::parse(options)), pool_(address_, options) {}

// A pooled connection may have died unnoticed. Nothing that matters was sent on it, so one more is tried; the second
// failure is an error.
Result<Lease> PostgresDatabase::begin(const char* text) {
    for (bool second_try = false;; second_try = true) {
        auto lease = pool_.take();
        if (!lease) return lease;
        auto begun = (*lease)->begin(text);
        if (begun) return lease;
        if (second_try || !lease->used_before()) return begun.error();
        pool_.forget_idle();
    }
}

Result<void> PostgresDatabase::write(const sql::Work& work) {
    const BlockingScope waiting;  // mostly for the server
    auto lease = begin(kBeginWrite);
    if (!lease) return lease.error();
    PostgresSession session(**lease);
    auto done = carry_out(work, session);
    if (!done) {
        (*lease)->rollback();
        return done;
    }
    auto committed = (*lease)->commit();
    if (committed) notify(**lease, session.notifications());
    return committed;
}

// Listeners of this process first: one of them may be a worker that waits.
void PostgresDatabase::notify(Connection& connection, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    {
        const MutexLock lock(listener_mutex_);
        if (listener_) listener_->deliver(PQbackendPID(connection.handle()), texts);
    }
    connection.notify(texts);
}

// The data is valid however the transaction ends. If it does not end cleanly, the connection is not reused.
Result<void> PostgresDatabase::read(const sql::Work& work) {
    const BlockingScope waiting;
    auto lease = begin(kBeginRead);
    if (!lease) return lease.error();
    PostgresSession session(**lease);
    auto done = carry_out(work, session);
    (*lease)->rollback();
    return done;
}

Result<void> PostgresDatabase::query(const sql::Statement& statement, const sql::Batch& batch,
                                     const sql::RowSink& sink) {
    const Asked asked{&statement, &batch, &sink};
    return serves_clients ? queries_.ask(0, 1, asked) : query_alone(asked);
}

// Repeated for the same reason as a begin, unless the caller has got rows already.
Result<void> PostgresDatabase::query_alone(const Asked& asked) {
    const BlockingScope waiting;
    bool sunk = false;
    const auto counted = [&](const sql::Row& row) {
        sunk = true;
        (*asked.sink)(row);
    };
    for (bool second_try = false;; second_try = true) {
        auto lease = pool_.take();
        if (!lease) return lease.error();
        auto answered = (*lease)->run(*asked.statement, *asked.batch, counted);
        if (answered) return {};
        if (second_try || sunk || !lease->used_before() || (*lease)->reusable()) return answered.error();
        pool_.forget_idle();
    }
}

// If one of them fails, those that have no rows yet are asked alone: the reason may concern only one.
std::vector<Result<void>> PostgresDatabase::query_round(const std::vector<Asked>& calls) {
    std::vector<bool> sunk(calls.size());
    if (calls.size() > 1 && query_together(calls, sunk)) return std::vector<Result<void>>(calls.size());
    std::vector<Result<void>> answers;
    for (std::size_t i = 0; i < calls.size(); ++i) answers.push_back(sunk[i] ? Result<void>() : query_alone(calls[i]));
    return answers;
}

// A caller's rows come all at once, when its result is complete.
Result<void> PostgresDatabase::query_together(const std::vector<Asked>& calls, std::vector<bool>& sunk) {
    const BlockingScope waiting;
    auto lease = pool_.take();
    if (!lease) return lease.error();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto sink = [&sunk, i, &own = *calls[i].sink](const sql::Row& row) {
            sunk[i] = true;
            own(row);
        };
        if (auto sent = (*lease)->send(*calls[i].statement, *calls[i].batch, sink); !sent) {
            (*lease)->rollback();
            return sent;
        }
    }
    return (*lease)->receive();
}

Result<Instant> PostgresDatabase::now() { return serves_clients ? clock_.ask(0, 1, 0) : read_clock(); }

Result<Instant> PostgresDatabase::read_clock() {
    Instant now;
    const sql::RowSink sink = [&now](const sql::Row& row) { now = Instant{Micros{row.integer(0)}}; };
    if (auto asked = query_alone({&kNow, &kNoParameters, &sink}); !asked) return asked.error();
    return now;
}

// Holds the lock while the old listener ends, so that two concurrent callers leave exactly one listener.
void PostgresDatabase::listen(std::function<void(std::string_view)> listener) {
    const MutexLock one_at_a_time(listen_mutex_);
    // The old one may be about to write, which uses the member.
    const auto exchange = [this](std::unique_ptr<Listener> next) {
        const MutexLock lock(listener_mutex_);
        return std::exchange(listener_, std::move(next));
    };
    exchange(nullptr).reset();
    if (listener && address_) exchange(std::make_unique<Listener>(*address_, options_, std::move(listener)));
}

}  // namespace belfry::store::postgres

namespace belfry::store::sql {

std::unique_ptr<Database> open_postgres(const PostgresOptions& options) {
    return std::make_unique<postgres::PostgresDatabase>(options);
}

}  // namespace belfry::store::sql
