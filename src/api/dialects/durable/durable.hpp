// The dialect of the durable-workflow server: `/api/schedules`, snake_case, the tenant in X-Namespace. Shared by its
// files:
//
//   durable_shapes    the shapes of requests and responses
//   durable_reading   reads a definition from a request
//   durable_writing   writes a schedule and the outcomes of actions on it
//   durable_history   writes events of schedules and runs
//   durable_runs      workflow runs: their routes; durable_run_writing, durable_run_shapes: their responses
//   durable_query     the filters of a list, and its page tokens
//   durable_errors    errors in the format of this dialect
//   durable_routes    schedules; durable_actions: actions on them; durable_server: what the server is and how it is;
//                     durable_waterline: the routes of the console
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/dialects/dialects.hpp"
#include "api/telemetry/readiness.hpp"

namespace belfry::api::durable {

inline constexpr const char* kVersionHeader = "X-Durable-Workflow-Control-Plane-Version";
inline constexpr const char* kControlPlaneVersion = "2";
inline constexpr std::int64_t kScheduleIdMax = 128;  // characters
inline constexpr std::int64_t kNoteMax = 1'000;      // characters
inline constexpr std::int64_t kJitterSecondsMax = 3'600;
inline constexpr std::size_t kMemoMax = std::size_t{256} << 10U;  // bytes of its JSON
inline constexpr std::int64_t kQueryMax = 2'048;                  // bytes of a filter
inline constexpr std::int64_t kTokenMax = 8'192;                  // bytes of a page token
inline constexpr std::int64_t kPageRows = 50;
inline constexpr std::int64_t kPageRowsMax = 200;
inline constexpr std::int64_t kHistoryRows = 100;
inline constexpr std::int64_t kHistoryRowsMax = 500;

// -- Errors.

// An error response. Programs use the reason.
struct Refusal {
    Problem problem;  // its fields are JSON pointers into the request, or `?name` of a parameter
    std::string reason;
    boost::json::object details = {};  // further members of the response
};
[[nodiscard]] boost::json::object refusal_body(const Refusal& refusal);
[[nodiscard]] std::string reason_of(const Problem& problem);  // by its status
[[nodiscard]] Response refused(const Refusal& refusal);
[[nodiscard]] Response refused(const Problem& problem);          // by its status
[[nodiscard]] Response refused_by_list(const Problem& problem);  // the same for lists, where a parameter is a filter
[[nodiscard]] ShapePtr refusal_shape();

// Maps an error of the engine about a definition, with native fields, or about a time range. Errors that do not concern
// the request are returned unchanged.
[[nodiscard]] Result<Response> refused_definition(const Error& error, const std::string& schedule_id);
[[nodiscard]] Result<Response> refused_range(const Error& error);

// The name of a native member in this dialect: `/notes` becomes `note`.
[[nodiscard]] std::string member_name(const std::string& native);

// -- Routes.

using DialectPtr = std::shared_ptr<const Dialect>;
[[nodiscard]] DialectPtr make_dialect(
    const DialectOptions& options,
    std::function<Response(const Problem&)> refusal = [](const Problem& each) { return refused(each); });
// For lists: their parameters are filters, so ignoring one would return too much.
[[nodiscard]] DialectPtr with_strict_query(const DialectPtr& dialect);
[[nodiscard]] Member version_header();

void add_schedule_routes(Routes& routes, const DurableServices& services, const DialectOptions& options);
void add_action_routes(Routes& routes, const DurableServices& services, const DialectOptions& options);
void add_run_routes(Routes& routes, const DurableServices& services, const DialectOptions& options);
void add_server_routes(Routes& routes, const DurableServices& services, const DialectOptions& options);
void add_waterline_routes(Routes& routes, const DurableServices& services, const DialectOptions& options);

// -- Handlers that the console shares.

// Finds `{schedule_id}` of the call, also if it is deleted; the second function does not find deleted schedules.
[[nodiscard]] Result<store::ScheduleRecord> schedule_asked_for(store::StoreReader& reader, const Call& call);
[[nodiscard]] Result<store::ScheduleRecord> live_schedule(store::StoreReader& reader, const Call& call);

[[nodiscard]] Result<Response> schedule_history(store::StoreReader& reader, const Call& call);
[[nodiscard]] Result<store::ScheduleRecord> remove_schedule(engine::Schedules& schedules, store::StoreReader& reader,
                                                            const Call& call);

// `written` makes the response from the changed schedule.
using Written = std::function<Result<Response>(const store::ScheduleRecord&)>;
[[nodiscard]] Result<Response> pause_schedule(engine::Schedules& schedules, store::StoreReader& reader,
                                              const Call& call, const Written& written);
[[nodiscard]] Result<Response> resume_schedule(engine::Schedules& schedules, store::StoreReader& reader,
                                               const Call& call, const Written& written);
[[nodiscard]] Result<boost::json::object> triggered(engine::Schedules& schedules, store::StoreReader& reader,
                                                    const Call& call);
// The checks of a server that is ready for requests.
struct HealthView {
    std::vector<Check> checks = {};
    bool ok = true;
    std::optional<Instant> at = {};
};
[[nodiscard]] HealthView read_health(const DurableServices& services);

// The members of the body that name the range.
struct RangeNames {
    const char* start = "start_time";
    const char* end = "end_time";
};
[[nodiscard]] Result<Response> backfill_schedule(const DurableServices& services, const Call& call,
                                                 const RangeNames& names);

}  // namespace belfry::api::durable
