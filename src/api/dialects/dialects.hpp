// Serves the clients of other schedulers unchanged. Each dialect translates their requests to those of the engine and
// its responses to theirs, with their defaults and errors. A dialect adds no rules of its own, so the native API and
// the other dialects can read everything that it writes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/api.hpp"
#include "api/contract/route.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "engine/engine.hpp"

namespace belfry::api {

struct DialectOptions {
    std::string tenant = "default";  // for requests that name no tenant
    ScheduleLimits limits = {};
};

// One group of routes per dialect. REQUIRES: the engine outlives the routes.
void add_cron_service_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);
void add_rpc_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);
void add_durable_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);

// Finds a schedule by its current name, by its id, or as the newest deleted schedule with that name.
[[nodiscard]] Result<store::ScheduleRecord> schedule_called(engine::Engine& engine, const std::string& tenant,
                                                            const std::string& text);

// The same, but a deleted schedule is not found.
[[nodiscard]] Result<store::ScheduleRecord> living_schedule_called(engine::Engine& engine, const std::string& tenant,
                                                                   const std::string& text);

// Generates a name for a schedule without one: `invoice-sync-1f3a09bc`.
[[nodiscard]] std::string made_up_name(const std::string& workflow);

// A native member and its name in a dialect. In a list of them, the first match counts.
struct FieldName {
    std::string_view native;
    std::string_view name;
    bool has_members = false;  // of the same names; otherwise the location ends here
};
// Maps the location of an error to the one that a client knows.
[[nodiscard]] std::string renamed(const std::string& field, std::span<const FieldName> names);
// The same for an error and those that came with it.
[[nodiscard]] Error renamed(Error error, std::span<const FieldName> names);

// `/spec/cron/0` becomes `spec.cron.0`, `?limit` becomes `limit`.
[[nodiscard]] std::string dotted(std::string field);

}  // namespace belfry::api
