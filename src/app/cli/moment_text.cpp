#include "app/cli/moment_text.hpp"

#include <array>
#include <cstdio>

namespace belfry::app {

namespace chrono = std::chrono;

std::string local_text(Instant instant, const spec::Zone& zone) {
    constexpr std::array kWeekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto local = zone.to_local(instant);
    const auto day = chrono::floor<chrono::days>(local);
    const chrono::year_month_day date{day};
    const chrono::hh_mm_ss clock{local - day};
    char out[64];
    std::snprintf(out, sizeof out, "%s %u %s %d, %02d:%02d", kWeekdays[chrono::weekday{day}.c_encoding()],
                  static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                  static_cast<int>(date.year()), static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()));
    std::string result = out;
    if (const auto seconds = clock.seconds().count(); seconds != 0) {
        std::snprintf(out, sizeof out, ":%02d", static_cast<int>(seconds));
        result += out;
    }
    return result + ' ' + zone.abbreviation_at(instant);
}

std::string relative_text(Micros distance) {
    struct Unit {
        const char* name;
        Seconds length;
    };
    constexpr std::array kUnits{Unit{"y", chrono::hours{24 * 365}}, Unit{"d", chrono::hours{24}},
                                Unit{"h", chrono::hours{1}}, Unit{"min", chrono::minutes{1}}, Unit{"s", Seconds{1}}};
    auto rest = chrono::duration_cast<Seconds>(chrono::abs(distance));
    std::string words;
    int shown = 0;
    for (const auto& unit : kUnits) {
        const auto count = rest / unit.length;
        rest -= count * unit.length;
        if (shown > 0) ++shown;  // the unit after the first one counts even if it is zero
        if (count != 0) {
            words += (words.empty() ? "" : " ") + std::to_string(count) + " " + unit.name;
            if (shown == 0) shown = 1;
        }
        if (shown == 2) break;
    }
    if (words.empty()) return "now";
    return distance < Micros{0} ? words + " ago" : "in " + words;
}

}  // namespace belfry::app
