// What the handlers of all groups share: schedule references in paths, paging, and the functions that add each group of
// routes.
#pragma once

#include "api/api_options.hpp"
#include "api/contract/batch.hpp"
#include "api/contract/route.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "model/limits.hpp"
#include "store/listing.hpp"
#include "store/registry.hpp"
#include "store/store_reader.hpp"

namespace belfry::engine {

class Assignees;
class Assignments;
class Backfills;
class Calendars;
class Callbacks;
class Explainer;
class Forecaster;
class LongPollQueue;
class NextUp;
class Runs;
class Schedules;
class Tenants;
class UsageMeter;
class Webhooks;
class Workflows;
struct ServerStatus;

}  // namespace belfry::engine

namespace belfry::api {

// What a response with a schedule needs: the store has the result of its last run, the zones its local times.
struct ScheduleView {
    store::StoreReader& reader;
    const spec::ZoneDatabase& zones;
};

// One group of routes per file. Each gets the use cases that its handlers call, and what they read. REQUIRES: all of
// them outlive the routes.
void add_schedule_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs,
                         engine::Assignments& assignments, const engine::NextUp& next_up, const ScheduleView& view,
                         const ScheduleLimits& limits);
void add_schedule_batch_routes(Routes& routes, engine::Schedules& schedules, engine::Assignments& assignments,
                               engine::UsageMeter& usage, const ScheduleView& view, const ScheduleLimits& limits,
                               const ItemCharge& charge);
void add_schedule_action_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs,
                                const ScheduleView& view, const ScheduleLimits& limits);
void add_schedule_part_routes(Routes& routes, engine::Schedules& schedules, engine::Tenants& tenants,
                              const ScheduleView& view, const ScheduleLimits& limits);
void add_forecast_routes(Routes& routes, engine::Forecaster& forecaster, engine::Assignments& assignments,
                         engine::Tenants& tenants, const spec::ZoneDatabase& zones, const ScheduleLimits& limits);
void add_diagnostics_routes(Routes& routes, engine::Explainer& explainer, engine::Forecaster& forecaster,
                            engine::Tenants& tenants, store::StoreReader& reader);
void add_audit_routes(Routes& routes, store::StoreReader& reader);
void add_start_routes(Routes& routes, engine::Schedules& schedules, store::StoreReader& reader,
                      const ScheduleLimits& limits, const ItemCharge& charge);
void add_event_report_routes(Routes& routes, engine::Schedules& schedules, store::StoreReader& reader,
                             const ScheduleLimits& limits);
void add_approval_routes(Routes& routes, engine::Runs& runs, store::StoreReader& reader);
void add_run_routes(Routes& routes, engine::Runs& runs, store::StoreReader& reader);
void add_team_routes(Routes& routes, store::StoreReader& reader);
void add_run_node_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs, store::StoreReader& reader);
void add_workflow_routes(Routes& routes, engine::Workflows& workflows, engine::Schedules& schedules,
                         engine::Assignments& assignments, const ScheduleLimits& limits);
void add_backfill_routes(Routes& routes, engine::Backfills& backfills, engine::Runs& runs, store::StoreReader& reader);
void add_task_routes(Routes& routes, engine::Runs& runs, engine::LongPollQueue& long_polls, store::StoreReader& reader);
void add_callback_routes(Routes& routes, engine::Callbacks& callbacks, store::StoreReader& reader,
                         const AccessCheck& gate);
void add_connection_routes(Routes& routes, const engine::ServerStatus& status, store::StoreReader& reader);
void add_calendar_routes(Routes& routes, engine::Calendars& calendars, const ScheduleView& view,
                         const ScheduleLimits& limits);
void add_calendar_file_routes(Routes& routes, engine::Calendars& calendars, store::StoreClock& clock);
void add_assignee_routes(Routes& routes, engine::Assignees& assignees, const ScheduleLimits& limits);
void add_assignment_routes(Routes& routes, engine::Assignments& assignments, const ScheduleLimits& limits);
void add_tenant_routes(Routes& routes, engine::Tenants& tenants, const store::StoreLimits& defaults);
void add_timezone_routes(Routes& routes, store::StoreClock& clock, const spec::ZoneDatabase& zones);
void add_key_routes(Routes& routes, store::Registry& registry);
// Without webhooks (null), the routes return that the server makes no outgoing calls.
void add_webhook_routes(Routes& routes, engine::Webhooks* webhooks);
void add_event_routes(Routes& routes, engine::Tenants& tenants, store::StoreReader& reader, store::Registry& registry);
void add_health_routes(Routes& routes, const engine::ServerStatus& status, const spec::ZoneDatabase& zones,
                       const ApiOptions& options);
void add_probe_routes(Routes& routes, const engine::ServerStatus& status, const ApiOptions& options);
void add_metrics_routes(Routes& routes, const engine::ServerStatus& status, const spec::ZoneDatabase& zones,
                        const MetricsSources& sources);
// Describe all earlier routes, and themselves.
void add_document_routes(Routes& routes);
// Must be called last: they are no part of the API, so its description omits them.
void add_console_routes(Routes& routes);

// Returns the body of a schedule, with omitted members filled from its assignment (assignment_routes.cpp).
[[nodiscard]] Result<Json> with_assignment(engine::Assignments& assignments, const std::string& tenant,
                                           const Json& schedule);

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
[[nodiscard]] Result<Json> last_result(store::StoreReader& reader, const store::ScheduleRecord& record);

// The response for a created or changed schedule, with its last result and an ETag.
[[nodiscard]] Result<Response> schedule_response(const ScheduleView& view, const store::ScheduleRecord& record,
                                                 int status = 200);

// The run, with members from its definition.
[[nodiscard]] Result<Response> run_response(store::StoreReader& reader, const std::string& tenant,
                                            const Result<model::Run>& run);

[[nodiscard]] Result<Json> run_json(store::StoreReader& reader, const std::string& tenant, const model::Run& run);
// The same for a run whose definition is known.
[[nodiscard]] Result<Json> run_json(store::StoreReader& reader, const model::Run& run,
                                    const model::Schedule& definition);

// Runs of any schedules, each with members from the definition that decided it.
[[nodiscard]] Result<boost::json::array> runs_json(store::StoreReader& reader, const std::string& tenant,
                                                   std::span<const model::Run> runs);

// The events of the run in the path (run_node_routes.cpp).
[[nodiscard]] Result<Response> run_events_response(store::StoreReader& reader, const Call& call);
[[nodiscard]] std::vector<Member> run_events_parameters();
[[nodiscard]] ShapePtr run_events_shape();

// Rejects a request that sets the approval status of a run, and records the attempt in the audit of the schedule.
[[nodiscard]] std::optional<Error> refuse_to_skip_approval(engine::Runs& runs, const Call& call);
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
