// What PostgreSQL refuses, in our words.
#pragma once

#include <libpq-fe.h>

#include <string_view>

#include "base/result.hpp"

namespace belfry::store::postgres {

struct Refusal {
    Error error;
    bool connection_over = false;  // the connection should not be used again
};

// `what` was being done: the name of a statement, usually.
[[nodiscard]] Refusal refusal(const PGresult& result, std::string_view what);

// libpq's own complaint about a connection, on one line.
[[nodiscard]] std::string complaint(const PGconn& connection);

}  // namespace belfry::store::postgres
