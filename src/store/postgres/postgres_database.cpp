#include "store/postgres/postgres_database.hpp"

#include "base/waiting.hpp"
#include "store/postgres/postgres_session.hpp"

namespace belfry::store::postgres {

namespace {

// READ COMMITTED, which Connection makes the default.
constexpr const char* kBeginWrite = "BEGIN";
constexpr const char* kBeginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

// The time of this very moment, not of the transaction's beginning; exact, since an epoch is numeric.
const sql::Statement kNow("now", "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000000) AS bigint)");

// The work's own answer, unless it swallowed the error of a statement: then nothing of it can stay.
Result<void> carry_out(const sql::Work& work, PostgresSession& session) {
    auto done = work(session);
    if (done && session.first_error()) return *session.first_error();
    return done;
}

}  // namespace

PostgresDatabase::PostgresDatabase(const sql::PostgresOptions& options)
    : options_(options), address_(Address::parse(options)), pool_(address_, options) {}

// A connection may die in the pool without a sign. Nothing has been sent on it that matters, so one more is tried; the
// second failure is news.
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
    const Waiting waiting;  // for the server, nearly all the time
    auto lease = begin(kBeginWrite);
    if (!lease) return lease.error();
    PostgresSession session(**lease);
    auto done = carry_out(work, session);
    if (!done) {
        (*lease)->rollback();
        return done;
    }
    auto committed = (*lease)->commit();
    if (committed) (*lease)->announce(session.announcements());
    return committed;
}

// What was read is good however the transaction ends, and when it does not end well the connection is not used again.
Result<void> PostgresDatabase::read(const sql::Work& work) {
    const Waiting waiting;
    auto lease = begin(kBeginRead);
    if (!lease) return lease.error();
    PostgresSession session(**lease);
    auto done = carry_out(work, session);
    (*lease)->rollback();
    return done;
}

// Asking needs no transaction, and may be repeated for the same reason as a begin.
Result<Instant> PostgresDatabase::now() {
    const Waiting waiting;
    for (bool second_try = false;; second_try = true) {
        auto lease = pool_.take();
        if (!lease) return lease.error();
        Instant now;
        auto asked = (*lease)->run(kNow, {}, [&now](const sql::Row& row) { now = Instant{Micros{row.integer(0)}}; });
        if (asked) return now;
        if (second_try || !lease->used_before()) return asked.error();
        pool_.forget_idle();
    }
}

// The lock is held while the old listener ends, so that two callers at once leave exactly one behind.
void PostgresDatabase::listen(std::function<void(std::string_view)> listener) {
    const MutexLock lock(listen_mutex_);
    listener_.reset();
    if (listener && address_) listener_ = std::make_unique<Listener>(*address_, options_, std::move(listener));
}

}  // namespace belfry::store::postgres

namespace belfry::store::sql {

std::unique_ptr<Database> open_postgres(const PostgresOptions& options) { return std::make_unique<postgres::PostgresDatabase>(options); }

}  // namespace belfry::store::sql
