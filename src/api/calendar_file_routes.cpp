// Calendars as iCalendar files: in and out.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/calendar_dto.hpp"
#include "api/handlers.hpp"
#include "api/percent.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

constexpr const char* kCalendarMedia = "text/calendar";

Result<Response> import_file(engine::Engine& engine, const Call& call) {
    engine::Calendars::ImportRequest request{.name = call.at("calendar"), .file = call.request.body};
    if (const auto error = check_name(request.name)) return Error{ErrorCode::invalid_argument, "the name of the calendar " + error->message};
    request.merge = call.query.text("mode") != "replace";
    request.kind = call.query.parsed("kind", &spec::parse_calendar_kind);
    request.timezone = call.query.text("timezone");
    const auto now = engine.store().now();
    if (!now) return now.error();
    const auto imported = engine.calendars().import(call.tenant(), request);
    if (!imported) return imported.error();
    const auto& [calendar, reading, added, created] = *imported;
    boost::json::array ignored;
    for (const auto& one : reading.ignored) ignored.push_back(object{{"event", one.event}, {"reason", one.reason}});
    auto response = json_response(object{{"calendar", calendar_json(calendar, engine.calendars().outlook(calendar.calendar, *now))},
                                         {"eventsRead", reading.events},
                                         {"datesRead", reading.dates.size()},
                                         {"datesAdded", added},
                                         {"ignoredCount", reading.ignored_count},
                                         {"ignored", std::move(ignored)}},
                                  created ? 201 : 200);
    response.headers.push_back(etag(calendar.version));
    if (created) response.headers.emplace_back("Location", tenant_path(call.tenant(), "/calendars/" + percent_encode(calendar.calendar.name)));
    return response;
}

Result<Response> export_file(engine::Engine& engine, const Call& call) {
    const auto record = engine.calendars().get(call.tenant(), call.at("calendar"));
    if (!record) return record.error();
    const auto now = engine.store().now();
    if (!now) return now.error();
    // The name in the way of RFC 8187: it may hold anything.
    const auto name = "attachment; filename*=UTF-8''" + percent_encode(record->calendar.name + ".ics");
    return Response{200,
                    {{"Content-Type", std::string(kCalendarMedia) + "; charset=utf-8"}, {"Content-Disposition", name}, etag(record->version)},
                    spec::write_ics(record->calendar, *now)};
}

ShapePtr import_shape() {
    const auto ignored = record("IgnoredEvent", {{"event", text(), "Its summary, or its UID.", Presence::required},
                                                 {"reason", text(), "Why it gave no dates.", Presence::required}});
    return record("CalendarImport", {{"calendar", calendar_shape(), "As it is now.", Presence::required},
                                     {"eventsRead", integer(), "Events that count.", Presence::required},
                                     {"datesRead", integer(), "Dates that the file names.", Presence::required},
                                     {"datesAdded", integer(), "Of them, those that the calendar did not have.", Presence::required},
                                     {"ignoredCount", integer(), "Events that do not count.", Presence::required},
                                     {"ignored", list_of(ignored), "The first of them, and why.", Presence::required}});
}

}  // namespace

void add_calendar_file_routes(Routes& routes, engine::Engine& engine) {
    const std::string one = "/api/tenants/{tenant}/calendars/{calendar}";
    routes.push_back({.method = "POST",
                      .pattern = one + "/import",
                      .operation = "importCalendar",
                      .summary = "Read the dates of an iCalendar file; makes the calendar when there is none.",
                      .details =
                          "An event counts with all dates that it covers, on the walls of its own zone; one in UTC on those of the calendar's zone. "
                          "Events that repeat are followed from one year ago to ten years ahead. Cancelled events do not count. At most 1 MiB.",
                      .group = "Calendars",
                      .permission = Permission::write,
                      .query = {{"mode", one_of({"merge", "replace"}), "Add to the dates that are there (when absent), or replace them."},
                                {"kind", calendar_kind_names(), "Of a calendar that is made or replaced; `skip_dates` when absent."},
                                {"timezone", text(), "Likewise, an IANA zone; the file's own when absent."}},
                      .body = text(static_cast<std::int64_t>(spec::kIcsBytesMax)),
                      .body_media = kCalendarMedia,
                      .answers = {{200, import_shape()}, {201, import_shape(), "The calendar was made."}},
                      .handler = [&](const Call& call) { return import_file(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one + "/export.ics",
                      .operation = "exportCalendar",
                      .summary = "Read a calendar as an iCalendar file.",
                      .group = "Calendars",
                      .permission = Permission::read,
                      .answers = {{200, {}, "One event for each stretch of dates.", kCalendarMedia}},
                      .handler = [&](const Call& call) { return export_file(engine, call); }});
}

}  // namespace belfry::api
