// What the handlers of all groups share: how a schedule is named in a path, how pages are asked for, and the groups themselves.
#pragma once

#include "api/api.hpp"
#include "api/route.hpp"
#include "api/schedule_dto.hpp"
#include "engine/engine.hpp"
#include "store/registry.hpp"

namespace belfry::api {

// One group of routes per file. REQUIRES: the engine outlives the routes.
void add_schedule_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_schedule_action_routes(Routes& routes, engine::Engine& engine);
void add_schedule_part_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_foresight_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_insight_routes(Routes& routes, engine::Engine& engine);
void add_start_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_event_report_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_approval_routes(Routes& routes, engine::Engine& engine);
void add_run_routes(Routes& routes, engine::Engine& engine);
void add_team_routes(Routes& routes, engine::Engine& engine);
void add_walk_routes(Routes& routes, engine::Engine& engine);
void add_workflow_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits);
void add_backfill_routes(Routes& routes, engine::Engine& engine);
void add_task_routes(Routes& routes, engine::Engine& engine);
void add_callback_routes(Routes& routes, engine::Engine& engine, const Gate& gate);
void add_connection_routes(Routes& routes, engine::Engine& engine);
void add_calendar_routes(Routes& routes, engine::Engine& engine);
void add_calendar_file_routes(Routes& routes, engine::Engine& engine);
void add_assignee_routes(Routes& routes, engine::Engine& engine);
void add_assignment_routes(Routes& routes, engine::Engine& engine);
void add_tenant_routes(Routes& routes, engine::Engine& engine);
void add_timezone_routes(Routes& routes, engine::Engine& engine);
void add_key_routes(Routes& routes, engine::Engine& engine);
void add_webhook_routes(Routes& routes, engine::Engine& engine);
void add_event_routes(Routes& routes, engine::Engine& engine, store::Registry& registry);
void add_health_routes(Routes& routes, engine::Engine& engine, HealthSource health);
void add_probe_routes(Routes& routes, engine::Engine& engine, HealthSource health, std::function<bool()> draining);
void add_metrics_routes(Routes& routes, engine::Engine& engine, const MetricsSources& sources);
// Last: they describe all that are there, themselves included.
void add_document_routes(Routes& routes);

// The body of a schedule with what the assignment that it names says where the schedule is silent (assignment_routes.cpp).
[[nodiscard]] Result<Json> with_assignment(engine::Engine& engine, const std::string& tenant, const Json& schedule);

// `{schedule}`: an id when it is a UUID, else a name.
[[nodiscard]] store::ScheduleRef schedule_of(const Call& call);

// The same for a text from elsewhere.
[[nodiscard]] store::ScheduleRef schedule_named(const std::string& tenant, const std::string& text);

// `limit` (1 to the page's maximum) and `cursor`, behind those that a list has besides.
[[nodiscard]] std::vector<Member> page_parameters(std::vector<Member> others = {});
[[nodiscard]] store::Page read_page(const Parameters& parameters);
// An error about a member of a request, when the request has it as a parameter: `/to` is `?to`.
[[nodiscard]] Error in_query(Error error);
// Up to where runs are listed: reruns stand within the second of their occurrence, so an end without a fraction has all of it.
[[nodiscard]] std::optional<Instant> last_place(std::optional<Instant> to);
// The answer to it, and an error about it: the store calls the parameter a field.
[[nodiscard]] Json page_json(boost::json::array items, const std::string& next);
[[nodiscard]] Error in_page(Error error);
// The page that the query asks for of a list that is at hand as a whole: short ones, with a bound of their own. The cursor is the
// place of the next item and, in `key`, the member by which the last one before is known: items may come and go between two pages. Without
// a key nothing goes.
[[nodiscard]] Result<Response> page_response(const Parameters& query, boost::json::array items, std::string_view key);
// The filter of a list of runs, which people call by either name.
[[nodiscard]] std::vector<Member> run_state_parameters();
[[nodiscard]] Result<std::optional<store::RunState>> read_run_state(const Parameters& query);

// Of the run that completed last; null when there is none any more.
[[nodiscard]] Result<Json> last_result(engine::Engine& engine, const store::ScheduleRecord& record);

// What the API answers for a schedule that was made or changed; with its last result and an ETag.
[[nodiscard]] Result<Response> schedule_response(engine::Engine& engine, const store::ScheduleRecord& record, int status = 200);

// The run with what its definition adds to it.
[[nodiscard]] Result<Response> run_response(engine::Engine& engine, const std::string& tenant, const Result<model::Run>& run);

[[nodiscard]] Result<Json> run_json(engine::Engine& engine, const std::string& tenant, const model::Run& run);

// Runs of any schedules, each with what the definition says by which it was decided.
[[nodiscard]] Result<boost::json::array> runs_json(engine::Engine& engine, const std::string& tenant, std::span<const model::Run> runs);

// What happened in the run of the path (walk_routes.cpp).
[[nodiscard]] Result<Response> run_events_response(engine::Engine& engine, const Call& call);
[[nodiscard]] std::vector<Member> run_events_parameters();
[[nodiscard]] ShapePtr run_events_shape();

// Nobody can say of a run that it needs no approval: whoever tries is refused, and that goes into the audit of the schedule.
[[nodiscard]] std::optional<Error> refuse_to_skip_approval(engine::Engine& engine, const Call& call);
[[nodiscard]] Member approval_status_member();

// The version that a change is based on, as If-Match says it.
[[nodiscard]] Result<std::optional<std::int64_t>> expected_version(const Call& call);
[[nodiscard]] Header etag(std::int64_t version);
// `"3.17"`: the version of the definition, which If-Match looks at, and the revision of the state, so that whoever has read both
// is told 304 only while neither has changed.
[[nodiscard]] Header etag(const store::ScheduleRecord& record);

// `/api/tenants/{tenant}` before the parts.
[[nodiscard]] std::string tenant_path(const std::string& tenant, const std::string& rest);

}  // namespace belfry::api
