// The input of a server task with its references resolved. Pure.
//
// A node's input arrives resolved. The only task of a run may refer to the run itself: `${run.scheduledAt}` and the
// others of model::kRunReferences.
#pragma once

#include <map>
#include <string>

#include "model/run/task.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::engine {

// The values of `${run.…}`.
[[nodiscard]] std::map<std::string, Json> run_values(const model::Task& task);

// An error has its location as a JSON pointer into the input.
[[nodiscard]] Result<Json> task_input(const model::Task& task);

}  // namespace belfry::engine
