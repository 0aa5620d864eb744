// The time limit of a call to a broker, combined with a stop request.
#pragma once

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace belfry::brokers {

[[nodiscard]] inline Error unavailable(std::string message) {
    return Error{ErrorCode::unavailable, std::move(message)};
}

class Deadline {
public:
    using Millis = std::chrono::milliseconds;

    Deadline(Millis timeout, std::stop_token stop)
        : end_(std::chrono::steady_clock::now() + timeout), timeout_(timeout), stop_(std::move(stop)) {}

    [[nodiscard]] bool is_over() const { return stop_.stop_requested() || left() == Millis::zero(); }
    [[nodiscard]] Millis left() const {
        return std::max(Millis::zero(), std::chrono::ceil<Millis>(end_ - std::chrono::steady_clock::now()));
    }
    // How long to wait before the next check for a stop request.
    [[nodiscard]] Millis slice() const {
        constexpr Millis kSliceMax{100};
        return std::min(left(), kSliceMax);
    }
    // Why the wait ended. REQUIRES: is_over().
    [[nodiscard]] Error error(const std::string& broker) const {
        if (stop_.stop_requested())
            return unavailable("the server is stopping and no longer waits for " + broker + " to respond");
        return unavailable(broker + " did not respond within " + std::to_string(timeout_.count()) + " ms");
    }

private:
    const std::chrono::steady_clock::time_point end_;
    const Millis timeout_;
    const std::stop_token stop_;
};

}  // namespace belfry::brokers
