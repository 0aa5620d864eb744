#include "base/time/instant.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "base/text/ascii.hpp"
#include "base/text/scanner.hpp"

namespace belfry {

namespace chrono = std::chrono;

namespace {

constexpr std::size_t kFractionDigitsMax = 9;
constexpr const char* kExample = "use RFC 3339, for example 2026-11-15T09:00:00Z or 2026-11-15T10:00:00+01:00";

Error bad_instant(std::string_view text, const char* reason, Place place) {
    return invalid("time " + in_quotes(text) + ": " + reason, place);
}

// full-date = 4DIGIT "-" 2DIGIT "-" 2DIGIT
std::optional<chrono::year_month_day> scan_date(Scanner& in) {
    const auto year = in.fixed_digits(4);
    if (!year || !in.accept('-')) return std::nullopt;
    const auto month = in.fixed_digits(2);
    if (!month || !in.accept('-')) return std::nullopt;
    const auto day = in.fixed_digits(2);
    if (!day) return std::nullopt;
    return chrono::year{static_cast<int>(*year)} / static_cast<int>(*month) / static_cast<int>(*day);
}

// "." 1*9DIGIT, as microseconds; digits beyond the sixth are dropped.
std::optional<Micros> scan_fraction(Scanner& in) {
    const auto start = in.position();
    auto value = in.digits(kFractionDigitsMax);
    if (!value || is_digit(in.peek())) return std::nullopt;
    auto count = in.position() - start;
    for (; count < 6; ++count) *value *= 10;
    for (; count > 6; --count) *value /= 10;
    return Micros{*value};
}

// "Z" / ("+" / "-") 2DIGIT ":" 2DIGIT, as seconds east of UTC.
std::optional<Seconds> scan_offset(Scanner& in) {
    if (in.accept('Z')) return Seconds{0};
    const int sign = in.peek() == '-' ? -1 : 1;
    if (!in.accept('+') && !in.accept('-')) return std::nullopt;
    const auto offset_hours = in.fixed_digits(2);
    if (!offset_hours || !in.accept(':')) return std::nullopt;
    const auto offset_minutes = in.fixed_digits(2);
    if (!offset_minutes || *offset_hours > 23 || *offset_minutes > 59) return std::nullopt;
    return sign * (chrono::hours{*offset_hours} + chrono::minutes{*offset_minutes});
}

}  // namespace

// date-time = full-date ("T" / " ") 2DIGIT ":" 2DIGIT ":" 2DIGIT [ "." 1*9DIGIT ] offset
Result<Instant> parse_instant(std::string_view text) {
    Scanner in(text);
    const auto date = scan_date(in);
    if (!date) return bad_instant(text, kExample, in.here());
    if (!date->ok() || date->year() < chrono::year{1})
        return bad_instant(text, "there is no such date", {1, in.position()});
    if (!in.accept('T') && !in.accept(' ')) return bad_instant(text, kExample, in.here());
    const auto clock_start = in.position();
    const auto hour = in.fixed_digits(2);
    if (!hour || !in.accept(':')) return bad_instant(text, kExample, in.here());
    const auto minute = in.fixed_digits(2);
    if (!minute || !in.accept(':')) return bad_instant(text, kExample, in.here());
    const auto second = in.fixed_digits(2);
    if (!second) return bad_instant(text, kExample, in.here());
    if (*second == 60) return bad_instant(text, "leap seconds are not supported; use :59", in.place(clock_start));
    if (*hour > 23 || *minute > 59 || *second > 59) {
        return bad_instant(text, "there is no such time of day; hours are 00-23, minutes and seconds 00-59",
                           in.place(clock_start));
    }
    Micros fraction{0};
    if (in.accept('.')) {
        const auto digits = scan_fraction(in);
        if (!digits) return bad_instant(text, "a second has 1 to 9 decimals", in.here());
        fraction = *digits;
    }
    const auto offset = scan_offset(in);
    if (!offset) {
        return bad_instant(
            text, "the zone is missing or malformed; end with Z for UTC, or with an offset such as +01:00", in.here());
    }
    if (!in.at_end()) return bad_instant(text, "there is more text after the time", in.here(in.rest().size()));
    const Instant instant = chrono::sys_days{*date} + chrono::hours{*hour} + chrono::minutes{*minute} +
                            Seconds{*second} + fraction - *offset;
    if (instant < kInstantMin || instant > kInstantMax)
        return bad_instant(text, "outside the years 0001 to 9999", {1, text.size()});
    return instant;
}

namespace {

// Pads with zeros. Responses contain many times, and snprintf is slow enough to show in profiles.
void append_padded(std::string& out, unsigned value, std::size_t width) {
    char digits[std::numeric_limits<unsigned>::digits10 + 1];
    const auto size = static_cast<std::size_t>(std::to_chars(std::begin(digits), std::end(digits), value).ptr - digits);
    if (size < width) out.append(width - size, '0');
    out.append(digits, size);
}

void append_date(std::string& out, chrono::year_month_day date) {
    const auto year = static_cast<int>(date.year());
    if (year < 0) out += '-';  // takes the place of a zero
    append_padded(out, static_cast<unsigned>(std::abs(year)), year < 0 ? 3 : 4);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.day()), 2);
}

}  // namespace

std::string format_date(chrono::year_month_day date) {
    std::string out;
    append_date(out, date);
    return out;
}

LocalSeconds shown_local(LocalSeconds local) {
    return std::clamp(local, LocalSeconds{chrono::floor<Seconds>(kInstantMin).time_since_epoch()},
                      LocalSeconds{chrono::floor<Seconds>(kInstantMax).time_since_epoch()});
}

std::string format_local(LocalSeconds local) {
    local = shown_local(local);
    const auto day = chrono::floor<chrono::days>(local);
    const chrono::hh_mm_ss clock{local - day};
    std::string out;
    out.reserve(std::string_view("2026-01-12T14:00:00.000000Z").size());
    append_date(out, chrono::year_month_day{day});
    out += 'T';
    append_padded(out, static_cast<unsigned>(clock.hours().count()), 2);
    out += ':';
    append_padded(out, static_cast<unsigned>(clock.minutes().count()), 2);
    out += ':';
    append_padded(out, static_cast<unsigned>(clock.seconds().count()), 2);
    return out;
}

std::string format_instant(Instant instant) {
    instant = std::clamp(instant, kInstantMin, kInstantMax);
    const auto second = chrono::floor<Seconds>(instant);
    std::string out = format_local(LocalSeconds{second.time_since_epoch()});
    if (const auto fraction = (instant - second).count(); fraction != 0) {
        out += '.';
        append_padded(out, static_cast<unsigned>(fraction), 6);
    }
    return out += 'Z';
}

Result<chrono::year_month_day> parse_date(std::string_view text) {
    Scanner in(text);
    const auto date = scan_date(in);
    if (!date || !in.at_end())
        return invalid("date " + in_quotes(text) + ": use YYYY-MM-DD, for example 2026-11-15", {1, text.size()});
    if (!date->ok() || date->year() < chrono::year{1})
        return invalid("date " + in_quotes(text) + ": there is no such date", {1, text.size()});
    return *date;
}

}  // namespace belfry
