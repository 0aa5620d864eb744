// Validation for schedules whose task the server does itself (model/run/task.hpp). Pure.
#pragma once

#include <functional>

#include "base/errors.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::model {

// Returns every error in the inputs that a run of such a schedule could use; none for other targets. Fields are
// pointers into the schedule. These inputs may refer only to their run, as in `${run.scheduledAt}`, because there are
// no other nodes.
[[nodiscard]] Errors check_own_task(const Schedule& schedule);

// The same with the caller's own check, for each input that is set. Returns no errors if the schedule's task is of
// another kind.
using CheckInput = std::function<std::optional<Error>(const Json& input)>;
[[nodiscard]] Errors check_inputs(const Schedule& schedule, NodeKind kind, const CheckInput& check);

}  // namespace belfry::model
