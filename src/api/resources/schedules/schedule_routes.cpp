// Routes that create, list, read, replace, patch and delete schedules.
#include "api/contract/idempotency.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/schedules/schedule_texts.hpp"
#include "api/resources/schedules/schedule_writes.hpp"
#include "base/errors.hpp"
#include "engine/jobs/next_up.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::api {

namespace {

using model::Permission;

Result<Response> create(const ScheduleWriter& writer, const Call& call) {
    const auto context = context_once(call);
    if (!context) return context.error();
    auto wanted = read_new(writer, call.tenant(), call.body, *context);
    if (!wanted) return wanted.error();
    const auto created = writer.schedules.create(std::move(wanted->definition), *context, wanted->paused);
    if (!created) return in_words_of(call.body, created.error());
    auto response = schedule_response(writer.view, *created, 201);
    if (!response) return response;
    response->headers.emplace_back("Location", tenant_path(call.at("tenant"), "/schedules/" + created->definition.id));
    return replayed(std::move(*response), created->repeated);
}

constexpr const char* kByNextRun = "nextRunAt";
constexpr const char* kNewestFirst = "-createdAt";

// The timer provides this order. It knows only fire times, so no other filter applies.
std::optional<Error> check_by_next_run(const Parameters& query) {
    for (const auto& pair : query.pairs()) {
        const auto& name = pair.first;
        if (name == "sort" || name == "nextTo" || name == "limit" || name == "cursor" || name == "fields" ||
            pair.second.empty())
            continue;
        return in_field(invalid("cannot be combined with sort=nextRunAt; only nextTo can"), '?' + name);
    }
    return std::nullopt;
}

Response json_text_response(std::string text) { return {200, {{"Content-Type", kJsonMedia}}, std::move(text)}; }

Result<Response> list(const engine::NextUp& next_up, store::StoreReader& reader, ScheduleTexts& texts,
                      const Call& call) {
    auto filter = read_schedule_filter(call.query, call.tenant());
    const auto sort = call.query.text("sort").value_or("name");
    filter.descending = sort == "-name";
    filter.newest_first = sort == kNewestFirst;
    if (sort == kByNextRun) {
        if (auto error = check_by_next_run(call.query)) return *error;
    }
    const auto listing = sort == kByNextRun ? next_up.page(filter.tenant, filter.next_to, read_page(call.query))
                                            : reader.schedules(filter, read_page(call.query));
    if (!listing) return in_page(listing.error());
    return json_text_response(texts.page(*listing));
}

Result<Response> get(store::StoreReader& reader, ScheduleTexts& texts, const Call& call) {
    const auto record = reader.schedule(schedule_of(call));
    if (!record) return record.error();
    const auto result = last_result(reader, *record);
    if (!result) return result.error();
    auto response = json_text_response(texts.text(*record, *result));
    response.headers.push_back(etag(*record));
    return response;
}

Result<Response> replace(const ScheduleWriter& writer, const Call& call) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    const auto record = writer.view.reader.schedule(schedule_of(call));
    if (!record) return record.error();
    if (auto error = check_same_status(call.body, record->state.status)) return *error;
    const auto body = with_assignment(writer.assignments, call.tenant(), call.body);
    if (!body) return body.error();
    const auto changed = writer.schedules.update(
        {.tenant = call.tenant(), .id = record->definition.id}, *version,
        [&](const model::Schedule& stored) { return check_definition(writer, read_changed_schedule(*body, stored)); },
        call.context());
    if (!changed) return in_words_of(call.body, about_kept_zone(call.body, record->definition, changed.error()));
    return schedule_response(writer.view, *changed);
}

Result<Response> patch(const ScheduleWriter& writer, const Call& call) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    const auto record = patch_schedule(writer, schedule_of(call), *version, call.body, call.context());
    if (!record) return record.error();
    return schedule_response(writer.view, *record);
}

Result<Response> remove(engine::Schedules& schedules, engine::Runs& runs, const ScheduleView& view, const Call& call) {
    const auto reason = call.query.text("reason").value_or("");
    const bool purge = call.query.flag("purge");
    auto record = view.reader.schedule(schedule_of(call));
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.at("tenant"), .id = record->definition.id};
    // A schedule that is already deleted can still be purged of its runs.
    if (!purge || record->state.status != model::ScheduleStatus::deleted)
        record = schedules.remove(ref, reason, call.context());
    if (!record) return record.error();
    if (purge) {
        if (auto purged = runs.purge(ref); !purged) return purged.error();
    }
    return schedule_response(view, *record);
}

