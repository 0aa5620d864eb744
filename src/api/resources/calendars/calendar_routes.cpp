// Routes that create, list, read, replace, delete and clone calendars, and attach them to schedules.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/http/percent.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/calendars/calendar_dto.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "engine/usecases/calendars.hpp"
#include "engine/usecases/schedules.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using model::Permission;
using Record = engine::Calendars::Record;
using Change = Result<engine::Schedules::Record> (engine::Calendars::*)(const store::ScheduleRef&, const std::string&,
                                                                        const model::CommandContext&);

Result<Response> calendar_response(engine::Calendars& calendars, store::StoreClock& clock, const Result<Record>& record,
                                   int status = 200) {
    if (!record) return record.error();
    const auto now = clock.now();
    if (!now) return now.error();
    auto response = json_response(calendar_json(*record, calendars.outlook(record->calendar, *now)), status);
    response.headers.push_back(etag(record->version));
    return response;
}

Result<Response> created_response(engine::Calendars& calendars, store::StoreClock& clock, const Call& call,
                                  const Result<Record>& record) {
    auto response = calendar_response(calendars, clock, record, 201);
    if (response)
        response->headers.emplace_back(
            "Location", tenant_path(call.tenant(), "/calendars/" + percent_encode(record->calendar.name)));
    return response;
}

Result<spec::CalendarText> read_checked(const Values& values, const std::string& name, const ScheduleLimits& limits) {
    auto calendar = read_calendar(values, name);
    if (auto error = check_definition_size(model::to_json(calendar), limits.definition_max)) return *error;
    return calendar;
}

Result<Response> create(engine::Calendars& calendars, store::StoreClock& clock, const ScheduleLimits& limits,
                        const Call& call) {
    const Values values(call.body);
    auto calendar = read_checked(values, *values.text("name"), limits);
    if (!calendar) return calendar.error();
    return created_response(calendars, clock, call, calendars.create(call.tenant(), std::move(*calendar)));
}

Result<Response> list(engine::Calendars& calendars, store::StoreClock& clock, const Call& call) {
    const auto now = clock.now();
    if (!now) return now.error();
    const auto wanted = lower_case(call.query.text("q").value_or(""));
    boost::json::array items;
    const auto read = calendars.for_each(call.tenant(), [&](const Record& record) {
        if (lower_case(record.calendar.name).find(wanted) == std::string::npos) return;
        items.push_back(calendar_summary_json(record, calendars.outlook(record.calendar, *now)));
    });
    if (!read) return read.error();
    return page_response(call.query, std::move(items), "name");
}

Result<Response> replace(engine::Calendars& calendars, store::StoreClock& clock, const ScheduleLimits& limits,
                         const Call& call) {
    const Values values(call.body);
    const auto& name = call.at("calendar");
    if (const auto sent = values.text("name"); sent && *sent != name) {
        return Error{ErrorCode::invalid_argument,
                     "a calendar cannot be renamed; clone it as " + in_quotes(*sent) + ", or leave name out", "/name"};
    }
    const auto version = expected_version(call);
    if (!version) return version.error();
    auto calendar = read_checked(values, name, limits);
    if (!calendar) return calendar.error();
    return calendar_response(calendars, clock, calendars.replace(call.tenant(), std::move(*calendar), *version));
}

Result<Response> remove(engine::Calendars& calendars, const Call& call) {
    if (auto removed = calendars.remove(call.tenant(), call.at("calendar")); !removed) return removed.error();
    return Response{.status = 204};
}

Result<Response> clone(engine::Calendars& calendars, store::StoreClock& clock, const Call& call) {
    const auto name = *Values(call.body).text("name");
    return created_response(calendars, clock, call, calendars.clone(call.tenant(), call.at("calendar"), name));
}

Result<Response> change(engine::Calendars& calendars, const ScheduleView& view, const Call& call, Change verb) {
    const auto context = call.context(Values(call.body).text("reason").value_or(""));
    const auto changed = (calendars.*verb)(schedule_of(call), call.at("calendar"), context);
    if (!changed) return changed.error();
    return schedule_response(view, *changed);
}

ShapePtr clone_shape() {
    return record("CalendarClone", {{"name", name_text(), "Name of the new calendar.", Presence::required}});
}

}  // namespace

void add_calendar_routes(Routes& routes, engine::Calendars& calendars, const ScheduleView& view,
                         const ScheduleLimits& limits) {
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
         .handler = [&calendars, view, limits](const Call& call) {
             return create(calendars, view.reader, limits, call);
         }});
    add({.method = "GET",
         .pattern = all,
         .operation = "listCalendars",
         .summary = "List the tenant's calendars and the built-in ones, ordered by name.",
         .details = "The list does not include the dates.",
         .permission = Permission::read,
         .query =
             page_parameters({{"q", text(), "Return only calendars whose name contains this text. Case-insensitive."}}),
         .answers = {{200, page_of(calendar_summary_shape())}},
         .handler = [&calendars, view](const Call& call) { return list(calendars, view.reader, call); }});
    add({.method = "GET",
         .pattern = one,
         .operation = "getCalendar",
         .summary = "Retrieve a calendar with its dates.",
         .permission = Permission::read,
         .answers = {{200, calendar_shape()}},
         .handler = [&calendars, view](const Call& call) {
             return calendar_response(calendars, view.reader, calendars.get(call.tenant(), call.at("calendar")));
         }});
    add({.method = "PUT",
         .pattern = one,
         .operation = "replaceCalendar",
         .summary = "Replace the kind, time zone and dates of a calendar.",
         .details = "The change applies from the next decision of each schedule. A built-in calendar cannot be "
                    "replaced (403); clone it instead.",
         .permission = Permission::write,
         .headers = {if_match_header()},
         .body = changed_calendar_shape(),
         .answers = {{200, calendar_shape()}},
         .handler = [&calendars, view, limits](const Call& call) {
             return replace(calendars, view.reader, limits, call);
         }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteCalendar",
         .summary = "Delete a calendar that no schedule uses.",
         .details = "If schedules use the calendar, the response is 409 and names them.",
         .permission = Permission::write,
         .answers = {{204, {}, "The calendar was deleted."}},
         .handler = [&](const Call& call) { return remove(calendars, call); }});
    add({.method = "POST",
         .pattern = one + "/clone",
         .operation = "cloneCalendar",
         .summary = "Clone a calendar, including a built-in one.",
         .permission = Permission::write,
         .body = clone_shape(),
         .answers = {{201, calendar_shape()}},
         .handler = [&calendars, view](const Call& call) { return clone(calendars, view.reader, call); }});
    const std::string attached = "/api/tenants/{tenant}/schedules/{schedule}/calendars/{calendar}";
    add({.method = "POST",
         .pattern = attached,
         .operation = "attachCalendar",
         .summary = "Attach a calendar to a schedule. Attaching it again has no effect.",
         .permission = Permission::write,
         .body =
             record("AttachRequest", {{"reason", reason_text(), "Reason for the request. Recorded in the history."}}),
         .body_presence = Presence::optional,
         .answers = {{200, schedule_shape()}},
         .handler = [&calendars, view](const Call& call) {
             return change(calendars, view, call, &engine::Calendars::attach);
         }});
    add({.method = "DELETE",
         .pattern = attached,
         .operation = "detachCalendar",
         .summary = "Detach a calendar from a schedule. Detaching it again has no effect.",
         .permission = Permission::write,
         .answers = {{200, schedule_shape()}},
         .handler = [&calendars, view](const Call& call) {
             return change(calendars, view, call, &engine::Calendars::detach);
         }});
}

}  // namespace belfry::api
