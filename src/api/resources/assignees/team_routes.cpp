// Routes for the runs of a team and their events.
#include <algorithm>

#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"

namespace belfry::api {

namespace {

using model::Permission;

store::RunFilter of_team(const Call& call) {
    store::RunFilter filter{.tenant = call.tenant()};
    filter.team = call.at("team");
    return filter;
}

Result<Response> list(store::StoreReader& reader, const Call& call) {
    auto filter = of_team(call);
    filter.from = call.query.instant("from");
    filter.to = last_place(call.query.instant("to"));
    const auto listing = reader.runs(filter, read_page(call.query));
    if (!listing) return in_page(listing.error());
    auto items = runs_json(reader, call.tenant(), listing->items);
    if (!items) return items.error();
    return json_response(page_json(std::move(*items), listing->next));
}

// Returns events only for the team's own runs. Searches for the run by its time among them.
Result<Response> events(store::StoreReader& reader, const Call& call) {
    const auto run = reader.run(call.tenant(), call.at("run"));
    if (!run) return run.error();
    auto filter = of_team(call);
    filter.from = filter.to = run->slot.place();
    store::Page page{.limit = store::kPageMax};
    bool is_own = false;
    do {
        const auto same_time = reader.runs(filter, page);
        if (!same_time) return same_time.error();
        is_own = std::ranges::find(same_time->items, run->id, &model::Run::id) != same_time->items.end();
        page.after = same_time->next;
    } while (!is_own && !page.after.empty());
    if (!is_own) return Error{ErrorCode::not_found, "team " + call.at("team") + " has no run " + run->id};
    return run_events_response(reader, call);
}

}  // namespace

void add_team_routes(Routes& routes, store::StoreReader& reader) {
    const std::string all = "/api/tenants/{tenant}/teams/{team}/runs";
    routes.push_back(
        {.method = "GET",
         .pattern = all,
         .operation = "listTeamRuns",
         .summary = "List the runs dispatched to a team, newest occurrence first.",
         .details =
             "The team is the assignee of the runs' schedules. Workers claim its tasks by naming it as the `assignee`.",
         .group = "Runs",
         .permission = Permission::read,
         .query = page_parameters({{"from", instant(), "Return only occurrences at or after this time."},
                                   {"to", instant(), "Return only occurrences at or before this time."}}),
         .answers = {{200, page_of(run_shape())}},
         .handler = [&](const Call& call) { return list(reader, call); }});
    routes.push_back({.method = "GET",
                      .pattern = all + "/{run}/events",
                      .operation = "listTeamRunEvents",
                      .summary = "List the events of a team's run, one for every step of every node.",
                      .group = "Runs",
                      .permission = Permission::read,
                      .query = run_events_parameters(),
                      .answers = {{200, run_events_shape()}},
                      .handler = [&](const Call& call) { return events(reader, call); }});
}

}  // namespace belfry::api
