#include "spec/cron/cron_rule.hpp"

#include <algorithm>

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr std::int64_t kDay_s = 86400;
constexpr std::int64_t kOffsetMax_s = kDay_s;  // no zone was ever a whole day from UTC

constexpr std::int64_t seconds_of(LocalSeconds local) { return local.time_since_epoch().count(); }
constexpr LocalSeconds local_of(std::int64_t local_s) { return LocalSeconds{Seconds{local_s}}; }

constexpr std::int64_t start_of_day(std::int64_t local_s) {
    return seconds_of(chrono::floor<chrono::days>(local_of(local_s)));
}

constexpr std::int64_t kFirst_s = kInstantMin.time_since_epoch() / Seconds{1};
constexpr std::int64_t kLast_s = kInstantMax.time_since_epoch() / Seconds{1};

std::optional<Instant> instant_in_range(std::int64_t utc_s) {
    if (utc_s < kFirst_s || utc_s > kLast_s) return std::nullopt;
    return Instant{Seconds{utc_s}};
}

RepeatRule resolve(RepeatRule rule, bool wildcard) {
    if (rule != RepeatRule::automatic) return rule;
    return wildcard ? RepeatRule::both : RepeatRule::first;
}

}  // namespace

CronRule::CronRule(const CronExpression& expression, ZonePtr zone, DstRules rules)
    : pattern_(expression),
      zone_(std::move(zone)),
      wildcard_(expression.wildcard()),
      shift_(rules.gap == GapRule::shift),
      repeat_(resolve(rules.repeat, wildcard_)) {}

// The local times that count in a segment are [first_counted, end_counted): all except those that count in a neighbour.
std::int64_t CronRule::first_counted_s(const ZoneSegment& here) const {
    return repeat_ == RepeatRule::first ? std::max(here.local_begin_s(), here.local_before_s()) : here.local_begin_s();
}

std::int64_t CronRule::end_counted_s(const ZoneSegment& here) const {
    return repeat_ == RepeatRule::last ? std::min(here.local_end_s(), here.local_after_s()) : here.local_end_s();
}

// The first local time in the gap before `segment` for which the rule fires at the segment's first instant.
std::optional<LocalSeconds> CronRule::gap_match(const ZoneSegment& segment) const {
    const auto gap_begin = segment.local_before_s();
    const auto gap_end = segment.local_begin_s();
    if (gap_begin >= gap_end || !shift_) return std::nullopt;
    for (auto match = pattern_.at_or_after(local_of(gap_begin)); match && seconds_of(*match) < gap_end;) {
        const auto day = start_of_day(seconds_of(*match));
        const bool whole_date_missing = day >= gap_begin && day + kDay_s <= gap_end;
        const bool all_runs_in_gap = day + pattern_.first_time_of_day().count() >= gap_begin &&
                                     day + pattern_.last_time_of_day().count() < gap_end;
        if (!whole_date_missing && (!wildcard_ || all_runs_in_gap)) return match;
        match = pattern_.at_or_after(local_of(day + kDay_s));
    }
    return std::nullopt;
}

std::optional<Instant> CronRule::next(Instant after) const {
    const auto from_s = chrono::floor<Seconds>(after).time_since_epoch().count() + 1;
    const auto index = zone_->index_at(from_s);
    const auto here = zone_->segment(index);
    const auto local_s = from_s + here.offset_s;
    // In nearly all calls the match lies in the same segment, and neither it nor the start is near a clock change.
    if (from_s > here.begin_s && local_s >= here.local_before_s()) {
        const auto match = pattern_.at_or_after(local_of(local_s));
        if (match && seconds_of(*match) < std::min(here.local_end_s(), here.local_after_s())) {
            return instant_in_range(seconds_of(*match) - here.offset_s);
        }
    }
    return next_across(index, from_s);
}

// Walks over the segments. If a segment ends without a match and the next one does not repeat local times, nothing
// happens until the next local match: jump to its segment, or stop if there is none.
std::optional<Instant> CronRule::next_across(std::size_t index, std::int64_t from_s) const {
    for (;;) {
        const auto here = zone_->segment(index);
        if (from_s <= here.begin_s && gap_match(here)) return instant_in_range(here.begin_s);
        const auto local_s = std::max(from_s + here.offset_s, first_counted_s(here));
        const auto match = pattern_.at_or_after(local_of(local_s));
        if (match && seconds_of(*match) < end_counted_s(here))
            return instant_in_range(seconds_of(*match) - here.offset_s);
        if (zone_->is_last(index)) return std::nullopt;
        ++index;
        if (here.local_after_s() >= local_s) {
            if (!match) return std::nullopt;
            index = std::max(index, zone_->index_at(seconds_of(*match) - kOffsetMax_s));
        }
        from_s = zone_->segment(index).begin_s;
    }
}

std::optional<Instant> CronRule::previous(Instant before) const {
    auto until_s = chrono::ceil<Seconds>(before).time_since_epoch().count() - 1;
    for (auto index = zone_->index_at(until_s);;) {
        const auto here = zone_->segment(index);
        const auto local_s = std::min(until_s + here.offset_s, end_counted_s(here) - 1);
        const auto match = pattern_.at_or_before(local_of(local_s));
        if (match && seconds_of(*match) >= first_counted_s(here))
            return instant_in_range(seconds_of(*match) - here.offset_s);
        if (here.begin_s <= until_s && gap_match(here)) return instant_in_range(here.begin_s);
        if (index == 0) return std::nullopt;
        --index;
        if (here.local_before_s() <= local_s) {
            if (!match) return std::nullopt;
            index = std::min(index, zone_->index_at(seconds_of(*match) + kOffsetMax_s));
        }
        until_s = zone_->segment(index).end_s - 1;
    }
}

std::optional<DstMark> CronRule::mark(Instant occurrence) const {
    const auto utc_s = occurrence.time_since_epoch() / Seconds{1};
    const auto here = zone_->segment(zone_->index_at(utc_s));
    const auto local_s = utc_s + here.offset_s;
    if (utc_s == here.begin_s && pattern_.at_or_after(local_of(local_s)) != local_of(local_s)) {
        if (const auto nominal = gap_match(here)) return DstMark{DstMark::Kind::shifted, *nominal};
    }
    const bool both = repeat_ == RepeatRule::both;
    if (local_s < here.local_before_s()) {
        return DstMark{both ? DstMark::Kind::both_second : DstMark::Kind::last_pass, local_of(local_s)};
    }
    if (local_s >= here.local_after_s()) {
        return DstMark{both ? DstMark::Kind::both_first : DstMark::Kind::first_pass, local_of(local_s)};
    }
    return std::nullopt;
}

}  // namespace belfry::spec
