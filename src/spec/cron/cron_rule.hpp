// A cron expression in a time zone: the instants at which it fires. Pure, immutable, safe to share; calls do not
// allocate.
//
// The search walks the zone's segments. Inside a segment local time advances evenly, and the pattern finds the next
// local match. Two rules apply at the borders:
//
//   gap (the clock jumps forward): local times in it do not exist. With GapRule::shift, a *fixed* expression that
//   matches
//     in the gap fires once at the border, the first instant after the gap. A *wildcard* expression follows real time
//     and skips nothing, with one exception: if every run of a date would fall into the gap, it fires once at the
//     border, so that the day has a run. Both skip a date that is missing as a whole.
//   fold (the clock jumps back): local times in it happen twice. RepeatRule decides in which pass they count.
//
// Debian's cron is the reference for all of this, except for that exception (docs/adr/0005-dst-rules.md).
#pragma once

#include <optional>

#include "spec/cron/cron_pattern.hpp"
#include "spec/zone/dst.hpp"
#include "spec/zone/zone.hpp"

namespace belfry::spec {

// How a clock change affected one occurrence.
struct DstMark {
    enum class Kind : std::uint8_t {
        shifted,      // its local time does not exist; it fires at the end of the gap
        first_pass,   // its local time happens twice, and it fires only in the first pass
        last_pass,    // … only in the second pass
        both_first,   // it fires in both passes, and this is the first
        both_second,  // … and this is the second
    };
    Kind kind = Kind::shifted;
    LocalSeconds nominal = {};  // the local time in the expression
    friend bool operator==(const DstMark&, const DstMark&) = default;
};

class CronRule {
public:
    // REQUIRES: not an `@every` expression.
    CronRule(const CronExpression& expression, ZonePtr zone, DstRules rules);

    // The first occurrence after `after`, or the last before `before`; empty if there is none in the years 1 to 9999.
    [[nodiscard]] std::optional<Instant> next(Instant after) const;
    [[nodiscard]] std::optional<Instant> previous(Instant before) const;

    // How a clock change affected this occurrence. REQUIRES: `occurrence` came from next() or previous().
    [[nodiscard]] std::optional<DstMark> mark(Instant occurrence) const;

    [[nodiscard]] const CronPattern& pattern() const { return pattern_; }
    [[nodiscard]] const Zone& zone() const { return *zone_; }

private:
    [[nodiscard]] std::optional<Instant> next_across(std::size_t index, std::int64_t from_s) const;
    [[nodiscard]] std::int64_t first_counted_s(const ZoneSegment& here) const;
    [[nodiscard]] std::int64_t end_counted_s(const ZoneSegment& here) const;
    [[nodiscard]] std::optional<LocalSeconds> gap_match(const ZoneSegment& segment) const;

    CronPattern pattern_;
    ZonePtr zone_;
    bool wildcard_;
    bool shift_;
    RepeatRule repeat_;  // never automatic: the constructor resolves it
};

}  // namespace belfry::spec
