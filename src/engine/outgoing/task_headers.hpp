// The headers of every call for a task, by which the receiver identifies it. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/net/http_client.hpp"
#include "model/run/task.hpp"

namespace belfry::engine {

// Idempotency-Key, belfry-run-id, belfry-schedule, belfry-scheduled-at, belfry-attempt; belfry-node for a workflow's
// node.
[[nodiscard]] std::vector<HttpHeader> task_headers(const model::Task& task);
[[nodiscard]] std::string traceparent(const model::Task& task);

}  // namespace belfry::engine
