#include "spec/explain/english.hpp"

#include <array>

#include "base/text/ascii.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};

struct Unit {
    std::string_view name;
    Micros length;
};
constexpr std::array kUnits{
    Unit{"day", chrono::hours{24}},
    Unit{"hour", chrono::hours{1}},
    Unit{"minute", chrono::minutes{1}},
    Unit{"second", chrono::seconds{1}},
    Unit{"millisecond", chrono::milliseconds{1}},
    Unit{"microsecond", chrono::microseconds{1}},
};

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

}  // namespace

std::string join(const std::vector<std::string>& items, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? " " + std::string(last) + " " : ", ";
        text += items[i];
    }
    return text;
}

std::string ordinal(int number) {
    const bool teen = number % 100 >= 11 && number % 100 <= 13;
    const int digit = teen ? 0 : number % 10;
    return std::to_string(number) + (digit == 1 ? "st" : digit == 2 ? "nd" : digit == 3 ? "rd" : "th");
}

std::string counted(std::int64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string capitalized(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string uncapitalized(std::string text) {
    if (!text.empty()) text.front() = to_lower(text.front());
    return text;
}

std::string month_name(int month) { return std::string(kMonths.at(static_cast<std::size_t>(month - 1))); }
std::string weekday_name(int weekday) { return std::string(kWeekdays.at(static_cast<std::size_t>(weekday))); }

std::string in_words(Micros duration) {
    std::string text;
    for (const auto& unit : kUnits) {
        if (const auto count = duration / unit.length; count > 0)
            text += (text.empty() ? "" : " ") + counted(count, unit.name);
        duration %= unit.length;
    }
    return text.empty() ? "0 seconds" : text;
}

std::string every(Seconds period) {
    for (const auto& unit : kUnits) {
        if (period == unit.length) return "Every " + std::string(unit.name);
    }
    return "Every " + in_words(period);
}

std::string time_in_words(Seconds time_of_day, ClockStyle style, bool with_seconds) {
    const chrono::hh_mm_ss time(time_of_day);
    const auto hour = time.hours().count();
    const std::string rest =
        ":" + two_digits(time.minutes().count()) + (with_seconds ? ":" + two_digits(time.seconds().count()) : "");
    if (style == ClockStyle::hours_24) return two_digits(hour) + rest;
    return std::to_string(hour % 12 == 0 ? 12 : hour % 12) + rest + (hour < 12 ? " AM" : " PM");
}

std::string time_in_words(LocalSeconds local, ClockStyle style) {
    local = shown_local(local);
    const auto time = local - chrono::floor<chrono::days>(local);
    return time_in_words(time, style, time % chrono::minutes{1} != Seconds{0});
}

std::string date_in_words(LocalSeconds local) {
    const chrono::year_month_day date(chrono::floor<chrono::days>(shown_local(local)));
    return std::to_string(static_cast<unsigned>(date.day())) + " " +
           month_name(static_cast<int>(static_cast<unsigned>(date.month()))) + " " +
           std::to_string(static_cast<int>(date.year()));
}

}  // namespace belfry::spec
