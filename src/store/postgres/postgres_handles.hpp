// Owning handles for libpq's objects.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace belfry::store::postgres {

struct EndConnection {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, EndConnection>;

struct ClearResult {
    void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

}  // namespace belfry::store::postgres
