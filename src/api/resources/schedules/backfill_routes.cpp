// Routes for backfills: start, list, read, pause, resume and cancel.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/idempotency.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::api {

namespace {

using model::Permission;
using Change = Result<model::Backfill> (engine::Backfills::*)(const std::string& tenant, const std::string& id);

Result<Response> dry_run(engine::Backfills& backfills, const Call& call, const decide::BackfillRequest& request) {
    const auto answer = backfills.dry_run(schedule_of(call), request);
    if (!answer) return answer.error();
    boost::json::array items;
    for (const auto& run : answer->runs) items.push_back(to_json(run));
    boost::json::array left;
    for (const auto& [occurrence, why] : answer->passed_over) {
        left.push_back(boost::json::object{{"scheduledAt", format_instant(occurrence)}, {"reason", name_of(why)}});
    }
    return json_response(boost::json::object{
        {"dryRun", true}, {"items", std::move(items)}, {"leftAlone", std::move(left)}, {"more", answer->more}});
}

Result<Response> start(engine::Runs& runs, engine::Backfills& backfills, const Call& call) {
    if (auto refused = refuse_to_skip_approval(runs, call)) return *refused;
    const Values values(call.body);
    decide::BackfillRequest request;
    request.from = *values.instant("from");
    request.to = *values.instant("to");
    request.overlap = values.parsed("overlapPolicy", &model::parse_overlap_policy);
    // Without an overlap policy, the runs execute one after the other.
    const auto concurrency = values.integer("concurrency");
    if (concurrency || !request.overlap) request.concurrency = static_cast<int>(concurrency.value_or(1));
    request.rerun = values.parsed("rerun", &model::parse_backfill_rerun).value_or(model::BackfillRerun::missing);
    if (values.boolean("dryRun").value_or(false)) return dry_run(backfills, call, request);
    const auto context = context_once(call);
    if (!context) return context.error();
    const auto backfill = backfills.start(schedule_of(call), request, *context);
    if (!backfill) return backfill.error();
    auto response = json_response(to_json(*backfill), 202);
    response.headers.emplace_back("Location", tenant_path(call.at("tenant"), "/backfills/" + backfill->id));
    return replayed(std::move(response), backfill->repeated);
}

Result<Response> list(store::StoreReader& reader, const Call& call) {
    const auto backfills = reader.backfills(schedule_of(call));
    if (!backfills) return backfills.error();
    boost::json::array items;
    for (const auto& backfill : *backfills) items.push_back(to_json(backfill));
    return page_response(call.query, std::move(items), "id");
}

Result<Response> backfill_response(const Result<model::Backfill>& backfill) {
    if (!backfill) return backfill.error();
    return json_response(to_json(*backfill));
}

Result<Response> change(engine::Backfills& backfills, const Call& call, Change verb) {
    return backfill_response((backfills.*verb)(call.at("tenant"), call.at("backfill")));
}

ShapePtr request_shape() {
    return record("BackfillRequest",
                  {{"from", instant(), "First occurrence of the range, inclusive.", Presence::required},
                   {"to", instant(), "Last occurrence of the range, inclusive.", Presence::required},
                   {"concurrency", integer(1, model::kBackfillConcurrencyMax),
                    "Maximum number of this backfill's runs in flight at once. The next run waits until one of them "
                    "ends. Defaults to 1."},
                   {"overlapPolicy", overlap_names(),
                    "Overlap policy to use instead of `concurrency`. The runs do not wait for each other, and this "
                    "policy resolves overlaps. "
                    "Buffering policies act like `allow_all`."},
                   {"rerun", rerun_names(),
                    "Which occurrences to run: `missing` (those without a dispatched run), `failed` (those whose "
                    "newest run failed) or `all`. "
                    "Defaults to `missing`."},
                   approval_status_member(),
                   {"dryRun", boolean(), "If true, the response lists the planned runs and nothing is started."}});
}
ShapePtr left_alone_shape() {
    return record("LeftAlone",
                  {{"scheduledAt", instant(), "Time of the occurrence.", Presence::required},
                   {"reason", one_of({"has_run", "has_not_failed", "not_over", "not_due", "rerun_too_often"}),
                    "Why the backfill skips the occurrence: it already has a run (`has_run`), its newest run did not "
                    "fail (`has_not_failed`), its newest run "
                    "has not ended (`not_over`), the schedule has yet to decide it (`not_due`), or it was rerun 999 "
                    "times (`rerun_too_often`).",
                    Presence::required}});
}
ShapePtr dry_run_shape() {
    return record("BackfillDryRun",
                  {{"dryRun", boolean(), "Always true.", Presence::required},
                   {"items", list_of(planned_run_shape()), "Runs that the backfill would start.", Presence::required},
                   {"leftAlone", list_of(left_alone_shape()),
                    "Occurrences in the range that the backfill would not run.", Presence::required},
                   {"more", boolean(), "Whether the backfill has more occurrences than the response lists.",
                    Presence::required}});
}

}  // namespace

void add_backfill_routes(Routes& routes, engine::Backfills& backfills, engine::Runs& runs, store::StoreReader& reader) {
    const std::string schedule = "/api/tenants/{tenant}/schedules/{schedule}";
    const std::string one = "/api/tenants/{tenant}/backfills/{backfill}";
    const std::string group = "Backfills";
    routes.push_back({.method = "POST",
                      .pattern = schedule + "/backfill",
                      .operation = "backfillSchedule",
                      .summary = "Start a backfill, or preview one with `dryRun`.",
                      .group = group,
                      .permission = Permission::operate,
                      .headers = {idempotency_key_header()},
                      .body = request_shape(),
                      .answers = {{202, backfill_shape(), "The backfill was created."},
                                  {200, dry_run_shape(), "The planned runs of a dry run."}},
                      .handler = [&](const Call& call) { return start(runs, backfills, call); }});
    routes.push_back({.method = "GET",
                      .pattern = schedule + "/backfills",
                      .operation = "listBackfills",
                      .summary = "List a schedule's backfills, newest first.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters(),
                      .answers = {{200, page_of(backfill_shape())}},
                      .handler = [&](const Call& call) { return list(reader, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "getBackfill",
                      .summary = "Retrieve a backfill with its progress.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, backfill_shape()}},
                      .handler = [&](const Call& call) {
                          return backfill_response(reader.backfill(call.tenant(), call.at("backfill")));
                      }});
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary,
                         Change change_to) {
        routes.push_back(
            {.method = "POST",
             .pattern = one + "/" + verb,
             .operation = operation,
             .summary = summary,
             .group = group,
             .permission = Permission::operate,
             .body = record("", {}),
             .body_presence = Presence::optional,
             .answers = {{200, backfill_shape()}},
             .handler = [&backfills, change_to](const Call& call) { return change(backfills, call, change_to); }});
    };
    add("pause", "pauseBackfill", "Pause a backfill.", &engine::Backfills::pause);
    add("resume", "resumeBackfill", "Resume a paused backfill.", &engine::Backfills::resume);
    add("cancel", "cancelBackfill", "Cancel a backfill. Runs that it has already started continue.",
        &engine::Backfills::cancel);
}

}  // namespace belfry::api
