// The tasks that a run or a node puts into a queue. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "model/identity.hpp"
#include "model/run/task.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::store {

// A task to insert into a queue.
struct NewTask {
    model::RunKey run;
    std::string node = {};
    std::string queue = {};
    std::string assignee = {};
    int priority = 0;
    Instant ready_at = {};
    int attempts = 0;  // until now
    std::optional<std::chrono::milliseconds> timeout = {};
};
// The single task of a run, from the definition that decided the run and the run's input.
[[nodiscard]] NewTask single_task(const model::Schedule& definition, const Json& input, const model::RunKey& run,
                                  Instant ready_at, int attempts, const std::string& default_connection);
// `input` is that of the run: the record of a run's single task has none of its own.
[[nodiscard]] NewTask node_task(const model::NodeRun& node, const Json& input, const model::RunKey& run, int priority);

}  // namespace belfry::store
