// A task as a function of an embedding program sees it, and what the function returns. Plain data; JSON is text.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace belfry::embed {

struct Task {
    std::string kind;      // of the target or of the workflow's node
    std::string input;     // JSON
    std::string schedule;  // the name
    std::string run_id;
    std::string node;             // of a workflow; empty: the only task of its run
    std::string idempotency_key;  // the same for every attempt: send it with calls that change something elsewhere
    std::string scheduled_at;     // the occurrence, RFC 3339
    int attempt = 1;
    // Requests a stop when the run is cancelled, its time is over, the lease is lost, or the scheduler stops.
    std::stop_token stop;
};

struct TaskResult {
    bool succeeded = true;
    std::string result = "null";  // JSON, at most 1 MiB; only of a success
    std::string error = {};       // only of a failure
    // Of a failure: `timeout`, `rate_limit`, `provider_error` or `contract_violated`; `retryOn` of the retry policy
    // names these. Empty: none.
    std::string category = {};
    std::optional<std::chrono::milliseconds> retry_after = {};  // the least wait before the next attempt
};

[[nodiscard]] inline TaskResult succeed(std::string result = "null") { return {.result = std::move(result)}; }
[[nodiscard]] inline TaskResult fail(std::string error, std::string category = {}) {
    return {.succeeded = false, .error = std::move(error), .category = std::move(category)};
}

// Called on the scheduler's threads. An exception fails the attempt with its text.
using TaskFunction = std::function<TaskResult(const Task&)>;

}  // namespace belfry::embed
