// Serves the clients of other schedulers unchanged. Each dialect translates their requests to those of the engine and
// its responses to theirs, with their defaults and errors. A dialect adds no rules of its own, so the native API and
// the other dialects can read everything that it writes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "api/contract/route.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/usecases/approval_requirement.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/schedules.hpp"
#include "engine/usecases/tenants.hpp"
#include "engine/usecases/workflows.hpp"
#include "store/store_reader.hpp"

namespace belfry::api {

struct DialectOptions {
    std::string tenant = "default";  // for requests that name no tenant
    ScheduleLimits limits = {};
};

// What the functions of the RPC dialect use. REQUIRES: all of them outlive the routes.
struct RpcServices {
    engine::Schedules& schedules;
    engine::Workflows& workflows;
    engine::Assignments& assignments;
    engine::ApprovalRequirement& approval_requirement;
    engine::Forecaster& forecaster;
    store::StoreReader& reader;
    const engine::Connections& connections;
    const spec::ZoneDatabase& zones;
};

// One group of routes per dialect. REQUIRES: the use cases and what they read outlive the routes.
void add_cron_service_routes(Routes& routes, engine::Schedules& schedules, engine::Workflows& workflows,
                             engine::Forecaster& forecaster, store::StoreReader& reader,
                             const spec::ZoneDatabase& zones, const DialectOptions& options);
void add_rpc_routes(Routes& routes, const RpcServices& services, const DialectOptions& options);
void add_durable_routes(Routes& routes, engine::Schedules& schedules, engine::Backfills& backfills,
                        engine::Tenants& tenants, store::StoreReader& reader, const DialectOptions& options);

// Finds a schedule by its current name, by its id, or as the newest deleted schedule with that name.
[[nodiscard]] Result<store::ScheduleRecord> schedule_called(store::StoreReader& reader, const std::string& tenant,
                                                            const std::string& text);

// The same, but a deleted schedule is not found.
[[nodiscard]] Result<store::ScheduleRecord> living_schedule_called(store::StoreReader& reader,
                                                                   const std::string& tenant, const std::string& text);

// Generates a name for a schedule without one: `invoice-sync-1f3a09bc`.
[[nodiscard]] std::string made_up_name(const std::string& workflow);

// Maps an error, and those that came with it, to the locations that a client knows: replaces the first matching prefix
// and drops what follows it.
using Places = std::initializer_list<std::pair<std::string_view, std::string_view>>;
[[nodiscard]] Error renamed(Error error, Places places);

}  // namespace belfry::api
