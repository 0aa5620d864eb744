// Calendars: create, change, clone, import, attach to schedules. Built-in calendars can be read like any other and
// cannot be changed. Thread-safe.
#pragma once

#include "engine/usecases/schedules.hpp"
#include "spec/calendar/ics.hpp"

namespace belfry::engine {

inline constexpr int kCalendarWarningDays = 60;    // a calendar warns this long before its last date
inline constexpr std::size_t kUsersNamedMax = 10;  // schedules that the error names when a calendar is in use

// When a calendar runs out of dates.
struct CalendarOutlook {
    std::optional<spec::Date> expires_on = {};  // the last date
    std::string warning = {};                   // empty: no problem
};

class Calendars {
public:
    // REQUIRES: all of them outlive it.
    Calendars(store::Store& store, const spec::ZoneDatabase& zones, Schedules& schedules)
        : store_(store), zones_(zones), schedules_(schedules) {}

    using Context = model::CommandContext;
    using Record = store::CalendarRecord;
    using Ref = store::ScheduleRef;

    // Visits the tenant's calendars by name, then the built-in ones. At most one page of them is in memory.
    [[nodiscard]] Result<void> for_each(const std::string& tenant, const std::function<void(const Record&)>& visit);
    [[nodiscard]] Result<Record> get(const std::string& tenant, const std::string& name);
    [[nodiscard]] CalendarOutlook outlook(const spec::CalendarText& calendar, Instant now) const;

    // Sorts the dates and drops repeats. Errors name the field as a JSON pointer into the calendar.
    [[nodiscard]] Result<Record> create(const std::string& tenant, spec::CalendarText calendar);
    // With a version, returns a conflict if the stored version differs.
    [[nodiscard]] Result<Record> replace(const std::string& tenant, spec::CalendarText calendar,
                                         std::optional<std::int64_t> version);
    // Returns a conflict that names the schedules that use the calendar.
    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& name);
    [[nodiscard]] Result<Record> clone(const std::string& tenant, const std::string& source, const std::string& name);

    struct ImportRequest {
        std::string name;
        bool merge = true;                            // otherwise the file's dates replace all others
        std::optional<spec::CalendarKind> kind = {};  // for a new or replaced calendar
        std::optional<std::string> timezone = {};     // likewise; empty: the file's time zone
        std::string_view file;
    };
    struct Import {
        Record calendar;
        spec::IcsReading reading;
        std::size_t dates_added = 0;
        bool created = false;
    };
    // Creates the calendar if it does not exist.
    [[nodiscard]] Result<Import> import(const std::string& tenant, const ImportRequest& request);

    // Repeating it changes nothing.
    [[nodiscard]] Result<Schedules::Record> attach(const Ref& ref, const std::string& calendar, const Context& context);
    [[nodiscard]] Result<Schedules::Record> detach(const Ref& ref, const std::string& calendar, const Context& context);

private:
    // Returns the calendar with sorted dates, or its errors.
    [[nodiscard]] Result<spec::CalendarText> checked(spec::CalendarText calendar) const;
    [[nodiscard]] Error in_use(const std::string& tenant, const std::string& name, Error error);
    [[nodiscard]] Result<Schedules::Record> change(const Ref& ref, const std::string& calendar, bool attached,
                                                   const Context& context);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    Schedules& schedules_;
};

}  // namespace belfry::engine
