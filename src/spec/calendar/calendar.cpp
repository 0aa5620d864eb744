#include "spec/calendar/calendar.hpp"

#include <algorithm>
#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr std::array kKindNames{EnumName{CalendarKind::skip_dates, "skip_dates"},
                                EnumName{CalendarKind::only_dates, "only_dates"}};

}  // namespace

std::string_view name_of(CalendarKind kind) { return canonical_name<CalendarKind>(kKindNames, kind); }
Result<CalendarKind> parse_calendar_kind(std::string_view text) {
    return parse_name<CalendarKind>(kKindNames, "calendar kind", text);
}

Result<Calendar> Calendar::compile(const CalendarText& text, const ZoneDatabase& zones) {
    Calendar calendar;
    calendar.name_ = text.name;
    calendar.kind_ = text.kind;
    auto zone = zones.find(text.timezone);
    if (!zone) return in_field(zone.error(), "/timezone");
    calendar.zone_ = *zone;
    if (text.dates.size() > kCalendarDatesMax) {
        return Error{
            ErrorCode::invalid_argument,
            std::to_string(text.dates.size()) + " dates: at most " + std::to_string(kCalendarDatesMax) + " are allowed",
            "/dates"};
    }
    for (std::size_t i = 0; i < text.dates.size(); ++i) {
        const auto date = parse_date(text.dates[i]);
        if (!date) return in_field(date.error(), "/dates/" + std::to_string(i));
        calendar.dates_.push_back(*date);
    }
    std::ranges::sort(calendar.dates_);
    // Not std::ranges::unique, because clang 14 cannot compile libstdc++ 12's subrange.
    calendar.dates_.erase(std::unique(calendar.dates_.begin(), calendar.dates_.end()), calendar.dates_.end());
    return calendar;
}

bool Calendar::allows(Instant instant) const {
    const Date date{chrono::floor<chrono::days>(zone_->to_local(instant))};
    return std::ranges::binary_search(dates_, date) == (kind_ == CalendarKind::only_dates);
}

std::optional<Date> Calendar::last_date() const {
    if (dates_.empty()) return std::nullopt;
    return dates_.back();
}

const Calendar* first_refusal(std::span<const Calendar> calendars, Instant instant) {
    const auto refusing =
        std::ranges::find_if(calendars, [instant](const auto& calendar) { return !calendar.allows(instant); });
    return refusing == calendars.end() ? nullptr : &*refusing;
}

}  // namespace belfry::spec
