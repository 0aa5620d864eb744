// A fixed period in real time, counted from the Unix epoch plus an offset. Pure.
//
// Zones and DST do not affect it. `every` one hour with `offset` five minutes fires at :05 of each hour in UTC.
#pragma once

#include <optional>
#include <string_view>

#include "base/time/instant.hpp"

namespace belfry::spec {

class Interval {
public:
    // Parses ISO 8601 durations; an empty offset means none. Rejects zero, fractions of a second, and an offset that is
    // not below `every`; the error's field is `/every` or `/offset`.
    [[nodiscard]] static Result<Interval> parse(std::string_view every, std::string_view offset);

    // REQUIRES: every >= 1 s, 0 <= offset < every.
    Interval(Seconds every, Seconds offset) : every_(every), offset_(offset) {}

    [[nodiscard]] std::optional<Instant> next(Instant after) const;
    [[nodiscard]] std::optional<Instant> previous(Instant before) const;

    [[nodiscard]] Seconds every() const { return every_; }
    [[nodiscard]] Seconds offset() const { return offset_; }

private:
    Seconds every_;
    Seconds offset_;
};

}  // namespace belfry::spec