std::vector<Member> list_parameters() {
    auto members = schedule_filter_members();
    members.push_back({"sort", one_of({"name", "-name", kNewestFirst, kByNextRun}),
                       "Sort order. `-createdAt` returns the newest first. `nextRunAt` returns active schedules only, "
                       "the soonest first, and accepts no filter but `nextTo`. Defaults to `name`."});
    return page_parameters(std::move(members));
}

}  // namespace

void add_schedule_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs,
                         engine::Assignments& assignments, const engine::NextUp& next_up, const ScheduleView& view,
                         const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/schedules";
    const std::string one = all + "/{schedule}";
    const std::string group = "Schedules";
    const ScheduleWriter writer{schedules, assignments, view, limits};
    const Answer minimal{204, {}, "The request has `Prefer: return=minimal`."};
    const auto texts = std::make_shared<ScheduleTexts>(view.zones);
    routes.push_back({.method = "POST",
                      .pattern = all,
                      .operation = "createSchedule",
                      .summary = "Create a schedule.",
                      .group = group,
                      .permission = Permission::write,
                      .headers = {idempotency_key_header(), prefer_header()},
                      .body = schedule_request_shape(),
                      .answers = {{201, schedule_shape()}},
                      .handler = [writer](const Call& call) { return create(writer, call); }});
    routes.push_back(
        {.method = "GET",
         .pattern = all,
         .operation = "listSchedules",
         .summary = "List schedules, ordered by name, age or next fire time.",
         .details = "A schedule must match all filters. A page can have fewer items than its limit and still have a "
                    "next page, because the work for "
                    "one response is bounded.",
         .group = group,
         .permission = Permission::read,
         .query = list_parameters(),
         .answers = {{200, page_of(schedule_shape())}},
         .handler = [&next_up, view, texts](const Call& call) { return list(next_up, view.reader, *texts, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one,
                      .operation = "getSchedule",
                      .summary = "Retrieve a schedule.",
                      .group = group,
                      .permission = Permission::read,
                      .headers = {if_none_match_header()},
                      .answers = {{200, schedule_shape()}, {304, {}, "The version still matches `If-None-Match`."}},
                      .handler = [view, texts](const Call& call) { return get(view.reader, *texts, call); }});
    routes.push_back({.method = "PUT",
                      .pattern = one,
                      .operation = "replaceSchedule",
                      .summary = "Replace the definition of a schedule.",
                      .details = "Omitted members return to their defaults, except the name and the time zone, which "
                                 "stay. A `status` that differs "
                                 "from the schedule's is rejected; use PATCH to change it.",
                      .group = group,
                      .permission = Permission::write,
                      .headers = {if_match_header(), prefer_header()},
                      .body = schedule_replacement_shape(),
                      .answers = {{200, schedule_shape()}, minimal},
                      .handler = [writer](const Call& call) { return replace(writer, call); }});
    routes.push_back({.method = "PATCH",
                      .pattern = one,
                      .operation = "patchSchedule",
                      .summary = "Update parts of a schedule's definition.",
                      .details = "The body is a merge patch (RFC 7386), sent as `application/merge-patch+json` or "
                                 "`application/json`. Objects are "
                                 "merged, lists are replaced, and null resets a member to its default. Belfry "
                                 "recomputes the next fire time only if "
                                 "`spec` changes. `status` pauses or resumes the schedule.",
                      .group = group,
                      .permission = Permission::write,
                      .headers = {if_match_header(), prefer_header()},
                      .body = schedule_patch_shape(),
                      .answers = {{200, schedule_shape()}, minimal},
                      .handler = [writer](const Call& call) { return patch(writer, call); }});
    routes.push_back(
        {.method = "DELETE",
         .pattern = one,
         .operation = "deleteSchedule",
         .summary = "Delete a schedule. Its history stays readable.",
         .group = group,
         .permission = Permission::write,
         .query = {{"reason", reason_text(), "Reason for the request. Recorded in the history."},
                   {"purge", boolean(), "Also delete the runs of the schedule. Audit events are always kept."}},
         .answers = {{200, schedule_shape()}},
         .handler = [&schedules, &runs, view](const Call& call) { return remove(schedules, runs, view, call); }});
}

}  // namespace belfry::api
