// The clients of other schedulers as they are: each dialect translates their requests into those of the engine and its answers into
// theirs, with their defaults and their errors. None has a rule of its own, so what one writes the others and the native API read.
#pragma once

#include <string>

#include "api/api.hpp"
#include "api/route.hpp"
#include "api/schedule_dto.hpp"
#include "engine/engine.hpp"

namespace belfry::api {

struct DialectOptions {
    std::string tenant = "default";  // of a request that names none
    ScheduleLimits limits = {};
};

// The schedule that a client calls so: the one that has the name now, the one that has this id, or the newest deleted one that had the name.
[[nodiscard]] Result<store::ScheduleRecord> schedule_called(engine::Engine& engine, const std::string& tenant, const std::string& text);

}  // namespace belfry::api
