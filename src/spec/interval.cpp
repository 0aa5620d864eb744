#include "spec/interval.hpp"

#include "base/text/ascii.hpp"
#include "base/time/duration.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

bool whole_seconds(Micros duration) { return duration % Seconds{1} == Micros{0}; }

// The last occurrence at or before `moment`.
Seconds point_at_or_before(Seconds moment, Seconds every, Seconds offset) {
    auto since = (moment - offset) % every;
    if (since < Seconds{0}) since += every;
    return moment - since;
}

std::optional<Instant> in_range(Seconds moment) {
    const Instant instant{moment};
    if (instant < kInstantMin || instant > kInstantMax) return std::nullopt;
    return instant;
}

}  // namespace

Result<Interval> Interval::parse(std::string_view every_text, std::string_view offset_text) {
    const auto every = parse_duration(every_text);
    if (!every) return in_field(every.error(), "/every");
    if (*every == Micros{0})
        return in_field(
            invalid("every " + in_quotes(every_text) + ": use a duration above zero", {1, every_text.size()}),
            "/every");
    if (!whole_seconds(*every))
        return in_field(invalid("every " + in_quotes(every_text) + ": use whole seconds", {1, every_text.size()}),
                        "/every");
    const auto offset = offset_text.empty() ? Result<Micros>(Micros{0}) : parse_duration(offset_text);
    if (!offset) return in_field(offset.error(), "/offset");
    if (!whole_seconds(*offset))
        return in_field(invalid("offset " + in_quotes(offset_text) + ": use whole seconds", {1, offset_text.size()}),
                        "/offset");
    if (*offset >= *every) {
        return in_field(
            invalid("offset " + in_quotes(offset_text) + ": use less than the interval " + in_quotes(every_text),
                    {1, offset_text.size()}),
            "/offset");
    }
    return Interval(chrono::duration_cast<Seconds>(*every), chrono::duration_cast<Seconds>(*offset));
}

std::optional<Instant> Interval::next(Instant after) const {
    return in_range(point_at_or_before(chrono::floor<Seconds>(after).time_since_epoch(), every_, offset_) + every_);
}

std::optional<Instant> Interval::previous(Instant before) const {
    return in_range(point_at_or_before(chrono::ceil<Seconds>(before).time_since_epoch() - Seconds{1}, every_, offset_));
}

}  // namespace belfry::spec
