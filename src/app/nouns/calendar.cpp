// belfry calendar: named sets of dates.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/cli/text_file.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/nouns.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

std::string dates_cell(const Session&, const Json& calendar) { return joined_at(calendar, "/dates"); }
std::string origin_cell(const Session&, const Json& calendar) { return is_true(calendar, "/builtIn") ? "yes" : ""; }

const Columns kCalendars{{"NAME", "/name"},
                         {"KIND", "/kind"},
                         {"ZONE", "/timezone"},
                         {"DATES", "/dateCount"},
                         {"LAST DATE", "/expiresOn"},
                         {"BUILT IN", "", origin_cell},
                         {"WARNING", "/warning", nullptr, true}};
const Columns kOneCalendar{{"NAME", "/name"},
                           {"KIND", "/kind"},
                           {"ZONE", "/timezone"},
                           {"DATES", "", dates_cell},
                           {"BUILT IN", "", origin_cell},
                           {"WARNING", "/warning"}};

Result<ExitCode> import_calendar(Session& session) {
    const auto path = session.values().one("FILE");
    const auto text = read_text_file(path == "-" ? "/dev/stdin" : path);
    if (!text) return text.error();
    const auto query = session.query();
    if (!query) return query.error();
    const auto answer = session.server().client.call(
        "POST",
        {.path = session.path("…/calendars/{NAME}/import") + *query, .text = *text, .content_type = "text/calendar"});
    if (!answer) return answer.error();
    if (print_for_programs(session, *answer)) return ExitCode::ok;
    session.out() << "Read " << text_at(*answer, "/datesRead") << " dates of " << text_at(*answer, "/eventsRead")
                  << " events; " << text_at(*answer, "/datesAdded") << " are new.\n";
    for (const auto& ignored : list_at(*answer, "/ignored"))
        session.console().note("ignored " + text_at(ignored, "/event") + ": " + text_at(ignored, "/reason"));
    return ExitCode::ok;
}

const Argument kCalendarName{"NAME", "Name of the calendar"};

}  // namespace

const Noun& calendar_noun() {
    static const Noun kNoun{
        "calendar",
        "Create and import calendars",
        "  belfry calendar list\n  belfry calendar create closing --date 2026-12-24 --date 2026-12-31\n"
        "  belfry calendar import holidays holidays.ics",
        {{.name = "create",
          .help = "Create a calendar",
          .examples = "  belfry calendar create closing --date 2026-12-24 --date 2026-12-31\n"
                      "  belfry calendar create paydays --kind only_dates --date 2026-11-30",
          .method = "POST",
          .path = "…/calendars",
          .arguments = {{"NAME", "Name of the calendar", Argument::one, "/name"}},
          .flags = {{"--date", "DATE", "Date, such as 2026-12-24; may be repeated", Kind::list, "/dates"},
                    {"--kind", "KIND", "skip_dates, or only_dates to fire only then [skip_dates]", Kind::text, "/kind"},
                    {"--tz", "ZONE", "Time zone of the dates [UTC]", Kind::text, "/timezone"}},
          .done = "Created {NAME}.",
          .role = "operator"},
         {.name = "list",
          .help = "List calendars",
          .examples = "  belfry calendar list",
          .method = "LIST",
          .path = "…/calendars",
          .flags = {{"-q,--search", "TEXT", "Only those whose name contains this text", Kind::text, "?q"},
                    kLimitFlag,
                    kAllFlag},
          .columns = &kCalendars},
         {.name = "get",
          .help = "Show a calendar with its dates",
          .examples = "  belfry calendar get us-federal-holidays-2026",
          .method = "GET",
          .path = "…/calendars/{NAME}",
          .arguments = {kCalendarName},
          .columns = &kOneCalendar},
         {.name = "clone",
          .help = "Copy a calendar under a new name, to change it",
          .examples = "  belfry calendar clone us-federal-holidays-2026 our-holidays",
          .method = "POST",
          .path = "…/calendars/{NAME}/clone",
          .arguments = {kCalendarName, {"NEW", "Name of the copy", Argument::one, "/name"}},
          .done = "Created {NEW}.",
          .role = "operator"},
         {.name = "import",
          .help = "Add the dates of an iCalendar file; create the calendar if it is new",
          .examples = "  belfry calendar import holidays holidays.ics --tz Europe/Berlin",
          .method = "",
          .path = "",
          .arguments = {kCalendarName, {"FILE", "iCalendar file; - is the standard input"}},
          .flags = {{"--mode", "MODE", "merge or replace", Kind::text, "?mode"},
                    {"--kind", "KIND", "Of a new calendar: skip_dates or only_dates", Kind::text, "?kind"},
                    {"--tz", "ZONE", "Of a new calendar: time zone", Kind::text, "?timezone"}},
          .handler = import_calendar,
          .role = "operator"},
         {.name = "delete",
          .help = "Delete a calendar that no schedule uses",
          .examples = "  belfry calendar delete closing",
          .method = "DELETE",
          .path = "…/calendars/{NAME}",
          .arguments = {kCalendarName},
          .done = "Deleted {NAME}.",
          .role = "operator"}}};
    return kNoun;
}

}  // namespace belfry::app
