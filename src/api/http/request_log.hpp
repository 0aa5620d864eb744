// Writes one line per response, with its operation, principal and trace. Thread-safe.
#pragma once

#include "api/http/message.hpp"
#include "base/log.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

class RequestLog {
public:
    // REQUIRES: the log outlives it.
    explicit RequestLog(const Log& log) : log_(log) {}

    // Level info for requests that change something and for server errors, level debug for all others.
    void add(const Request& request, const Response& response, Micros took) const;

private:
    const Log& log_;
};

}  // namespace belfry::api
