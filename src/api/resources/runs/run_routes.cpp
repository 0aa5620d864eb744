// Routes that list, read, complete, cancel and terminate runs.
#include <boost/json/array.hpp>

#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::api {

namespace {

using model::Permission;

Result<Response> get(store::StoreReader& reader, const Call& call) {
    return run_response(reader, call.at("tenant"), reader.run(call.at("tenant"), call.at("run")));
}

Result<Response> list(store::StoreReader& reader, const Call& call) {
    store::RunFilter filter{.tenant = call.tenant()};
    const auto state = read_run_state(call.query);
    if (!state) return state.error();
    filter.state = *state;
    filter.from = call.query.instant("from");
    filter.to = last_place(call.query.instant("to"));
    if (const auto wanted = call.query.text("schedule")) {
        const auto schedule = reader.schedule(schedule_named(call.tenant(), *wanted));
        if (!schedule) return schedule.error();
        filter.schedule_id = schedule->definition.id;
    }
    const auto listing = reader.runs(filter, read_page(call.query));
    if (!listing) return in_page(listing.error());
    auto items = runs_json(reader, call.tenant(), listing->items);
    if (!items) return items.error();
    return json_response(page_json(std::move(*items), listing->next));
}

Result<Response> complete(engine::Runs& runs, store::StoreReader& reader, const Call& call) {
    const Values values(call.body);
    const auto number = values.integer("attempt");
    const auto attempt = number ? std::optional(static_cast<int>(*number)) : std::nullopt;
    return run_response(reader, call.tenant(),
                        runs.finish(call.tenant(), call.at("run"), attempt, read_attempt_end(values),
                                    values.text("node").value_or(""), call.context()));
}

Result<Response> cancel(engine::Runs& runs, store::StoreReader& reader, const Call& call) {
    const auto reason = Values(call.body).text("reason").value_or("");
    return run_response(reader, call.tenant(), runs.cancel(call.tenant(), call.at("run"), reason));
}

Result<Response> terminate(engine::Runs& runs, store::StoreReader& reader, const Call& call) {
    const auto reason = Values(call.body).text("reason").value_or("");
    return run_response(reader, call.tenant(), runs.terminate(call.tenant(), call.at("run"), reason));
}

ShapePtr completion_shape() {
    auto members = attempt_end_members();
    members.push_back({"attempt", integer(1, std::numeric_limits<int>::max()),
                       "Attempt to complete. Only the current attempt can be completed."});
    members.push_back(node_member());
    return record("RunCompletion", std::move(members));
}
ShapePtr reason_shape() {
    return record("Reason", {{"reason", reason_text(), "Reason for the request. Stored with the run."}});
}

}  // namespace

void add_run_routes(Routes& routes, engine::Runs& runs, store::StoreReader& reader) {
    const std::string one = "/api/tenants/{tenant}/runs/{run}";
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary,
                         Permission permission, std::function<Result<Response>(const Call&)> handler) {
        routes.push_back({.method = "POST",
                          .pattern = one + "/" + verb,
                          .operation = operation,
                          .summary = summary,
                          .group = "Runs",
                          .permission = permission,
                          .body = verb == "complete" ? completion_shape() : reason_shape(),
                          .body_presence = verb == "complete" ? Presence::required : Presence::optional,
                          .answers = {{200, run_shape()}},
                          .handler = std::move(handler)});
    };
    auto filters = run_state_parameters();
    filters.push_back({"from", instant(), "Return only occurrences at or after this time."});
    filters.push_back({"to", instant(), "Return only occurrences at or before this time."});
    filters.push_back({"schedule", text(), "Return only runs of this schedule. Accepts its id or its current name."});
    routes.push_back({.method = "GET",
                      .pattern = "/api/tenants/{tenant}/runs",
                      .operation = "listRuns",
                      .summary = "List the runs of all schedules, newest occurrence first.",
                      .group = "Runs",
                      .permission = Permission::read,
                      .query = page_parameters(std::move(filters)),
                      .answers = {{200, page_of(run_shape())}},
                      .handler = [&](const Call& call) { return list(reader, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "getRun",
                      .summary = "Retrieve a run.",
                      .group = "Runs",
                      .permission = Permission::read,
                      .answers = {{200, run_shape()}},
                      .handler = [&](const Call& call) { return get(reader, call); }});
    add("complete", "completeRun", "Report the end of a run that no Belfry worker holds.", Permission::work,
        [&](const Call& call) { return complete(runs, reader, call); });
    add("cancel", "cancelRun", "Cancel a run, even while a worker executes it.", Permission::operate,
        [&](const Call& call) { return cancel(runs, reader, call); });
    add("terminate", "terminateRun", "Terminate a run immediately, without waiting for its worker.",
        Permission::operate, [&](const Call& call) { return terminate(runs, reader, call); });
}

}  // namespace belfry::api
