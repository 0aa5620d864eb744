// A claimed task, as its worker sees it. Pure.
#pragma once

#include <string>

#include "model/run/run.hpp"
#include "model/run/task.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::store {

// A claim, as input for the worker's view of its task. `node` is empty for the single task of a run.
struct Claimed {
    const model::Run& run;
    const model::Schedule& definition;  // of the run's version
    const model::WorkflowRun* workflow_run = nullptr;
    std::string node = {};
    int attempt = 0;
    Instant lease_until = {};
    std::string assignee = {};
    Instant ready_at = {};
};
[[nodiscard]] model::Task task_of(const Claimed& claimed);

}  // namespace belfry::store
