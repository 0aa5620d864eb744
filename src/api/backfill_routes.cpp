// Backfills: ask for one, watch it, pause, resume and cancel it.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/idempotency.hpp"
#include "api/names.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"

namespace belfry::api {

namespace {

using model::Permission;
using Change = Result<model::Backfill> (engine::Backfills::*)(const std::string& tenant, const std::string& id);

Result<Response> dry_run(engine::Engine& engine, const Call& call, const decide::BackfillRequest& request) {
    const auto answer = engine.backfills().dry_run(schedule_of(call), request);
    if (!answer) return answer.error();
    boost::json::array items;
    for (const auto& run : answer->runs) items.push_back(to_json(run));
    boost::json::array left;
    for (const auto& [occurrence, why] : answer->passed_over) {
        left.push_back(boost::json::object{{"scheduledAt", format_instant(occurrence)}, {"reason", name_of(why)}});
    }
    return json_response(boost::json::object{{"dryRun", true}, {"items", std::move(items)}, {"leftAlone", std::move(left)}, {"more", answer->more}});
}

Result<Response> start(engine::Engine& engine, const Call& call) {
    if (auto refused = refuse_to_skip_approval(engine, call)) return *refused;
    const Values values(call.body);
    decide::BackfillRequest request;
    request.from = *values.instant("from");
    request.to = *values.instant("to");
    request.overlap = values.parsed("overlapPolicy", &model::parse_overlap_policy);
    // One after the other, unless overlaps are to be settled by a policy.
    const auto concurrency = values.integer("concurrency");
    if (concurrency || !request.overlap) request.concurrency = static_cast<int>(concurrency.value_or(1));
    request.rerun = values.parsed("rerun", &model::parse_backfill_rerun).value_or(model::BackfillRerun::missing);
    if (values.boolean("dryRun").value_or(false)) return dry_run(engine, call, request);
    const auto context = context_once(call);
    if (!context) return context.error();
    const auto backfill = engine.backfills().start(schedule_of(call), request, *context);
    if (!backfill) return backfill.error();
    auto response = json_response(to_json(*backfill), 202);
    response.headers.emplace_back("Location", tenant_path(call.at("tenant"), "/backfills/" + backfill->id));
    return replayed(std::move(response), backfill->repeated);
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    const auto backfills = engine.store().backfills(schedule_of(call));
    if (!backfills) return backfills.error();
    boost::json::array items;
    for (const auto& backfill : *backfills) items.push_back(to_json(backfill));
    return page_response(call.query, std::move(items), "id");
}

Result<Response> backfill_response(const Result<model::Backfill>& backfill) {
    if (!backfill) return backfill.error();
    return json_response(to_json(*backfill));
}

Result<Response> change(engine::Engine& engine, const Call& call, Change verb) {
    return backfill_response((engine.backfills().*verb)(call.at("tenant"), call.at("backfill")));
}

ShapePtr request_shape() {
    return record(
        "BackfillRequest",
        {{"from", instant(), "The first occurrence, included.", Presence::required},
         {"to", instant(), "The last, included.", Presence::required},
         {"concurrency", integer(1, model::kBackfillConcurrencyMax),
          "So many of its runs go on at once, and the next one waits until one of them has ended; 1 when absent."},
         {"overlapPolicy", overlap_names(), "Instead of `concurrency`: nothing waits, and this policy settles overlaps; buffering allows all."},
         {"rerun", rerun_names(), "Which occurrences: `missing` (without a dispatched run; when absent), `failed` (whose newest run failed), `all`."},
         approval_status_member(),
         {"dryRun", boolean(), "Only show what it would do."}});
}
ShapePtr left_alone_shape() {
    return record("LeftAlone",
                  {{"scheduledAt", instant(), "The occurrence.", Presence::required},
                   {"reason", one_of({"has_run", "has_not_failed", "not_over", "not_due", "rerun_too_often"}),
                    "It has a run; its newest run has not failed; that one goes on; a tick has yet to decide it; it was run again 999 times.",
                    Presence::required}});
}
ShapePtr dry_run_shape() {
    return record("BackfillDryRun",
                  {{"dryRun", boolean(), "True.", Presence::required},
                   {"items", list_of(planned_run_shape()), "What it would do.", Presence::required},
                   {"leftAlone", list_of(left_alone_shape()), "Occurrences of the range that it would not touch.", Presence::required},
                   {"more", boolean(), "There is more than is shown.", Presence::required}});
}

}  // namespace

void add_backfill_routes(Routes& routes, engine::Engine& engine) {
    const std::string schedule = "/api/tenants/{tenant}/schedules/{schedule}";
    const std::string one = "/api/tenants/{tenant}/backfills/{backfill}";
    const std::string group = "Backfills";
    routes.push_back({.method = "POST",
                      .pattern = schedule + "/backfill",
                      .operation = "backfillSchedule",
                      .summary = "Run past occurrences now, or show what that would do.",
                      .group = group,
                      .permission = Permission::operate,
                      .headers = {idempotency_key_header()},
                      .body = request_shape(),
                      .answers = {{202, backfill_shape(), "It has begun."}, {200, dry_run_shape(), "What it would do."}},
                      .handler = [&](const Call& call) { return start(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = schedule + "/backfills",
                      .operation = "listBackfills",
                      .summary = "List a schedule's backfills, newest first.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters(),
                      .answers = {{200, page_of(backfill_shape())}},
                      .handler = [&](const Call& call) { return list(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "getBackfill",
                      .summary = "Read a backfill and how far it is.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, backfill_shape()}},
                      .handler = [&](const Call& call) { return backfill_response(engine.store().backfill(call.tenant(), call.at("backfill"))); }});
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary, Change change_to) {
        routes.push_back({.method = "POST",
                          .pattern = one + "/" + verb,
                          .operation = operation,
                          .summary = summary,
                          .group = group,
                          .permission = Permission::operate,
                          .body = record("", {}),
                          .body_presence = Presence::optional,
                          .answers = {{200, backfill_shape()}},
                          .handler = [&engine, change_to](const Call& call) { return change(engine, call, change_to); }});
    };
    add("pause", "pauseBackfill", "Pause a backfill.", &engine::Backfills::pause);
    add("resume", "resumeBackfill", "Go on with a paused backfill.", &engine::Backfills::resume);
    add("cancel", "cancelBackfill", "Cancel a backfill; what it has started goes on.", &engine::Backfills::cancel);
}

}  // namespace belfry::api
