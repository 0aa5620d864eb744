#include "app/client/moment_words.hpp"

#include <array>
#include <cstdio>
#include <optional>
#include <sstream>

#include "app/cli/moment_text.hpp"
#include "base/text/ascii.hpp"
#include "base/time/duration.hpp"

namespace belfry::app {

namespace {

namespace chrono = std::chrono;

using LocalDay = chrono::local_days;

constexpr std::array kWeekdays{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};

Instant from_local(LocalSeconds local, const spec::Zone& zone) {
    const Instant as_utc{local.time_since_epoch()};
    const auto before = zone.offset_at(as_utc - chrono::hours{24});
    const auto after = zone.offset_at(as_utc + chrono::hours{24});
    if (zone.to_local(as_utc - before) == local) return as_utc - before;
    if (zone.to_local(as_utc - after) == local) return as_utc - after;
    // Inside a gap: the clock moves on at its end.
    return zone.next_transition(as_utc - chrono::hours{24}).value_or(as_utc - before);
}

// `H:MM` or `HH:MM`, with seconds if wanted.
std::optional<Seconds> time_of_day(const std::string& text) {
    std::istringstream parts(text);
    int hour = -1;
    int minute = -1;
    int second = 0;
    char colon = 0;
    if (text.empty() || !is_digit(text[0]) || !(parts >> hour >> colon >> minute) || colon != ':') return std::nullopt;
    if (!parts.eof() && (!(parts >> colon >> second) || colon != ':' || !parts.eof())) return std::nullopt;
    if (hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return std::nullopt;
    return chrono::hours{hour} + chrono::minutes{minute} + Seconds{second};
}

std::optional<LocalDay> weekday_from(std::string_view word, LocalDay today, Direction direction) {
    for (std::size_t i = 0; i < kWeekdays.size(); ++i) {
        const std::string_view name = kWeekdays[i];
        if (!same_ignoring_case(word, name) && !same_ignoring_case(word, name.substr(0, 3))) continue;
        const auto ahead = chrono::weekday(static_cast<unsigned>(i)) - chrono::weekday(today);
        if (direction == Direction::ahead) return today + (ahead.count() == 0 ? chrono::days{7} : ahead);
        return today + ahead - (ahead.count() == 0 ? chrono::days{0} : chrono::days{7});
    }
    return std::nullopt;
}

std::optional<LocalDay> day_of(std::string_view word, LocalDay today, Direction direction) {
    if (same_ignoring_case(word, "today")) return today;
    if (same_ignoring_case(word, "tomorrow")) return today + chrono::days{1};
    if (same_ignoring_case(word, "yesterday")) return today - chrono::days{1};
    if (const auto date = parse_date(word)) return LocalDay{*date};
    return weekday_from(word, today, direction);
}

std::optional<Micros> distance_of(std::string_view text, Direction direction) {
    const bool back = text.starts_with('-') || (direction == Direction::back && !text.starts_with('+'));
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const auto duration = parse_duration(text);
    if (!duration) return std::nullopt;
    return back ? -*duration : *duration;
}

std::optional<Instant> day_and_time(std::string_view text, const spec::Zone& zone, Instant now, Direction direction) {
    const auto today = chrono::floor<chrono::days>(zone.to_local(now));
    std::optional<LocalDay> day;
    std::optional<Seconds> time;
    std::string words(text);
    if (words.size() > 10 && words[10] == 'T') words[10] = ' ';
    std::istringstream parts(words);
    for (std::string word; parts >> word;) {
        const auto found_time = time_of_day(word);
        const auto found_day = found_time ? std::nullopt : day_of(word, today, direction);
        if ((found_time && time) || (found_day && day) || (!found_time && !found_day)) return std::nullopt;
        if (found_time) time = found_time;
        if (found_day) day = found_day;
    }
    if (!day && !time) return std::nullopt;
    auto moment = from_local(LocalSeconds{day.value_or(today)} + time.value_or(Seconds{0}), zone);
    // A time alone is the nearest one in the direction.
    if (!day && direction == Direction::ahead && moment <= now)
        moment = from_local(LocalSeconds{today + chrono::days{1}} + *time, zone);
    if (!day && direction == Direction::back && moment > now)
        moment = from_local(LocalSeconds{today - chrono::days{1}} + *time, zone);
    return moment;
}

}  // namespace

Result<Instant> parse_moment(std::string_view text, const spec::Zone& zone, Instant now, Direction direction) {
    if (const auto instant = parse_instant(text)) return *instant;
    if (same_ignoring_case(text, "now")) return now;
    if (const auto moment = day_and_time(text, zone, now, direction)) return *moment;
    if (const auto distance = distance_of(text, direction)) return chrono::floor<Seconds>(now + *distance);
    return invalid(in_quotes(text) + " is not a time: use a date (2026-12-27), a date and time (2026-12-27 09:00), " +
                   "a weekday, yesterday, tomorrow, a duration (7d, PT2H) or RFC 3339");
}

std::string short_local(Instant instant, const spec::Zone& zone, Instant now) {
    const auto day = chrono::floor<chrono::days>(zone.to_local(instant));
    const auto today = chrono::floor<chrono::days>(zone.to_local(now));
    const auto full = local_text(instant, zone);  // Sun 8 Mar 2026, 03:00 EDT
    const auto clock = full.substr(full.find(", ") + 2);
    const auto distance = day - today;
    if (distance.count() == 0) return clock;
    if (chrono::abs(distance) < chrono::days{7}) return full.substr(0, 4) + clock;
    const auto date = full.substr(4, full.find(", ") - 4);
    const bool same_year = chrono::year_month_day{day}.year() == chrono::year_month_day{today}.year();
    return (same_year ? date.substr(0, date.rfind(' ')) : date) + " " + clock;
}

std::string relative_and_local(Instant instant, const spec::Zone& zone, Instant now) {
    return relative_text(instant - now) + " · " + short_local(instant, zone, now);
}

std::string took_text(Micros duration) {
    if (duration < Micros{0}) duration = Micros{0};
    if (duration >= chrono::seconds{10}) return relative_text(-duration).substr(0, relative_text(-duration).rfind(' '));
    char out[32];
    const auto ms = chrono::duration_cast<chrono::milliseconds>(duration).count();
    if (ms < 1000) {
        std::snprintf(out, sizeof out, "%d ms", static_cast<int>(ms));
    } else {
        std::snprintf(out, sizeof out, "%.1f s", static_cast<double>(ms) / 1000);
    }
    return out;
}

}  // namespace belfry::app
