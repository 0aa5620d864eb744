// Routes that create, list, read, replace, patch and delete schedules.
#include "api/contract/idempotency.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/schedules/schedule_texts.hpp"
#include "base/errors.hpp"
#include "engine/jobs/next_up.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::api {

namespace {

using model::Permission;

// Returns the definition, or all its errors at once. The engine reports its own errors when it compiles the definition,
// so this function compiles only if it has found an error already.
Result<model::Schedule> checked(engine::Schedules& schedules, const ScheduleLimits& limits,
                                Result<model::Schedule> definition) {
    if (!definition) return definition;
    auto errors = check_schedule(*definition, limits);
    if (errors.empty()) return definition;
    if (const auto compiled = schedules.compile(*definition); !compiled) {
        if (compiled.error().code != ErrorCode::invalid_argument) return compiled.error();
        errors.push_back(compiled.error());
    }
    return combine_errors(std::move(errors));
}

Result<Response> create(engine::Schedules& schedules, engine::Assignments& assignments, const ScheduleView& view,
                        const ScheduleLimits& limits, const Call& call) {
    const auto status = wanted_status(call.body, model::ScheduleStatus::active);
    if (!status) return status.error();
    const auto body = with_assignment(assignments, call.tenant(), call.body);
    if (!body) return body.error();
    auto definition = checked(schedules, limits, read_new_schedule(*body, call.tenant(), limits));
    if (!definition) return in_words_of(call.body, definition.error());
    const auto context = context_once(call);
    if (!context) return context.error();
    const auto paused =
        *status == model::ScheduleStatus::paused ? engine::Schedules::Paused(decide::PauseRequest{}) : std::nullopt;
    const auto created = schedules.create(std::move(*definition), *context, paused);
    if (!created) return in_words_of(call.body, created.error());
    auto response = schedule_response(view, *created, 201);
    if (!response) return response;
    response->headers.emplace_back("Location", tenant_path(call.at("tenant"), "/schedules/" + created->definition.id));
    return replayed(std::move(*response), created->repeated);
}

Result<std::pair<std::string, std::string>> parse_label(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return invalid("must be key:value, for example team:billing");
    return std::pair{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
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
    store::ScheduleFilter filter{.tenant = call.tenant()};
    filter.status = call.query.parsed("status", &model::parse_schedule_status);
    filter.name_prefix = call.query.text("namePrefix").value_or("");
    filter.label = call.query.parsed("label", &parse_label);
    filter.target_type = call.query.parsed("target", &model::parse_target_type);
    filter.target_kind = call.query.text("targetKind").value_or("");
    filter.contains = call.query.text("q").value_or("");
    filter.next_from = call.query.instant("nextFrom");
    filter.next_to = call.query.instant("nextTo");
    const auto sort = call.query.text("sort").value_or("name");
    filter.descending = sort == "-name";
    filter.newest_first = sort == kNewestFirst;
    filter.queue = call.query.text("queue");
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

// Pauses or resumes the schedule after the definition has changed. A rejected request changes nothing.
Result<Response> become(engine::Schedules& schedules, const ScheduleView& view, const Call& call,
                        const store::ScheduleRecord& record, std::optional<model::ScheduleStatus> status) {
    if (!status || record.state.status == *status) return schedule_response(view, record);
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record.definition.id};
    const auto changed = *status == model::ScheduleStatus::paused ? schedules.pause(ref, {}, call.context())
                                                                  : schedules.resume(ref, call.context());
    if (!changed) return changed.error();
    return schedule_response(view, *changed);
}

// Applies a patch of the status alone. It also works for a schedule whose definition cannot be read.
Result<Response> switch_only(engine::Schedules& schedules, const ScheduleView& view, const Call& call,
                             const store::ScheduleRecord& record, std::optional<model::ScheduleStatus> status) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    const auto stored = record.definition.version;
    if (*version && **version != stored) return engine::has_changed(stored, **version);
    return become(schedules, view, call, record, status);
}

Result<Response> replace(engine::Schedules& schedules, engine::Assignments& assignments, const ScheduleView& view,
                         const ScheduleLimits& limits, const Call& call) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    const auto record = view.reader.schedule(schedule_of(call));
    if (!record) return record.error();
    if (auto error = check_same_status(call.body, record->state.status)) return *error;
    const auto body = with_assignment(assignments, call.tenant(), call.body);
    if (!body) return body.error();
    const auto changed = schedules.update(
        {.tenant = call.tenant(), .id = record->definition.id}, *version,
        [&](const model::Schedule& stored) { return checked(schedules, limits, read_changed_schedule(*body, stored)); },
        call.context());
    if (!changed) return in_words_of(call.body, about_kept_zone(call.body, record->definition, changed.error()));
    return schedule_response(view, *changed);
}

