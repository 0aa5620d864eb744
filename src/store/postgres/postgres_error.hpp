// Translates PostgreSQL's errors to errors of the store.
#pragma once

#include <libpq-fe.h>

#include <string_view>

#include "base/result.hpp"

namespace belfry::store::postgres {

struct Refusal {
    Error error;
    bool connection_over = false;  // the connection must not be used again
};

// `what` is the name of the failed operation, usually of a statement.
[[nodiscard]] Refusal refusal(const PGresult& result, std::string_view what);

// libpq's error message for a connection, on one line.
[[nodiscard]] std::string complaint(const PGconn& connection);

}  // namespace belfry::store::postgres
