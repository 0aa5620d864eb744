// Routes that import and export calendars as iCalendar files.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/http/percent.hpp"
#include "api/resources/calendars/calendar_dto.hpp"
#include "engine/usecases/calendars.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

constexpr const char* kCalendarMedia = "text/calendar";

Result<Response> import_file(engine::Calendars& calendars, store::StoreClock& clock, const Call& call) {
    engine::Calendars::ImportRequest request{.name = call.at("calendar"), .file = call.request.body};
    if (const auto error = check_name(request.name))
        return Error{ErrorCode::invalid_argument, "the name of the calendar " + error->message};
    request.merge = call.query.text("mode") != "replace";
    request.kind = call.query.parsed("kind", &spec::parse_calendar_kind);
    request.timezone = call.query.text("timezone");
    const auto now = clock.now();
    if (!now) return now.error();
    const auto imported = calendars.import(call.tenant(), request);
    if (!imported) return imported.error();
    const auto& [calendar, reading, added, created] = *imported;
    boost::json::array ignored;
    for (const auto& one : reading.ignored) ignored.push_back(object{{"event", one.event}, {"reason", one.reason}});
    auto response =
        json_response(object{{"calendar", calendar_json(calendar, calendars.outlook(calendar.calendar, *now))},
                             {"eventsRead", reading.events},
                             {"datesRead", reading.dates.size()},
                             {"datesAdded", added},
                             {"ignoredCount", reading.ignored_count},
                             {"ignored", std::move(ignored)}},
                      created ? 201 : 200);
    response.headers.push_back(etag(calendar.version));
    if (created)
        response.headers.emplace_back(
            "Location", tenant_path(call.tenant(), "/calendars/" + percent_encode(calendar.calendar.name)));
    return response;
}

Result<Response> export_file(engine::Calendars& calendars, store::StoreClock& clock, const Call& call) {
    const auto record = calendars.get(call.tenant(), call.at("calendar"));
    if (!record) return record.error();
    const auto now = clock.now();
    if (!now) return now.error();
    // RFC 8187 encoding, because the name may contain any character.
    const auto name = "attachment; filename*=UTF-8''" + percent_encode(record->calendar.name + ".ics");
    return Response{200,
                    {{"Content-Type", std::string(kCalendarMedia) + "; charset=utf-8"},
                     {"Content-Disposition", name},
                     etag(record->version)},
                    spec::write_ics(record->calendar, *now)};
}

ShapePtr import_shape() {
    const auto ignored =
        record("IgnoredEvent", {{"event", text(), "Summary or UID of the event.", Presence::required},
                                {"reason", text(), "Why the event yields no dates.", Presence::required}});
    return record(
        "CalendarImport",
        {{"calendar", calendar_shape(), "The calendar after the import.", Presence::required},
         {"eventsRead", integer(), "Number of events read.", Presence::required},
         {"datesRead", integer(), "Number of dates in the file.", Presence::required},
         {"datesAdded", integer(), "Number of those dates that were new to the calendar.", Presence::required},
         {"ignoredCount", integer(), "Number of events ignored, plus one for each unknown time zone.",
          Presence::required},
         {"ignored", list_of(ignored), "The first ignored events and unknown time zones, with reasons.",
          Presence::required}});
}

}  // namespace

void add_calendar_file_routes(Routes& routes, engine::Calendars& calendars, store::StoreClock& clock) {
    const std::string one = "/api/tenants/{tenant}/calendars/{calendar}";
    routes.push_back(
        {.method = "POST",
         .pattern = one + "/import",
         .operation = "importCalendar",
         .summary = "Import the dates of an iCalendar file. Creates the calendar if it does not exist.",
         .details = "Every date that an event covers counts, in the time zone of the event, or in the calendar's zone "
                    "for an event in UTC. Recurring "
                    "events are expanded from one year ago to ten years ahead. Cancelled events are ignored. The file "
                    "can have at most 1 MiB.",
         .group = "Calendars",
         .permission = Permission::write,
         .query = {{"mode", one_of({"merge", "replace"}),
                    "Whether to add to the existing dates or to replace them. Defaults to `merge`."},
                   {"kind", calendar_kind_names(),
                    "Kind of a calendar that the import creates or replaces. Defaults to `skip_dates`."},
                   {"timezone", text(),
                    "IANA time zone of a calendar that the import creates or replaces. Defaults to the file's."}},
         .body = text(static_cast<std::int64_t>(spec::kIcsBytesMax)),
         .body_media = kCalendarMedia,
         .answers = {{200, import_shape()}, {201, import_shape(), "The calendar was created."}},
         .handler = [&](const Call& call) { return import_file(calendars, clock, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one + "/export.ics",
                      .operation = "exportCalendar",
                      .summary = "Export a calendar as an iCalendar file.",
                      .group = "Calendars",
                      .permission = Permission::read,
                      .answers = {{200, {}, "File with one event for each range of dates.", kCalendarMedia}},
                      .handler = [&](const Call& call) { return export_file(calendars, clock, call); }});
}

}  // namespace belfry::api
