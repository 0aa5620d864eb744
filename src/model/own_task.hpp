// What a schedule gives to a task that the server does itself (model/task.hpp). Pure.
#pragma once

#include "base/errors.hpp"
#include "model/schedule.hpp"

namespace belfry::model {

// All that is wrong with the inputs of such a schedule, whichever of them a run takes; nothing for any other target. Fields are
// pointers into the schedule. Such an input may refer to its run, `${run.scheduledAt}`, and to nothing else: there is nothing else.
[[nodiscard]] Errors check_own_task(const Schedule& schedule);

}  // namespace belfry::model
