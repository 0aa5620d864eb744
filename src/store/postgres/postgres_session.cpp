#include "store/postgres/postgres_session.hpp"

#include <algorithm>

namespace belfry::store::postgres {

namespace {

// PostgreSQL wants a payload to be shorter than 8000 bytes.
constexpr std::size_t kAnnouncementBytesMax = 7'999;

// More than this of one transaction say no more than "look yourself".
constexpr std::size_t kAnnouncementsMax = 32;

}  // namespace

Result<std::int64_t> PostgresSession::run(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink) {
    if (first_error_) return *first_error_;
    return remember(connection_.run(statement, batch, sink));
}

Result<void> PostgresSession::later(const sql::Statement& statement, const sql::Batch& batch, sql::RowSink sink,
                                    std::optional<sql::Expected> expected) {
    if (first_error_) return *first_error_;
    return remember(connection_.send(statement, batch, std::move(sink), expected));
}

Result<void> PostgresSession::notify(std::string_view text) {
    if (first_error_) return *first_error_;
    // An empty text is what listeners understand as "something happened, look yourself".
    const bool fits = text.size() <= kAnnouncementBytesMax && announcements_.size() < kAnnouncementsMax;
    const std::string announced(fits ? text : std::string_view());
    if (std::ranges::find(announcements_, announced) == announcements_.end()) announcements_.push_back(announced);
    return {};
}

// A migration takes as long as the tables are large, so the time limit of a statement does not hold for it; that for waiting
// for a lock does.
Result<void> PostgresSession::script(std::string_view text) {
    if (first_error_) return *first_error_;
    return remember(connection_.execute("SET LOCAL statement_timeout = 0;" + std::string(text), "script", std::nullopt));
}

}  // namespace belfry::store::postgres
