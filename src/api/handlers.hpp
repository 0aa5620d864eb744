// What the handlers of all groups share: schedule references in paths, paging, and the functions that add each group of
// routes.
#pragma once

#include "api/api.hpp"
#include "api/contract/route.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "engine/engine.hpp"
#include "model/limits.hpp"
#include "store/listing.hpp"
#include "store/registry.hpp"

namespace belfry::api {

// One group of routes per file. REQUIRES: the engine outlives the routes.
void add_schedule_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_schedule_action_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_schedule_part_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_forecast_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_diagnostics_routes(Routes& routes, engine::Engine& engine);
void add_start_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_event_report_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_approval_routes(Routes& routes, engine::Engine& engine);
void add_run_routes(Routes& routes, engine::Engine& engine);
void add_team_routes(Routes& routes, engine::Engine& engine);
void add_run_node_routes(Routes& routes, engine::Engine& engine);
void add_workflow_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_backfill_routes(Routes& routes, engine::Engine& engine);
void add_task_routes(Routes& routes, engine::Engine& engine);
void add_callback_routes(Routes& routes, engine::Engine& engine, const AccessCheck& gate);
void add_connection_routes(Routes& routes, engine::Engine& engine);
void add_calendar_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_calendar_file_routes(Routes& routes, engine::Engine& engine);
void add_assignee_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_assignment_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_tenant_routes(Routes& routes, engine::Engine& engine, const store::StoreLimits& defaults);
void add_timezone_routes(Routes& routes, engine::Engine& engine);
void add_key_routes(Routes& routes, engine::Engine& engine);
void add_webhook_routes(Routes& routes, engine::Engine& engine);
void add_event_routes(Routes& routes, engine::Engine& engine, store::Registry& registry);
void add_health_routes(Routes& routes, engine::Engine& engine, const ApiOptions& options);
void add_probe_routes(Routes& routes, engine::Engine& engine, const ApiOptions& options);
void add_metrics_routes(Routes& routes, engine::Engine& engine, const MetricsSources& sources);
// Must be called last: they describe all routes, themselves included.
void add_document_routes(Routes& routes);

// Returns the body of a schedule, with omitted members filled from its assignment (assignment_routes.cpp).
[[nodiscard]] Result<Json> with_assignment(engine::Engine& engine, const std::string& tenant, const Json& schedule);

// Resolves `{schedule}`: an id if it is a UUID, otherwise a name.
[[nodiscard]] store::ScheduleRef schedule_of(const Call& call);

// The same for a text that is not from the path.
[[nodiscard]] store::ScheduleRef schedule_named(const std::string& tenant, const std::string& text);

// The shape of a `reason`. The store keeps it, so it has the limit of a description.
[[nodiscard]] inline ShapePtr reason_text() { return text(static_cast<std::int64_t>(model::kTextBytesMax)); }

// Adds `limit` (1 to the page's maximum) and `cursor` to the other parameters of a list.
[[nodiscard]] std::vector<Member> page_parameters(std::vector<Member> others = {});
[[nodiscard]] store::Page read_page(const Parameters& parameters);
// Maps an error about a member to the query parameter of the same name: `/to` becomes `?to`.
[[nodiscard]] Error in_query(Error error);
// Extends the end of a range of runs. Reruns are placed within the second of their occurrence, so an end without a
// fraction includes the whole second.
[[nodiscard]] std::optional<Instant> last_place(std::optional<Instant> to);
// The response to a page request, and an error about one: the store reports the parameter as a field.
[[nodiscard]] Json page_json(boost::json::array items, const std::string& next);
[[nodiscard]] Error in_page(Error error);
// Returns one page of a list that is in memory as a whole. The cursor holds the index of the next item and the value of
// its predecessor's member `key`, because items may be added or removed between two pages. Without a key, items are
// never removed.
[[nodiscard]] Result<Response> page_response(const Parameters& query, boost::json::array items, std::string_view key);
// The filter of a list of runs, which accepts two names.
[[nodiscard]] std::vector<Member> run_state_parameters();
[[nodiscard]] Result<std::optional<store::RunState>> read_run_state(const Parameters& query);

// Returns the result of the run that completed last, or null when that run is deleted.
[[nodiscard]] Result<Json> last_result(engine::Engine& engine, const store::ScheduleRecord& record);

// The response for a created or changed schedule, with its last result and an ETag.
[[nodiscard]] Result<Response> schedule_response(engine::Engine& engine, const store::ScheduleRecord& record,
                                                 int status = 200);

// The run, with members from its definition.
[[nodiscard]] Result<Response> run_response(engine::Engine& engine, const std::string& tenant,
                                            const Result<model::Run>& run);

[[nodiscard]] Result<Json> run_json(engine::Engine& engine, const std::string& tenant, const model::Run& run);

// Runs of any schedules, each with members from the definition that decided it.
[[nodiscard]] Result<boost::json::array> runs_json(engine::Engine& engine, const std::string& tenant,
                                                   std::span<const model::Run> runs);

// The events of the run in the path (run_node_routes.cpp).
[[nodiscard]] Result<Response> run_events_response(engine::Engine& engine, const Call& call);
[[nodiscard]] std::vector<Member> run_events_parameters();
[[nodiscard]] ShapePtr run_events_shape();

// Rejects a request that sets the approval status of a run, and records the attempt in the audit of the schedule.
[[nodiscard]] std::optional<Error> refuse_to_skip_approval(engine::Engine& engine, const Call& call);
[[nodiscard]] Member approval_status_member();

// Returns the version in If-Match, on which the change is based.
[[nodiscard]] Result<std::optional<std::int64_t>> expected_version(const Call& call);
[[nodiscard]] Header etag(std::int64_t version);
// `"3.17"`: the version of the definition, which If-Match compares, and the revision of the state, so that a client
// gets 304 only while neither has changed.
[[nodiscard]] Header etag(const store::ScheduleRecord& record);

// Prepends `/api/tenants/{tenant}` to a path.
[[nodiscard]] std::string tenant_path(const std::string& tenant, const std::string& rest);

}  // namespace belfry::api
