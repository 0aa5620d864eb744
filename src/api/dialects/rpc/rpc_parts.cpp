// The functions for calendars, and those that set a part of a schedule: its calendar, condition or rotation.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/rpc/rpc.hpp"
#include "api/resources/calendars/calendar_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::int64_t kRotationMax = 1'000;  // entries, as in a definition

// -- Calendars. Their names are unique in the workspace, and stand for the ids of other systems.

Result<void> get_calendars(engine::Calendars& calendars, const Call& call, RowSink& sink) {
    return calendars.for_each(call.tenant(), [&sink](const store::CalendarRecord& record) {
        const auto& calendar = record.calendar;
        if (!sink.wants_more()) return;
        sink.add(object{{"id", calendar.name},
                        {"name", calendar.name},
                        {"kind", name_of(calendar.kind)},
                        {"dates", array_of(calendar.dates)},
                        {"timezone", calendar.timezone},
                        {"is_seed", calendar.built_in},
                        {"created_at", nullptr}});
    });
}

Result<Json> create_calendar(engine::Calendars& calendars, const Call& call) {
    constexpr std::array kNames{FieldName{"/name", "/p_name"}, FieldName{"/kind", "/p_kind"},
                                FieldName{"/dates", "/p_dates", true}, FieldName{"/timezone", "/p_timezone"}};
    const Values arguments(call.body);
    spec::CalendarText calendar{.name = arguments.text("p_name").value_or("")};
    if (auto wrong = check_name(calendar.name)) return in_field(*wrong, "/p_name");
    const auto kind = arguments.parsed("p_kind", &spec::parse_calendar_kind);
    if (!kind) return in_field(invalid("must be skip_dates or only_dates"), "/p_kind");
    calendar.kind = *kind;
    const auto zone = arguments.text("p_timezone").value_or("");
    if (!zone.empty()) calendar.timezone = zone;
    for (const auto& date : arguments.array("p_dates")) calendar.dates.emplace_back(date.get_string());
    const auto created = calendars.create(call.tenant(), std::move(calendar));
    if (!created) return renamed(created.error(), kNames);
    return Json(created->calendar.name);
}

ShapePtr calendar_row_shape() {
    return answer_record("ScheduleCalendar",
                         {{"id", text(), "Identifier of the calendar, which is its name."},
                          {"name", text(), "Name of the calendar."},
                          {"kind", calendar_kind_names(), "Whether the dates are the ones to skip or the only ones."},
                          {"dates", list_of(text()), "Dates, in the time zone of the calendar."},
                          {"timezone", text(), "IANA time zone."},
                          {"is_seed", boolean(), "Whether the calendar is built in. Such a calendar cannot change."},
                          {"created_at", or_null(instant()), "Always null. The server does not record this time."}});
}

// -- Parts of a schedule.

using PartEdit = std::function<Result<void>(const Call&, model::Schedule&)>;

Function part_function(const RpcServices& services, const ScheduleLimits& limits, std::string name, std::string summary,
                       ShapePtr arguments, PartEdit edit) {
    const auto change = [services, limits, edit = std::move(edit)](const Call& call, RowSink& sink) -> Result<void> {
        const auto stored = schedule_of(services.reader, call);
        if (!stored) return stored.error();
        const auto changed = services.schedules.update(
            ref_of(*stored), std::nullopt,
            [&](model::Schedule schedule) -> Result<model::Schedule> {
                if (auto edited = edit(call, schedule); !edited) return edited.error();
                return checked_schedule(std::move(schedule), limits);
            },
            call.context());
        return add_row(services, changed, sink);
    };
    return {.name = std::move(name),
            .summary = std::move(summary),
            .permission = Permission::write,
            .arguments = std::move(arguments),
            .answer = schedule_row_shape(),
            .says = "The row after the change.",
            .rows = change};
}

// A missing calendar looks the same as one of another tenant.
Result<void> set_calendar(engine::Calendars& calendars, const Call& call, model::Schedule& schedule) {
    schedule.calendars.clear();
    const auto calendar = Values(call.body).text("p_calendar_id");
    if (!calendar) return {};
    if (const auto found = calendars.get(call.tenant(), *calendar); !found) return found.error();
    schedule.calendars.push_back(*calendar);
    return {};
}

Json given_or_null(const Call& call, const char* name) {
    const auto* const value = Values(call.body).any(name);
    return value == nullptr ? Json(nullptr) : *value;
}

void add_calendar_functions(std::vector<Function>& functions, const RpcServices& services) {
    functions.push_back({.name = "fn_get_schedule_calendars",
                         .summary = "List the calendars of the workspace, then the built-in ones.",
                         .arguments = record("GetScheduleCalendars", {}),
                         .answer = calendar_row_shape(),
                         .says = "The calendars.",
                         .rows = [services](const Call& call, RowSink& sink) {
                             return get_calendars(services.calendars, call, sink);
                         }});
    functions.push_back(
        {.name = "fn_create_schedule_calendar",
         .summary = "Create a calendar.",
         .permission = Permission::write,
         .arguments = record(
             "CreateScheduleCalendar",
             {{"p_name", name_text(), "Name of the calendar.", Presence::required},
              {"p_kind", calendar_kind_names(), "Whether to skip the dates or to use only them.", Presence::required},
              {"p_dates", list_of(text(), spec::kCalendarDatesMax), "Dates as YYYY-MM-DD. Defaults to none."},
              {"p_timezone", text(), "IANA time zone. Defaults to UTC."}}),
         .answer = text(),
         .says = "The identifier of the calendar, which is its name.",
         .value = [services](const Call& call) { return create_calendar(services.calendars, call); }});
}

}  // namespace

void add_part_functions(std::vector<Function>& functions, const RpcServices& services, const ScheduleLimits& limits) {
    add_calendar_functions(functions, services);
    functions.push_back(part_function(
        services, limits, "fn_set_schedule_calendar", "Set the only calendar of a schedule, or none.",
        record("SetScheduleCalendar",
               {schedule_argument(),
                {"p_calendar_id", text(), "Name of the calendar. Null removes all calendars.", Presence::required}}),
        [services](const Call& call, model::Schedule& schedule) {
            return set_calendar(services.calendars, call, schedule);
        }));
    functions.push_back(
        part_function(services, limits, "fn_set_schedule_condition", "Set the condition of a schedule, or none.",
                      record("SetScheduleCondition",
                             {schedule_argument(),
                              {"p_condition", map_of(anything()), "Condition. Null removes it.", Presence::required}}),
                      [](const Call& call, model::Schedule& schedule) -> Result<void> {
                          schedule.condition = given_or_null(call, "p_condition");
                          return {};
                      }));
    functions.push_back(part_function(
        services, limits, "fn_set_schedule_inputs_rotation",
        "Set the inputs that successive runs use in turn, or none. Starts with the first one.",
        record("SetScheduleInputsRotation",
               {schedule_argument(),
                {"p_rotation", list_of(anything(), kRotationMax), "Inputs. Null removes them.", Presence::required}}),
        [](const Call& call, model::Schedule& schedule) -> Result<void> {
            const auto& entries = Values(call.body).array("p_rotation");
            schedule.inputs_rotation.assign(entries.begin(), entries.end());
            return {};
        }));
}

}  // namespace belfry::api::rpc
