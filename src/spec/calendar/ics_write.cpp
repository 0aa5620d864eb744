#include <algorithm>
#include <cstdio>

#include "base/crypto/stable_hash.hpp"
#include "base/text/ascii.hpp"
#include "spec/calendar/ics.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr std::size_t kLineMax = 75;  // bytes, as RFC 5545 requires
constexpr chrono::sys_days kLastDay = chrono::year{9999} / 12 / 31;

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || c == ';' || c == ',') result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result;
}

void add_line(std::string& file, std::string_view line) {
    auto room = kLineMax;
    while (line.size() > room) {
        const auto part = whole_characters(line, room);
        file.append(part) += "\r\n ";
        line.remove_prefix(part.size());
        room = kLineMax - 1;  // the leading blank counts
    }
    file.append(line) += "\r\n";
}

// 2026-12-25 as 20261225.
std::string compact(chrono::sys_days day) {
    auto text = format_date(Date{day});
    std::erase(text, '-');
    return text;
}

std::string stamp(Instant now) {
    auto text = format_instant(chrono::floor<Seconds>(now));
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    return text;
}

}  // namespace

std::string write_ics(const CalendarText& calendar, Instant now) {
    std::vector<chrono::sys_days> days;
    for (const auto& text : calendar.dates) {
        if (const auto date = parse_date(text)) days.emplace_back(*date);
    }
    std::ranges::sort(days);
    days.erase(std::unique(days.begin(), days.end()), days.end());

    char name_hash[32];
    std::snprintf(name_hash, sizeof name_hash, "%016llx",
                  static_cast<unsigned long long>(stable_hash(calendar.name, 0)));
    std::string file;
    for (const auto* line : {"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Belfry//Calendar//EN"}) add_line(file, line);
    add_line(file, "X-WR-CALNAME:" + escaped(calendar.name));
    add_line(file, "X-WR-TIMEZONE:" + calendar.timezone);
    for (std::size_t first = 0; first < days.size();) {
        auto last = first;
        while (last + 1 < days.size() && days[last + 1] == days[last] + chrono::days{1} && days[last + 1] < kLastDay &&
               last + 1 - first < kIcsEventDaysMax) {
            last += 1;
        }
        add_line(file, "BEGIN:VEVENT");
        add_line(file, "UID:" + compact(days[first]) + "-" + name_hash + "@belfry");
        add_line(file, "DTSTAMP:" + stamp(now));
        add_line(file, "DTSTART;VALUE=DATE:" + compact(days[first]));
        // DTEND is exclusive. The last day that can be written has no following day, so it has no DTEND.
        if (days[last] < kLastDay) add_line(file, "DTEND;VALUE=DATE:" + compact(days[last] + chrono::days{1}));
        add_line(file, "SUMMARY:" + escaped(calendar.name));
        add_line(file, "END:VEVENT");
        first = last + 1;
    }
    add_line(file, "END:VCALENDAR");
    return file;
}

}  // namespace belfry::spec
