// What every call for a task carries, so that its receiver knows which one it is. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/http_client.hpp"
#include "model/task.hpp"

namespace belfry::engine {

// Idempotency-Key, belfry-run-id, belfry-schedule, belfry-scheduled-at, belfry-attempt; belfry-node for a node of a workflow.
[[nodiscard]] std::vector<HttpHeader> task_headers(const model::Task& task);
[[nodiscard]] std::string traceparent(const model::Task& task);

}  // namespace belfry::engine
