// The time that handlers take for a response, also for one that is deferred.
#pragma once

#include "api/http/message.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

[[nodiscard]] inline Micros since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now() - began);
}

// Lets `complete` finish the deferred response once it is there, with the time that handlers took: `took` so far, and
// every poll. The time during which the request waits is not counted.
inline void when_ready(DeferredResponse& deferred, Micros took,
                       std::function<void(const Request&, Response&, Micros took)> complete) {
    deferred.poll = [took, complete = std::move(complete), poll = std::move(deferred.poll)](
                        const Request& request, bool last) mutable -> std::optional<Response> {
        const auto began = std::chrono::steady_clock::now();
        auto response = poll(request, last);
        took += since(began);
        if (response) complete(request, *response, took);
        return response;
    };
}

}  // namespace belfry::api
