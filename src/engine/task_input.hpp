// What a task of the server's own is given, with its references put in. Pure.
//
// A node's input comes with them resolved. The only task of a run may name the run itself: `${run.scheduledAt}` and the others
// of model::kRunReferences.
#pragma once

#include <map>
#include <string>

#include "model/reference.hpp"
#include "model/task.hpp"

namespace belfry::engine {

// What `${run.…}` leads to.
[[nodiscard]] std::map<std::string, Json> run_values(const model::Task& task);

// An error names the place as a pointer into the input.
[[nodiscard]] Result<Json> task_input(const model::Task& task);

}  // namespace belfry::engine
