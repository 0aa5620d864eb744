#include "store/postgres/postgres_session.hpp"

#include <algorithm>

namespace belfry::store::postgres {

namespace {

// PostgreSQL wants a payload to be shorter than 8000 bytes.
constexpr std::size_t kNotificationBytesMax = 7'999;

// More than this of one transaction say no more than "look yourself".
constexpr std::size_t kNotificationsMax = 32;

}  // namespace

Result<std::int64_t> PostgresSession::run(const sql::Statement& statement, const sql::Batch& batch,
                                          const sql::RowSink& sink) {
    if (first_error_) return *first_error_;
    return remember(connection_.run(statement, batch, sink));
}

Result<void> PostgresSession::scan(const sql::Statement& statement, const sql::Batch& batch,
                                   const sql::RowVisitor& visitor) {
    if (first_error_) return *first_error_;
    return remember(connection_.scan(statement, batch, visitor));
}

Result<void> PostgresSession::later(const sql::Statement& statement, const sql::Batch& batch, sql::RowSink sink,
                                    std::optional<sql::Expected> expected) {
    if (first_error_) return *first_error_;
    return remember(connection_.send(statement, batch, std::move(sink), expected));
}

Result<void> PostgresSession::notify(std::string_view text) {
    if (first_error_) return *first_error_;
    // An empty text is what listeners understand as "something happened, look yourself".
    const bool fits = text.size() <= kNotificationBytesMax && notifications_.size() < kNotificationsMax &&
                      connection_.can_notify(text);
    const std::string notified(fits ? text : std::string_view());
    if (std::ranges::find(notifications_, notified) == notifications_.end()) notifications_.push_back(notified);
    return {};
}

// A migration may take long on large tables, so it has no statement timeout; the lock timeout still applies.
Result<void> PostgresSession::script(std::string_view text) {
    if (first_error_) return *first_error_;
    return remember(
        connection_.execute("SET LOCAL statement_timeout = 0;" + std::string(text), "script", std::nullopt));
}

}  // namespace belfry::store::postgres
