// Routes for the nodes and events of a run, and for dead letters.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "api/contract/idempotency.hpp"
#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "engine/explain/run_history.hpp"
#include "engine/usecases/dead_letters.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::int64_t kEventsMost = 500;
constexpr std::int64_t kEventsUsual = 100;

// Returns every node of the workflow in the order of its definition, including those that still wait.
Result<Response> nodes(store::StoreReader& reader, const Call& call) {
    const auto workflow_run = reader.workflow_run(call.tenant(), call.at("run"));
    if (!workflow_run) return workflow_run.error();
    const auto approvals = reader.approvals_of(call.tenant(), {&call.at("run"), 1});
    if (!approvals) return approvals.error();
    boost::json::array items;
    if (!workflow_run->workflow) {
        for (const auto& node : workflow_run->nodes) items.push_back(to_json(node, *approvals));
    } else {
        for (const auto& described : workflow_run->workflow->nodes) {
            const auto* const known = workflow_run->find(described.id);
            auto item = to_json(known != nullptr ? *known : model::NodeRun{.node = described.id}, *approvals);
            boost::json::array before;
            for (const auto& id : described.depends_on) before.emplace_back(id);
            item.get_object()["dependsOn"] = std::move(before);
            item.get_object()["kind"] = model::name_of(described.kind);
            items.push_back(std::move(item));
        }
    }
    return json_response(
        object{{"workflow", workflow_run->workflow ? Json(workflow_run->workflow->name) : Json(nullptr)},
               {"version", workflow_run->workflow ? Json(workflow_run->workflow->version) : Json(nullptr)},
               {"deadline", or_null(workflow_run->deadline)},
               {"nodes", std::move(items)}});
}

}  // namespace

Result<Response> run_events_response(store::StoreReader& reader, const Call& call) {
    const auto after = call.query.integer("afterSequence").value_or(call.query.integer("cursor").value_or(0));
    const auto limit = static_cast<std::size_t>(call.query.integer("limit").value_or(kEventsUsual));
    // Reads one more event to find out whether there is another page.
    auto history = engine::run_history(reader, call.tenant(), call.at("run"), after, limit + 1);
    if (!history) return history.error();
    const bool more = history->size() > limit || store::fills_page(*history);
    if (history->size() > limit) history->resize(limit);
    boost::json::array items;
    for (const auto& event : *history) items.push_back(to_json(event));
    auto page = list_json(std::move(items), more ? std::to_string(history->back().sequence) : std::string());
    page.get_object()["hasMore"] = more;
    return json_response(page);
}

std::vector<Member> run_events_parameters() {
    return {{"limit", integer(1, kEventsMost), "Maximum number of events to return. Defaults to 100."},
            {"cursor", integer(0), "`nextCursor` of the previous page."},
            {"afterSequence", integer(0), "Return only events after this sequence number. Alias of `cursor`."}};
}

ShapePtr run_events_shape() { return page_with_more("RunEvents", run_event_shape()); }

namespace {

Result<Response> dead_letters(store::StoreReader& reader, const Call& call) {
    const auto listing = reader.dead_letters(call.tenant(), read_page(call.query));
    if (!listing) return in_page(listing.error());
    const auto items = runs_json(reader, call.tenant(), listing->items);
    if (!items) return items.error();
    return json_response(page_json(*items, listing->next));
}

Result<Response> replay(engine::Schedules& schedules, engine::Runs& runs, store::StoreReader& reader,
                        const Call& call) {
    const auto context = context_once(call);
    if (!context) return context.error();
    const auto replayed_run = engine::replay(reader, schedules, runs, call.tenant(), call.at("run"), *context);
    if (!replayed_run) return replayed_run.error();
    auto response = run_response(reader, call.tenant(), Result<model::Run>(*replayed_run));
    if (!response) return response;
    // A skipped run created no new work.
    response->status = replayed_run->dispatch == model::DispatchStatus::skipped ? 200 : 201;
    response->headers.emplace_back("Location", tenant_path(call.tenant(), "/runs/" + replayed_run->id));
    return replayed(std::move(*response), replayed_run->repeated);
}

Result<Response> dismiss(engine::Runs& runs, const Call& call) {
    if (auto dismissed = runs.dismiss(call.tenant(), call.at("run")); !dismissed) return dismissed.error();
    return Response{.status = 204};
}

ShapePtr nodes_shape() {
    auto members = node_shape()->members;
    members.push_back({"dependsOn", list_of(text()), "Nodes that must succeed before this one starts."});
    members.push_back({"kind", text(), "Who runs the node: a worker (`task`) or the server (`http`, `command`)."});
    return answer_record(
        "Walk",
        {{"workflow", or_null(text()), "Name of the workflow. Null if the run is a single task."},
         {"version", or_null(integer(1)), "Version of the workflow that the run uses."},
         {"deadline", or_null(instant()), "Time at which Belfry ends the run if it has not ended. Null if it has."},
         {"nodes", list_of(record("WalkNode", std::move(members))), "Nodes in the order of the definition."}});
}

}  // namespace

void add_run_node_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs, store::StoreReader& reader) {
    const std::string run = "/api/tenants/{tenant}/runs/{run}";
    const std::string dead = "/api/tenants/{tenant}/dead-letters";
    routes.push_back({.method = "GET",
                      .pattern = run + "/nodes",
                      .operation = "getRunNodes",
                      .summary = "Retrieve the nodes of a run and their progress.",
                      .group = "Runs",
                      .permission = Permission::read,
                      .answers = {{200, nodes_shape()}},
                      .handler = [&](const Call& call) { return nodes(reader, call); }});
    routes.push_back({.method = "GET",
                      .pattern = run + "/events",
                      .operation = "listRunEvents",
                      .summary = "List the events of a run, oldest first.",
                      .group = "Runs",
                      .permission = Permission::read,
                      .query = run_events_parameters(),
                      .answers = {{200, run_events_shape()}},
                      .handler = [&](const Call& call) { return run_events_response(reader, call); }});
    routes.push_back(
        {.method = "GET",
         .pattern = dead,
         .operation = "listDeadLetters",
         .summary = "List dead letters: failed runs that were neither replayed nor dismissed, newest failure first.",
         .group = "Runs",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(run_shape())}},
         .handler = [&](const Call& call) { return dead_letters(reader, call); }});
    routes.push_back({.method = "POST",
                      .pattern = dead + "/{run}/replay",
                      .operation = "replayDeadLetter",
                      .summary = "Replay a dead letter with the same input.",
                      .details = "Creates a new run. If the new run is skipped, the response is 200 with the reason, "
                                 "and the dead letter stays.",
                      .group = "Runs",
                      .permission = Permission::operate,
                      .headers = {idempotency_key_header(), prefer_header()},
                      .answers = {{201, run_shape()}, {200, run_shape(), "The new run was skipped."}},
                      .handler = [&](const Call& call) { return replay(schedules, runs, reader, call); }});
    routes.push_back({.method = "DELETE",
                      .pattern = dead + "/{run}",
                      .operation = "dismissDeadLetter",
                      .summary = "Dismiss a dead letter. The run itself is kept.",
                      .group = "Runs",
                      .permission = Permission::operate,
                      .answers = {{204, {}, "The dead letter was dismissed."}},
                      .handler = [&](const Call& call) { return dismiss(runs, call); }});
}

}  // namespace belfry::api
