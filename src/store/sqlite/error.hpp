// What SQLite's result codes mean to a caller of the store.
#pragma once

#include <sqlite3.h>

#include <string_view>

#include "base/result.hpp"

namespace belfry::store::sqlite {

// REQUIRES: the call that returned `code` was the last one on the connection, whose message is part of the answer.
[[nodiscard]] Error error_of(sqlite3* connection, int code, std::string_view statement);

// The same for a COMMIT. Most failures inside it leave a doubt: the log may already hold the whole transaction, and whoever
// opens the file after a crash would then find it. Only a busy or full database has certainly written no commit record.
[[nodiscard]] Error commit_error_of(sqlite3* connection, int code);

}  // namespace belfry::store::sqlite
