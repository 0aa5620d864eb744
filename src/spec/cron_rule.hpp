// A cron expression in a time zone: which instants it yields. Pure, immutable, safe to share; no call allocates.
//
// The search walks the zone's segments. Inside one, local time runs evenly, and the pattern is asked for the next local
// match. At the border between two:
//
//   gap (the clock jumps forward): local times in it do not exist. With GapRule::shift a *fixed* expression that matches
//     in the gap fires once at the border, the first instant after the gap. A *wildcard* expression follows real time
//     and loses nothing but the label, with one exception: when every run of a date would fall into the gap, it fires
//     once at the border rather than not at all that day. A date that is missing as a whole is skipped by both.
//   fold (the clock jumps back): local times in it happen twice. RepeatRule says in which pass they count.
//
// Debian's cron is the oracle for all of this; the exception is ours (docs/adr/0005-dst-rules.md).
#pragma once

#include <optional>

#include "spec/cron_pattern.hpp"
#include "spec/dst.hpp"
#include "spec/zone.hpp"

namespace belfry::spec {

// How a clock change touched one occurrence.
struct DstMark {
    enum class Kind : std::uint8_t {
        shifted,      // its local time does not exist; it fires at the end of the gap
        first_pass,   // its local time happens twice, and it fires only in the first pass
        last_pass,    // … only in the second pass
        both_first,   // it fires in both passes, and this is the first
        both_second,  // … and this is the second
    };
    Kind kind = Kind::shifted;
    LocalSeconds nominal = {};  // the local time that the expression means
    friend bool operator==(const DstMark&, const DstMark&) = default;
};

class CronRule {
public:
    // REQUIRES: not an `@every` expression.
    CronRule(const CronExpression& expression, ZonePtr zone, DstRules rules);

    // The first occurrence after `after`, the last before `before`; nothing when there is none in the years 1 to 9999.
    [[nodiscard]] std::optional<Instant> next(Instant after) const;
    [[nodiscard]] std::optional<Instant> previous(Instant before) const;

    // How a clock change touched this occurrence. REQUIRES: `occurrence` came from next() or previous().
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
    RepeatRule repeat_;  // never automatic: resolved when it is built
};

}  // namespace belfry::spec