Result<Response> patch(engine::Schedules& schedules, engine::Assignments& assignments, const ScheduleView& view,
                       const ScheduleLimits& limits, const Call& call) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    const auto record = view.reader.schedule(schedule_of(call));
    if (!record) return record.error();
    const auto status = wanted_status(call.body, record->state.status);
    if (!status) return status.error();
    if (!changes_definition(call.body)) return switch_only(schedules, view, call, *record, *status);
    if (!record->unreadable.empty()) return engine::must_be_replaced(*record);
    const auto edit = [&](const model::Schedule& stored) -> Result<model::Schedule> {
        const auto whole = patched(call.body, {stored, record->state}, view.zones);
        if (!whole) return whole.error();
        // The patched definition must be complete as well.
        if (auto errors = check(*whole, *schedule_replacement_shape()); !errors.empty())
            return combine_errors(std::move(errors));
        const auto filled = with_assignment(assignments, call.tenant(), *whole);
        if (!filled) return filled.error();
        return checked(schedules, limits, read_changed_schedule(*filled, stored));
    };
    const auto changed =
        schedules.update({.tenant = call.tenant(), .id = record->definition.id}, *version, edit, call.context());
    if (!changed) return in_words_of(call.body, about_kept_zone(call.body, record->definition, changed.error()));
    return become(schedules, view, call, *changed, *status);
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

}  // namespace

void add_schedule_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs,
                         engine::Assignments& assignments, const engine::NextUp& next_up, const ScheduleView& view,
                         const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/schedules";
    const std::string one = all + "/{schedule}";
    const std::string group = "Schedules";
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
                      .handler = [&schedules, &assignments, view, limits](const Call& call) {
                          return create(schedules, assignments, view, limits, call);
                      }});
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
         .query = page_parameters(
             {{"status", schedule_status_names(),
               "Return only schedules with this status. By default, all but deleted ones."},
              {"namePrefix", text(), "Return only schedules whose name begins with this text."},
              {"label", checked_text("label", &parses<&parse_label>),
               "Return only schedules with this label, for example `team:billing`."},
              {"target", one_of({"workflow", "task"}), "Return only schedules whose target has this type."},
              {"targetKind", text(),
               "Return only schedules whose target has exactly this `workflowKind` or `taskKind`."},
              {"queue", text(), "Return only schedules whose target uses this queue."},
              {"q", text(), "Return only schedules whose name contains this text. Case-insensitive."},
              {"nextFrom", instant(), "Return only schedules that fire next at or after this time."},
              {"nextTo", instant(), "Return only schedules that fire next at or before this time."},
              {"sort", one_of({"name", "-name", kNewestFirst, kByNextRun}),
               "Sort order. `-createdAt` returns the newest first. `nextRunAt` returns active schedules only, the "
               "soonest first, and accepts no "
               "filter but `nextTo`. Defaults to `name`."}}),
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
                      .handler = [&schedules, &assignments, view, limits](const Call& call) {
                          return replace(schedules, assignments, view, limits, call);
                      }});
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
                      .handler = [&schedules, &assignments, view, limits](const Call& call) {
                          return patch(schedules, assignments, view, limits, call);
                      }});
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
