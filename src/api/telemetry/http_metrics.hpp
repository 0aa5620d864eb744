// Counts and times requests by operation, not by path, because clients can invent any number of paths. Lock-free and
// thread-safe.
#pragma once

#include <array>
#include <map>
#include <string>

#include "api/http/message.hpp"
#include "base/metrics.hpp"
#include "base/text/named_values.hpp"

namespace belfry::api {

inline constexpr std::size_t kStatusClasses = 6;  // 0xx is never used; 1xx to 5xx are at their own index

struct OperationReading {
    std::string method = {};                                 // of its route; empty when there is none
    std::array<std::uint64_t, kStatusClasses> answers = {};  // by the first digit of the status
    HistogramReading took = {};
};

class HttpMetrics {
public:
    void add(const Response& response, Micros took);

    // By operation. Requests without a route are under "none".
    [[nodiscard]] std::map<std::string, OperationReading> read() const;

    // Connections that were closed because their clients did not read (unread_answers.hpp).
    void add_unread_closed() { unread_closed_.add(1); }
    [[nodiscard]] std::uint64_t unread_closed() const { return unread_closed_.value(); }

private:
    static constexpr std::size_t kOperationsMax = 500;

    struct Operation {
        std::atomic<const char*> method = "";  // a literal, because a reader may outlive the routes
        std::array<Counter, kStatusClasses> answers;
        Histogram took;
    };
    NamedValues<Operation> operations_{kOperationsMax};
    Counter unread_closed_;
};

}  // namespace belfry::api
