// Calendars: create, list, read, replace, delete, clone, and attach them to schedules.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/calendar_dto.hpp"
#include "api/handlers.hpp"
#include "api/percent.hpp"
#include "api/preferences.hpp"
#include "api/run_dto.hpp"
#include "api/schedule_shape.hpp"

namespace belfry::api {

namespace {

using model::Permission;
using Record = engine::Calendars::Record;
using Change = Result<engine::Schedules::Record> (engine::Calendars::*)(const store::ScheduleRef&, const std::string&, const model::CommandContext&);

Result<Response> calendar_response(engine::Engine& engine, const Result<Record>& record, int status = 200) {
    if (!record) return record.error();
    const auto now = engine.store().now();
    if (!now) return now.error();
    auto response = json_response(calendar_json(*record, engine.calendars().outlook(record->calendar, *now)), status);
    response.headers.push_back(etag(record->version));
    return response;
}

Result<Response> created_response(engine::Engine& engine, const Call& call, const Result<Record>& record) {
    auto response = calendar_response(engine, record, 201);
    if (response) response->headers.emplace_back("Location", tenant_path(call.tenant(), "/calendars/" + percent_encode(record->calendar.name)));
    return response;
}

Result<Response> create(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    return created_response(engine, call, engine.calendars().create(call.tenant(), read_calendar(values, *values.text("name"))));
}

Result<Response> list(engine::Engine& engine, const Call& call) {
    const auto calendars = engine.calendars().list(call.tenant());
    if (!calendars) return calendars.error();
    const auto now = engine.store().now();
    if (!now) return now.error();
    const auto wanted = lower_case(call.query.text("q").value_or(""));
    boost::json::array items;
    for (const auto& record : *calendars) {
        if (lower_case(record.calendar.name).find(wanted) == std::string::npos) continue;
        items.push_back(calendar_summary_json(record, engine.calendars().outlook(record.calendar, *now)));
    }
    return page_response(call.query, std::move(items), "name");
}

Result<Response> replace(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    const auto& name = call.at("calendar");
    if (const auto sent = values.text("name"); sent && *sent != name) {
        return Error{ErrorCode::invalid_argument, "a calendar cannot be renamed: clone it as " + in_quotes(*sent) + ", or leave the name out",
                     "/name"};
    }
    const auto version = expected_version(call);
    if (!version) return version.error();
    return calendar_response(engine, engine.calendars().replace(call.tenant(), read_calendar(values, name), *version));
}

Result<Response> remove(engine::Engine& engine, const Call& call) {
    if (auto removed = engine.calendars().remove(call.tenant(), call.at("calendar")); !removed) return removed.error();
    return Response{.status = 204};
}

Result<Response> clone(engine::Engine& engine, const Call& call) {
    const auto name = *Values(call.body).text("name");
    return created_response(engine, call, engine.calendars().clone(call.tenant(), call.at("calendar"), name));
}

Result<Response> change(engine::Engine& engine, const Call& call, Change verb) {
    const auto context = call.context(Values(call.body).text("reason").value_or(""));
    const auto changed = (engine.calendars().*verb)(schedule_of(call), call.at("calendar"), context);
    if (!changed) return changed.error();
    return schedule_response(engine, *changed);
}

ShapePtr clone_shape() { return record("CalendarClone", {{"name", name_text(), "Of the new one.", Presence::required}}); }

}  // namespace

void add_calendar_routes(Routes& routes, engine::Engine& engine) {
    const std::string all = "/api/tenants/{tenant}/calendars";
    const std::string one = all + "/{calendar}";
    const std::string group = "Calendars";
    const auto add = [&](Route route) {
        route.group = group;
        routes.push_back(std::move(route));
    };
    add({.method = "POST",
         .pattern = all,
         .operation = "createCalendar",
         .summary = "Create a calendar.",
         .permission = Permission::write,
         .body = new_calendar_shape(),
         .answers = {{201, calendar_shape()}},
         .handler = [&](const Call& call) { return create(engine, call); }});
    add({.method = "GET",
         .pattern = all,
         .operation = "listCalendars",
         .summary = "List the tenant's calendars by name, and those that ship with the program.",
         .details = "Without their dates.",
         .permission = Permission::read,
         .query = page_parameters({{"q", text(), "Only names that contain it, in any case."}}),
         .answers = {{200, page_of(calendar_summary_shape())}},
         .handler = [&](const Call& call) { return list(engine, call); }});
    add({.method = "GET",
         .pattern = one,
         .operation = "getCalendar",
         .summary = "Read a calendar with its dates.",
         .permission = Permission::read,
         .answers = {{200, calendar_shape()}},
         .handler = [&](const Call& call) { return calendar_response(engine, engine.calendars().get(call.tenant(), call.at("calendar"))); }});
    add({.method = "PUT",
         .pattern = one,
         .operation = "replaceCalendar",
         .summary = "Replace a calendar's kind, zone and dates.",
         .details = "Schedules heed it from their next decision on. A calendar that ships with the program is refused with 403: clone it.",
         .permission = Permission::write,
         .headers = {if_match_header()},
         .body = changed_calendar_shape(),
         .answers = {{200, calendar_shape()}},
         .handler = [&](const Call& call) { return replace(engine, call); }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteCalendar",
         .summary = "Delete a calendar that no schedule uses.",
         .details = "409 names the schedules that use it.",
         .permission = Permission::write,
         .answers = {{204, {}, "It is gone."}},
         .handler = [&](const Call& call) { return remove(engine, call); }});
    add({.method = "POST",
         .pattern = one + "/clone",
         .operation = "cloneCalendar",
         .summary = "Make a calendar of your own from another one, also from one that ships with the program.",
         .permission = Permission::write,
         .body = clone_shape(),
         .answers = {{201, calendar_shape()}},
         .handler = [&](const Call& call) { return clone(engine, call); }});
    const std::string attached = "/api/tenants/{tenant}/schedules/{schedule}/calendars/{calendar}";
    add({.method = "POST",
         .pattern = attached,
         .operation = "attachCalendar",
         .summary = "Let a schedule heed a calendar; again is fine.",
         .permission = Permission::write,
         .body = record("AttachRequest", {{"reason", text(), "Why; kept in the history."}}),
         .body_presence = Presence::optional,
         .answers = {{200, schedule_shape()}},
         .handler = [&](const Call& call) { return change(engine, call, &engine::Calendars::attach); }});
    add({.method = "DELETE",
         .pattern = attached,
         .operation = "detachCalendar",
         .summary = "Let a schedule no longer heed a calendar; again is fine.",
         .permission = Permission::write,
         .answers = {{200, schedule_shape()}},
         .handler = [&](const Call& call) { return change(engine, call, &engine::Calendars::detach); }});
}

}  // namespace belfry::api
