#include "store/sqlite/error.hpp"

#include <string>
#include <system_error>

namespace belfry::store::sqlite {

namespace {

// Extended codes carry the primary one in their lowest byte.
int primary(int code) { return code & 0xff; }

struct Meaning {
    ErrorCode code;
    std::string_view words;  // empty when SQLite's own message says it all
};

Meaning meaning_of(int code) {
    using enum ErrorCode;
    switch (primary(code)) {
        case SQLITE_CONSTRAINT: return {conflict, ""};
        case SQLITE_BUSY: return {unavailable, "the database is busy, somebody else is writing to it"};
        case SQLITE_LOCKED: return {unavailable, "a table is locked"};
        case SQLITE_FULL: return {unavailable, "the disk is full"};
        case SQLITE_IOERR: return {unavailable, "the disk failed"};
        case SQLITE_NOMEM: return {unavailable, "there is no memory left"};
        case SQLITE_CANTOPEN: return {unavailable, "a file of the database cannot be opened"};
        case SQLITE_READONLY: return {unavailable, "the database can only be read"};
        case SQLITE_PERM: return {unavailable, "the database may not be used"};
        case SQLITE_INTERRUPT:
        case SQLITE_ABORT: return {unavailable, "the statement was interrupted"};
        // Another process changed the schema, or kept the log locked, more often than SQLite tries again.
        case SQLITE_SCHEMA:
        case SQLITE_PROTOCOL: return {unavailable, "another process is in the way"};
        case SQLITE_CORRUPT: return {corrupt, "the database is damaged"};
        case SQLITE_NOTADB: return {corrupt, "the file is not an SQLite database"};
        default: return {corrupt, "the statement is refused"};
    }
}

// The operating system's reason is kept beyond the call that met it, so it belongs to some codes only.
std::string system_reason(sqlite3* connection, int code) {
    if (primary(code) != SQLITE_IOERR && primary(code) != SQLITE_CANTOPEN) return {};
    const int reason = sqlite3_system_errno(connection);
    return reason == 0 ? std::string() : ", " + std::system_category().message(reason);
}

}  // namespace

Error error_of(sqlite3* connection, int code, std::string_view statement) {
    const auto [kind, words] = meaning_of(code);
    std::string message(words);
    if (!message.empty()) message += ": ";
    message += sqlite3_errmsg(connection) + system_reason(connection, code);
    return from_database(kind, message + " (" + std::string(statement) + ")");
}

Error commit_error_of(sqlite3* connection, int code) {
    auto error = error_of(connection, code, "commit");
    if (primary(code) != SQLITE_BUSY && primary(code) != SQLITE_FULL) error.code = ErrorCode::unknown;
    return error;
}

}  // namespace belfry::store::sqlite
