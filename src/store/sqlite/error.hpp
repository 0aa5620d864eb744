// Translates SQLite's result codes to errors of the store.
#pragma once

#include <sqlite3.h>

#include <string_view>

#include "base/result.hpp"

namespace belfry::store::sqlite {

// REQUIRES: the call that returned `code` was the last one on the connection, because the error includes the
// connection's message.
[[nodiscard]] Error error_of(sqlite3* connection, int code, std::string_view statement);

// The same for a COMMIT. Most failures leave the outcome unknown: the log may already hold the whole transaction, and
// the next process that opens the file after a crash would then find it. Only a busy or full database has certainly
// not written the commit record.
[[nodiscard]] Error commit_error_of(sqlite3* connection, int code);

}  // namespace belfry::store::sqlite
