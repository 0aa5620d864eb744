#include "api/resources/calendars/calendar_dto.hpp"

#include "api/contract/json_values.hpp"

namespace belfry::api {

namespace {

using boost::json::object;

std::vector<Member> definition_members() {
    return {{"name", name_text(), "Name of the calendar, unique in its tenant, 1 to 255 characters. It never changes.",
             Presence::required},
            {"kind", calendar_kind_names(),
             "Whether schedules skip the dates, or fire only on them. Defaults to `skip_dates`."},
            {"timezone", text(), "IANA time zone in which the dates apply. Defaults to UTC."}};
}

std::vector<Member> server_members() {
    return {{"dateCount", integer(), "Number of dates."},
            {"builtIn", boolean(),
             "Whether the calendar is built in. A built-in calendar cannot be changed; clone it instead."},
            {"expiresOn", or_null(checked_text("date", nullptr)), "Last date of the calendar. Null if it has none."},
            {"warning", or_null(text()), "Set if the calendar has no dates, or none after the next 60 days."},
            {"version", integer(1), "Version of the calendar. Also sent as the ETag."}};
}

Member dates_member() {
    return {"dates",
            list_of(checked_text("date", &parses<&parse_date>), static_cast<std::int64_t>(spec::kCalendarDatesMax)),
            "Dates in the format `YYYY-MM-DD`.", Presence::required};
}

ShapePtr answer(std::string name, std::vector<Member> members) {
    for (auto& member : members) member.presence = Presence::required;
    return record(std::move(name), std::move(members));
}

ShapePtr request(std::string name, Presence of_name) {
    auto members = definition_members();
    members.front().presence = of_name;
    members.push_back(dates_member());
    for (const auto& member : server_members())
        members.push_back({member.name, anything(), "Set by the server. Ignored in requests."});
    return with_example(record(std::move(name), std::move(members)), Json{{"name", "plant-shutdown"},
                                                                          {"kind", "skip_dates"},
                                                                          {"timezone", "Europe/Berlin"},
                                                                          {"dates", {"2026-12-24", "2026-12-31"}}});
}

}  // namespace

object calendar_summary_json(const store::CalendarRecord& record, const engine::CalendarOutlook& outlook) {
    const auto& calendar = record.calendar;
    return {{"name", calendar.name},
            {"kind", spec::name_of(calendar.kind)},
            {"timezone", calendar.timezone},
            {"dateCount", calendar.dates.size()},
            {"builtIn", calendar.built_in},
            {"expiresOn", outlook.expires_on ? Json(format_date(*outlook.expires_on)) : Json(nullptr)},
            {"warning", or_null(outlook.warning)},
            {"version", record.version}};
}

object calendar_json(const store::CalendarRecord& record, const engine::CalendarOutlook& outlook) {
    auto json = calendar_summary_json(record, outlook);
    json["dates"] = array_of(record.calendar.dates);
    return json;
}

ShapePtr calendar_kind_names() { return one_of({"skip_dates", "only_dates"}, &parses<&spec::parse_calendar_kind>); }

ShapePtr calendar_summary_shape() {
    static const auto shape = [] {
        auto members = definition_members();
        for (auto& member : server_members()) members.push_back(std::move(member));
        return answer("CalendarSummary", std::move(members));
    }();
    return shape;
}

ShapePtr calendar_shape() {
    static const auto shape = [] {
        auto members = calendar_summary_shape()->members;
        members.push_back(dates_member());
        return answer("Calendar", std::move(members));
    }();
    return shape;
}

ShapePtr new_calendar_shape() {
    static const auto shape = request("NewCalendar", Presence::required);
    return shape;
}
ShapePtr changed_calendar_shape() {
    static const auto shape = request("ChangedCalendar", Presence::optional);
    return shape;
}

spec::CalendarText read_calendar(const Values& values, std::string name) {
    spec::CalendarText calendar{.name = std::move(name)};
    calendar.kind = values.parsed("kind", &spec::parse_calendar_kind).value_or(calendar.kind);
    calendar.timezone = values.text("timezone").value_or(calendar.timezone);
    for (const auto& date : values.array("dates")) calendar.dates.emplace_back(std::string_view(date.get_string()));
    return calendar;
}

}  // namespace belfry::api
