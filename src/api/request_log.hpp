// A line for every request that asked for a change, with its operation, whoever asked and the trace that it is part of: what the
// access log, which knows no routes, cannot say. Thread-safe.
#pragma once

#include "api/router.hpp"
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
