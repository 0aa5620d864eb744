// Logs every request that changes something, with its operation, principal and trace. The access log knows no routes
// and cannot include these. Thread-safe.
#pragma once

#include "api/contract/router.hpp"
#include "base/log.hpp"

namespace belfry::api {

class RequestLog {
public:
    // REQUIRES: the log outlives it.
    explicit RequestLog(const Log& log) : log_(log) {}

    void add(const Served& served) const;

private:
    const Log& log_;
};

}  // namespace belfry::api
