// A named set of dates on which a schedule must not fire, or on which alone it may fire. Pure; reads no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/zone/zone_database.hpp"

namespace belfry::spec {

using Date = std::chrono::year_month_day;

enum class CalendarKind : std::uint8_t {
    skip_dates,  // does not fire on these dates
    only_dates,  // fires on these dates alone
};

[[nodiscard]] std::string_view name_of(CalendarKind kind);
[[nodiscard]] Result<CalendarKind> parse_calendar_kind(std::string_view text);

// The definition that a person writes.
struct CalendarText {
    std::string name;
    CalendarKind kind = CalendarKind::skip_dates;
    std::string timezone = "UTC";
    std::vector<std::string> dates = {};  // YYYY-MM-DD
    bool built_in = false;                // part of the program; cannot be changed
    friend bool operator==(const CalendarText&, const CalendarText&) = default;
};

inline constexpr std::size_t kCalendarDatesMax = 20'000;  // every day of fifty years

class Calendar {
public:
    // Rejects an unknown zone and malformed dates by name. Sorts the dates and removes duplicates.
    [[nodiscard]] static Result<Calendar> compile(const CalendarText& text, const ZoneDatabase& zones);

    // Whether a schedule may fire at this instant. The local date in the calendar's own zone decides.
    [[nodiscard]] bool allows(Instant instant) const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] CalendarKind kind() const { return kind_; }
    [[nodiscard]] const Zone& zone() const { return *zone_; }
    [[nodiscard]] const std::vector<Date>& dates() const { return dates_; }

    // The last date that the calendar covers; empty for a calendar without dates.
    [[nodiscard]] std::optional<Date> last_date() const;

private:
    Calendar() = default;

    std::string name_;
    CalendarKind kind_ = CalendarKind::skip_dates;
    ZonePtr zone_;
    std::vector<Date> dates_;  // sorted, distinct
};

// The first calendar that does not allow the instant; null if all allow it.
[[nodiscard]] const Calendar* first_refusal(std::span<const Calendar> calendars, Instant instant);

// us-federal-holidays-2026, tr-public-holidays-2026 and weekends-only, and two that reach to 2030:
// us-federal-holidays-2026-2030 and weekends-2026-2030.
[[nodiscard]] const std::vector<CalendarText>& built_in_calendars();

}  // namespace belfry::spec
