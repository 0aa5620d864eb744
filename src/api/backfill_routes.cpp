// Backfills: ask for one, watch it, pause, resume and cancel it.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/run_dto.hpp"

namespace belfry::api {

namespace {

using Change = Result<model::Backfill> (engine::Backfills::*)(const std::string& tenant, const std::string& id);

Result<Response> dry_run(engine::Engine& engine, const Call& call, const decide::BackfillRequest& request) {
    const auto answer = engine.backfills().dry_run(schedule_of(call), request);
    if (!answer) return answer.error();
    boost::json::array items;
    for (const auto& run : answer->runs) items.push_back(to_json(run));
    return json_response(boost::json::object{{"dryRun", true}, {"items", std::move(items)}, {"more", answer->more}});
}

Result<Response> start(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    decide::BackfillRequest request;
    request.from = fields.required("from", fields.instant("from"));
    request.to = fields.required("to", fields.instant("to"));
    request.overlap = fields.parsed("overlapPolicy", &model::parse_overlap_policy);
    const bool dry = fields.boolean("dryRun").value_or(false);
    if (auto error = fields.finish()) return *error;
    if (dry) return dry_run(engine, call, request);
    const auto backfill = engine.backfills().start(schedule_of(call), request, call.context());
    if (!backfill) return backfill.error();
    auto response = json_response(to_json(*backfill), 202);
    response.headers.emplace_back("Location", tenant_path(call.at("tenant"), "/backfills/" + backfill->id));
    return response;
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    Parameters parameters(call.request.query);
    if (auto error = parameters.finish()) return *error;
    const auto backfills = engine.store().backfills(schedule_of(call));
    if (!backfills) return backfills.error();
    boost::json::array items;
    for (const auto& backfill : *backfills) items.push_back(to_json(backfill));
    return json_response(list_json(std::move(items), {}));
}

Result<Response> backfill_response(const Result<model::Backfill>& backfill) {
    if (!backfill) return backfill.error();
    return json_response(to_json(*backfill));
}

Result<Response> change(engine::Engine& engine, const Call& call, Change verb) {
    Fields fields(call.body);
    if (auto error = fields.finish()) return *error;
    return backfill_response((engine.backfills().*verb)(call.at("tenant"), call.at("backfill")));
}

}  // namespace

void add_backfill_routes(Routes& routes, engine::Engine& engine) {
    const std::string schedule = "/api/tenants/{tenant}/schedules/{schedule}";
    const std::string one = "/api/tenants/{tenant}/backfills/{backfill}";
    routes.push_back({"POST", schedule + "/backfill", "backfillSchedule", "Run past occurrences now, or show what that would do.", Body::required,
                      [&](const Call& call) { return start(engine, call); }});
    routes.push_back({"GET", schedule + "/backfills", "listBackfills", "List a schedule's backfills.", Body::none,
                      [&](const Call& call) { return list(engine, call); }});
    routes.push_back({"GET", one, "getBackfill", "Read a backfill and how far it is.", Body::none,
                      [&](const Call& call) { return backfill_response(engine.store().backfill(call.at("tenant"), call.at("backfill"))); }});
    routes.push_back({"POST", one + "/pause", "pauseBackfill", "Pause a backfill.", Body::optional,
                      [&](const Call& call) { return change(engine, call, &engine::Backfills::pause); }});
    routes.push_back({"POST", one + "/resume", "resumeBackfill", "Go on with a paused backfill.", Body::optional,
                      [&](const Call& call) { return change(engine, call, &engine::Backfills::resume); }});
    routes.push_back({"POST", one + "/cancel", "cancelBackfill", "Cancel a backfill; what it has started goes on.", Body::optional,
                      [&](const Call& call) { return change(engine, call, &engine::Backfills::cancel); }});
}

}  // namespace belfry::api
