#include "spec/calendar.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

std::string_view name_of(CalendarKind kind) { return kind == CalendarKind::skip_dates ? "skip_dates" : "only_dates"; }

Result<CalendarKind> parse_calendar_kind(std::string_view text) {
    for (const auto kind : {CalendarKind::skip_dates, CalendarKind::only_dates}) {
        if (text == name_of(kind)) return kind;
    }
    return invalid("calendar kind " + in_quotes(text) + ": use skip_dates or only_dates", {1, text.size()});
}

Result<Calendar> Calendar::compile(const CalendarText& text, const ZoneDatabase& zones) {
    Calendar calendar;
    calendar.name_ = text.name;
    calendar.kind_ = text.kind;
    auto zone = zones.find(text.timezone);
    if (!zone) {
        auto error = zone.error();
        error.field = "/timezone";
        return error;
    }
    calendar.zone_ = *zone;
    if (text.dates.size() > kCalendarDatesMax) {
        return Error{ErrorCode::invalid_argument,
                     std::to_string(text.dates.size()) + " dates: at most " + std::to_string(kCalendarDatesMax) + " are allowed", "/dates"};
    }
    for (std::size_t i = 0; i < text.dates.size(); ++i) {
        const auto date = parse_date(text.dates[i]);
        if (!date) {
            auto error = date.error();
            error.field = "/dates/" + std::to_string(i);
            return error;
        }
        calendar.dates_.push_back(*date);
    }
    std::ranges::sort(calendar.dates_);
    const auto repeats = std::ranges::unique(calendar.dates_);
    calendar.dates_.erase(repeats.begin(), repeats.end());
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
    const auto refusing = std::ranges::find_if(calendars, [instant](const auto& calendar) { return !calendar.allows(instant); });
    return refusing == calendars.end() ? nullptr : &*refusing;
}

}  // namespace belfry::spec
