// What people ask of calendars: make, change, clone, import, attach them to schedules. Those that ship with the program are
// read like any other and cannot be changed. Thread-safe.
#pragma once

#include "engine/schedules.hpp"
#include "spec/ics.hpp"

namespace belfry::engine {

inline constexpr int kCalendarWarningDays = 60;    // so long before its last date a calendar says that it runs out
inline constexpr std::size_t kUsersNamedMax = 10;  // schedules that are named when a calendar cannot go

// What whoever relies on a calendar should know today.
struct CalendarOutlook {
    std::optional<spec::Date> expires_on = {};  // its last date
    std::string warning = {};                   // empty: nothing to worry about
};

class Calendars {
public:
    // REQUIRES: all of them outlive it.
    Calendars(store::Store& store, const spec::ZoneDatabase& zones, Schedules& schedules) : store_(store), zones_(zones), schedules_(schedules) {}

    using Context = model::CommandContext;
    using Record = store::CalendarRecord;
    using Ref = store::ScheduleRef;

    // The tenant's own by name, then the built-in ones.
    [[nodiscard]] Result<std::vector<Record>> list(const std::string& tenant);
    [[nodiscard]] Result<Record> get(const std::string& tenant, const std::string& name);
    [[nodiscard]] CalendarOutlook outlook(const spec::CalendarText& calendar, Instant now) const;

    // Dates are kept in order and once. Errors name the field as a JSON pointer into the calendar.
    [[nodiscard]] Result<Record> create(const std::string& tenant, spec::CalendarText calendar);
    // With a version given, a conflict when it is no longer that.
    [[nodiscard]] Result<Record> replace(const std::string& tenant, spec::CalendarText calendar, std::optional<std::int64_t> version);
    // A conflict that names the schedules that use it.
    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& name);
    [[nodiscard]] Result<Record> clone(const std::string& tenant, const std::string& source, const std::string& name);

    struct ImportRequest {
        std::string name;
        bool merge = true;                            // otherwise the dates of the file are all that stay
        std::optional<spec::CalendarKind> kind = {};  // of a new one, or of one that is replaced
        std::optional<std::string> timezone = {};     // likewise; nothing: what the file says
        std::string_view file;
    };
    struct Import {
        Record calendar;
        spec::IcsReading reading;
        std::size_t dates_added = 0;
        bool created = false;
    };
    // Makes the calendar when there is none.
    [[nodiscard]] Result<Import> import(const std::string& tenant, const ImportRequest& request);

    // Again is fine: the schedule stays as it is.
    [[nodiscard]] Result<Schedules::Record> attach(const Ref& ref, const std::string& calendar, const Context& context);
    [[nodiscard]] Result<Schedules::Record> detach(const Ref& ref, const std::string& calendar, const Context& context);

private:
    // The calendar with its dates in order, or what is wrong with it.
    [[nodiscard]] Result<spec::CalendarText> checked(spec::CalendarText calendar) const;
    [[nodiscard]] Error in_use(const std::string& tenant, const std::string& name, Error error);
    [[nodiscard]] Result<Schedules::Record> change(const Ref& ref, const std::string& calendar, bool attached, const Context& context);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    Schedules& schedules_;
};

}  // namespace belfry::engine
