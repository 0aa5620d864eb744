// The idempotency key of a run. Pure.
//
// It is made of the schedule's id, so that no two runs share a key, whatever happens to names. Clients of the cron
// service know a schedule by its name only and compute the keys themselves: the schedules that they write have
// `run_key_name`. A key of that kind is unique in its tenant as long as the name is not used again.
#pragma once

#include <string>

#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::model {

// REQUIRES: the definition is the one that decided the run, because a key never changes.
[[nodiscard]] inline std::string idempotency_key(const Schedule& definition, const RunSlot& slot) {
    return idempotency_key(definition.run_key_name.empty() ? definition.id : definition.run_key_name, slot);
}

}  // namespace belfry::model
