// Serves the clients of other schedulers unchanged. Each dialect translates their requests to those of the engine and
// its responses to theirs, with their defaults and errors. A dialect adds no rules of its own, so the native API and
// the other dialects can read everything that it writes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/api_options.hpp"
#include "api/contract/route.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/telemetry/health.hpp"
#include "engine/telemetry/server_status.hpp"
#include "engine/usecases/approval_requirement.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/calendars.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "engine/usecases/tenants.hpp"
#include "engine/usecases/workflows.hpp"
#include "store/store_reader.hpp"

namespace belfry::api {

struct DialectOptions {
    std::string tenant = "default";  // for requests that name no tenant
    ScheduleLimits limits = {};
    WorkerSettings worker = {};
};

// What the functions of the RPC dialect use. REQUIRES: all of them outlive the routes.
struct RpcServices {
    engine::Schedules& schedules;
    engine::Workflows& workflows;
    engine::Assignments& assignments;
    engine::Calendars& calendars;
    engine::Backfills& backfills;
    engine::ApprovalRequirement& approval_requirement;
    engine::Forecaster& forecaster;
    store::StoreReader& reader;
    const engine::Connections& connections;
    const spec::ZoneDatabase& zones;
};

// What the routes of the cron service use. REQUIRES: all of them outlive the routes.
struct CronServices {
    engine::Schedules& schedules;
    engine::Workflows& workflows;
    engine::Tenants& tenants;
    engine::Forecaster& forecaster;
    store::StoreReader& reader;
    const engine::ServerStatus& status;
    const spec::ZoneDatabase& zones;
};

// What the routes of the durable dialect use. REQUIRES: all of them outlive the routes.
struct DurableServices {
    engine::Schedules& schedules;
    engine::Backfills& backfills;
    engine::Runs& runs;
    engine::Tenants& tenants;
    store::StoreReader& reader;
    const engine::ServerStatus& status;
    std::function<engine::HealthReading()> health = {};         // empty: the health is not monitored
    std::function<bool()> draining = {};                        // whether the server is shutting down
    std::function<std::optional<store::Counts>()> counts = {};  // must not block
};

// One group of routes per dialect. REQUIRES: the use cases and what they read outlive the routes.
void add_cron_service_routes(Routes& routes, const CronServices& services, const DialectOptions& options);
void add_rpc_routes(Routes& routes, const RpcServices& services, const DialectOptions& options);
void add_durable_routes(Routes& routes, const DurableServices& services, const DialectOptions& options);

// Writes an error in the format of the dialect that the path belongs to, also where the dialect has no route. For the
// paths of the native API, the response stays as it is.
void write_problem_in_dialect(std::string_view path, Response& response);

// Finds a schedule by its current name, by its id, or as the newest deleted schedule with that name.
[[nodiscard]] Result<store::ScheduleRecord> schedule_called(store::StoreReader& reader, const std::string& tenant,
                                                            const std::string& text);

// The same, but a deleted schedule is not found.
[[nodiscard]] Result<store::ScheduleRecord> living_schedule_called(store::StoreReader& reader,
                                                                   const std::string& tenant, const std::string& text);

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
