// A named set of dates that keeps a schedule from firing, or lets it fire only then. Pure data; no clock is read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/zone_database.hpp"

namespace belfry::spec {

using Date = std::chrono::year_month_day;

enum class CalendarKind : std::uint8_t {
    skip_dates,  // does not fire on these dates
    only_dates,  // fires on these dates alone
};

[[nodiscard]] std::string_view name_of(CalendarKind kind);
[[nodiscard]] Result<CalendarKind> parse_calendar_kind(std::string_view text);

// As a person defines it.
struct CalendarText {
    std::string name;
    CalendarKind kind = CalendarKind::skip_dates;
    std::string timezone = "UTC";
    std::vector<std::string> dates = {};  // YYYY-MM-DD
    bool built_in = false;                // ships with the program and cannot be changed
    friend bool operator==(const CalendarText&, const CalendarText&) = default;
};

inline constexpr std::size_t kCalendarDatesMax = 20'000;  // every day of fifty years

class Calendar {
public:
    // Refuses an unknown zone and malformed dates by name; dates are sorted, and repeats are one.
    [[nodiscard]] static Result<Calendar> compile(const CalendarText& text, const ZoneDatabase& zones);

    // Whether it lets a schedule fire at this instant: the date is the one on the wall in the calendar's own zone.
    [[nodiscard]] bool allows(Instant instant) const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] CalendarKind kind() const { return kind_; }
    [[nodiscard]] const Zone& zone() const { return *zone_; }
    [[nodiscard]] const std::vector<Date>& dates() const { return dates_; }

    // The date after which it knows nothing; nothing at all for an empty calendar.
    [[nodiscard]] std::optional<Date> last_date() const;

private:
    Calendar() = default;

    std::string name_;
    CalendarKind kind_ = CalendarKind::skip_dates;
    ZonePtr zone_;
    std::vector<Date> dates_;  // sorted, distinct
};

// All must allow: the first calendar that does not, or null.
[[nodiscard]] const Calendar* first_refusal(std::span<const Calendar> calendars, Instant instant);

// us-federal-holidays-2026, tr-public-holidays-2026 and weekends-only.
[[nodiscard]] const std::vector<CalendarText>& built_in_calendars();

}  // namespace belfry::spec
