#include "store/sqlite/error.hpp"

#include <string>
#include <system_error>

namespace belfry::store::sqlite {

namespace {

// The lowest byte of an extended code is the primary code.
int primary(int code) { return code & 0xff; }

struct Meaning {
    ErrorCode code;
    std::string_view words;  // empty if SQLite's own message is sufficient
};

Meaning meaning_of(int code) {
    using enum ErrorCode;
    switch (primary(code)) {
        case SQLITE_CONSTRAINT: return {conflict, ""};
        case SQLITE_BUSY: return {unavailable, "the database is busy: another process is writing to it"};
        case SQLITE_LOCKED: return {unavailable, "a table is locked"};
        case SQLITE_FULL: return {unavailable, "the disk is full"};
        case SQLITE_IOERR: return {unavailable, "the disk failed"};
        case SQLITE_NOMEM: return {unavailable, "out of memory"};
        case SQLITE_CANTOPEN: return {unavailable, "cannot open a file of the database"};
        case SQLITE_READONLY: return {unavailable, "the database is read-only"};
        case SQLITE_PERM: return {unavailable, "the permission to use the database is missing"};
        case SQLITE_INTERRUPT:
        case SQLITE_ABORT: return {unavailable, "the statement was interrupted"};
        // Another process changed the schema or locked the log more often than SQLite retries.
        case SQLITE_SCHEMA:
        case SQLITE_PROTOCOL: return {unavailable, "another process blocked the statement"};
        case SQLITE_CORRUPT: return {corrupt, "the database is damaged"};
        case SQLITE_NOTADB: return {corrupt, "the file is not an SQLite database"};
        default: return {corrupt, "SQLite rejected the statement"};
    }
}

// SQLite keeps the operating system's error after the call, so it is valid only for these codes.
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
