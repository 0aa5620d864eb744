// A fixed rhythm in real time: every so often, counted from the Unix epoch plus an offset. Pure.
//
// Zones and DST do not move it. `every` one hour with `offset` five minutes fires at :05 of each hour of UTC.
#pragma once

#include <optional>
#include <string_view>

#include "base/instant.hpp"

namespace belfry::spec {

class Interval {
public:
    // Texts as ISO 8601 durations; an empty offset is none. Zero, fractions of a second and an offset of `every` or more
    // are refused; the error's field is `/every` or `/offset`.
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
