#include "base/time/duration.hpp"

#include <array>
#include <optional>
#include <span>

#include "base/text/ascii.hpp"
#include "base/text/scanner.hpp"

namespace belfry {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::size_t kDigitsMax = 15;        // keeps a number below 10^15, far from overflow
constexpr std::size_t kDecimalDigitsMax = 6;  // microseconds

struct Unit {
    std::string_view name;
    Micros length;
};

constexpr std::array kIsoDateUnits{Unit{"W", hours{168}}, Unit{"D", hours{24}}};
constexpr std::array kIsoTimeUnits{Unit{"H", hours{1}}, Unit{"M", minutes{1}}, Unit{"S", Seconds{1}}};
constexpr std::array kShortUnits{Unit{"d", hours{24}}, Unit{"h", hours{1}}, Unit{"m", minutes{1}},
                                 Unit{"s", Seconds{1}}, Unit{"ms", milliseconds{1}}};

Error bad_duration(std::string_view text, const std::string& reason, Place place) {
    return invalid("duration " + in_quotes(text) + ": " + reason, place);
}

// A number as whole plus millionths, so that 1.5h is exact.
struct Number {
    std::int64_t whole;
    std::int64_t millionths;
};

std::optional<Number> scan_number(Scanner& in) {
    const auto whole = in.digits(kDigitsMax);
    if (!whole || is_digit(in.peek())) return std::nullopt;
    if (!in.accept('.') && !in.accept(',')) return Number{*whole, 0};
    const auto start = in.position();
    auto decimals = in.digits(kDecimalDigitsMax);
    if (!decimals || is_digit(in.peek())) return std::nullopt;
    for (auto count = in.position() - start; count < kDecimalDigitsMax; ++count) *decimals *= 10;
    return Number{*whole, *decimals};
}

// The product; empty if it exceeds kDurationMax.
std::optional<Micros> times(Number number, Micros unit) {
    if (number.whole > kDurationMax / unit) return std::nullopt;
    const Micros result = number.whole * unit + Micros{number.millionths * (unit / Micros{1000}) / 1000};
    if (result > kDurationMax) return std::nullopt;
    return result;
}

// Reads the next unit, the longest match if there are several (`m` and `ms`).
const Unit* take_unit(Scanner& in, std::span<const Unit> units) {
    const Unit* found = nullptr;
    for (const auto& unit : units) {
        const bool fits = same_ignoring_case(in.rest().substr(0, unit.name.size()), unit.name);
        if (fits && (found == nullptr || unit.name.size() > found->name.size())) found = &unit;
    }
    if (found != nullptr) in.skip(found->name.size());
    return found;
}

constexpr const char* kTooLong = "longer than 100 years";

// Reads numbers with units, each unit at most once and from the largest to the smallest.
Result<Micros> scan_parts(Scanner& in, std::string_view text, std::span<const Unit> units, const char* help) {
    Micros total{0};
    while (is_digit(in.peek())) {
        const auto start = in.position();
        const auto number = scan_number(in);
        if (!number) return bad_duration(text, "the number is too long", in.place(start));
        const auto* const unit = take_unit(in, units);
        if (unit == nullptr) return bad_duration(text, help, in.place(start));
        const auto part = times(*number, unit->length);
        if (!part || total + *part > kDurationMax) return bad_duration(text, kTooLong, in.place(start));
        total += *part;
        units = units.subspan(static_cast<std::size_t>(unit - units.data()) + 1);
    }
    return total;
}

constexpr const char* kIsoHelp =
    "use ISO 8601 with weeks, days, hours, minutes and seconds in this order, for example P1D, PT30M or PT1H30M";
constexpr const char* kShortHelp =
    "use units d, h, m, s, ms in this order, for example 90s, 1h30m or 2d, or ISO 8601 such as PT1H30M";

}  // namespace

// duration = "P" *(number ("W" / "D")) [ "T" 1*(number ("H" / "M" / "S")) ], with at least one number
Result<Micros> parse_iso_duration(std::string_view text) {
    Scanner in(text);
    if (in.peek() == '-' || in.peek() == '+') return bad_duration(text, "a sign is not allowed", in.here());
    if (!in.accept('P')) return bad_duration(text, kIsoHelp, in.here());
    for (const auto head = in.rest().substr(0, in.rest().find_first_of("Tt")); const char c : head) {
        if (to_lower(c) == 'y' || to_lower(c) == 'm') {
            return bad_duration(text,
                                "years and months have no fixed length; use weeks, days or hours, or a cron expression",
                                {1, text.size()});
        }
    }
    const auto date_part = scan_parts(in, text, kIsoDateUnits, kIsoHelp);
    if (!date_part) return date_part.error();
    if (in.at_end()) {
        if (text.size() == 1) return bad_duration(text, kIsoHelp, {1, text.size()});
        return *date_part;
    }
    if (!in.accept('T') || !is_digit(in.peek())) return bad_duration(text, kIsoHelp, in.here());
    const auto time_part = scan_parts(in, text, kIsoTimeUnits, kIsoHelp);
    if (!time_part) return time_part.error();
    if (!in.at_end()) return bad_duration(text, kIsoHelp, in.here());
    if (*date_part + *time_part > kDurationMax) return bad_duration(text, kTooLong, {1, text.size()});
    return *date_part + *time_part;
}

Result<Micros> parse_duration(std::string_view text) {
    Scanner in(text);
    if (to_lower(in.peek()) == 'p') return parse_iso_duration(text);
    if (in.peek() == '-' || in.peek() == '+') return bad_duration(text, "a sign is not allowed", in.here());
    if (!is_digit(in.peek())) return bad_duration(text, kShortHelp, in.here());
    const auto total = scan_parts(in, text, kShortUnits, kShortHelp);
    if (!total) return total.error();
    if (!in.at_end()) return bad_duration(text, kShortHelp, in.here());
    return *total;
}

std::string format_duration(Micros duration) {
    std::string result = "P";
    const auto append = [&result, &duration](Micros unit, char name) {
        if (const auto count = duration / unit; count != 0) {
            result += std::to_string(count) + name;
            duration -= count * unit;
        }
    };
    append(hours{24}, 'D');
    if (duration == Micros{0}) return result.size() == 1 ? "PT0S" : result;
    result += 'T';
    append(hours{1}, 'H');
    append(minutes{1}, 'M');
    if (duration == Micros{0}) return result;
    const auto seconds = std::chrono::duration_cast<Seconds>(duration);
    result += std::to_string(seconds.count());
    if (const auto fraction = (duration - seconds).count(); fraction != 0) {
        auto digits = std::to_string(1'000'000 + fraction).substr(1);
        digits.erase(digits.find_last_not_of('0') + 1);
        result += '.' + digits;
    }
    return result + 'S';
}

}  // namespace belfry
