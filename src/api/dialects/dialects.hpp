// The clients of other schedulers as they are: each dialect translates their requests into those of the engine and its answers into
// theirs, with their defaults and their errors. None has a rule of its own, so what one writes the others and the native API read.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "api/api.hpp"
#include "api/route.hpp"
#include "api/schedule_dto.hpp"
#include "engine/engine.hpp"

namespace belfry::api {

struct DialectOptions {
    std::string tenant = "default";  // of a request that names none
    ScheduleLimits limits = {};
};

// One group of routes per dialect. REQUIRES: the engine outlives the routes.
void add_cron_service_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);
void add_rpc_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);
void add_durable_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);

// The schedule that a client calls so: the one that has the name now, the one that has this id, or the newest deleted one that had the name.
[[nodiscard]] Result<store::ScheduleRecord> schedule_called(engine::Engine& engine, const std::string& tenant, const std::string& text);

// The same, and a deleted one is not found.
[[nodiscard]] Result<store::ScheduleRecord> living_schedule_called(engine::Engine& engine, const std::string& tenant, const std::string& text);

// For a schedule whose maker has no name for it: `invoice-sync-1f3a09bc`.
[[nodiscard]] std::string made_up_name(const std::string& workflow);

// The error, and those that came with it, about the places that a client knows: the first prefix that fits is replaced, and what
// stands behind it is left out.
using Places = std::initializer_list<std::pair<std::string_view, std::string_view>>;
[[nodiscard]] Error renamed(Error error, Places places);

}  // namespace belfry::api
