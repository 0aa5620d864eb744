#include "spec/zone/zone.hpp"

#include <cctz/time_zone.h>

#include <algorithm>

#include "base/text/ascii.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr std::int64_t kFarAway_s = std::int64_t{1} << 50;   // 35 million years: no year is later, no sum overflows
constexpr std::int64_t kCalendarCycle_s = 146097LL * 86400;  // 400 Gregorian years
constexpr std::int64_t kRulesGoOnFrom_s = 6'000'000'000;     // 2160: later transitions come from unrolled rules

using CctzSeconds = cctz::time_point<cctz::seconds>;

CctzSeconds to_cctz(std::int64_t utc_s) { return CctzSeconds{cctz::seconds{utc_s}}; }

}  // namespace

Zone::Zone(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}

std::shared_ptr<const Zone> Zone::utc() {
    auto zone = std::shared_ptr<Zone>(new Zone("UTC", "UTC"));
    zone->segments_ = {{-kFarAway_s, kFarAway_s, 0, 0, 0}};
    return zone;
}

Result<std::shared_ptr<const Zone>> Zone::load(const std::string& name, const std::string& path) {
    cctz::time_zone source;
    if (!cctz::load_time_zone(path, &source))
        return Error{ErrorCode::not_found, "cannot read the data of time zone " + in_quotes(name)};
    auto zone = std::shared_ptr<Zone>(new Zone(name, path));
    auto& segments = zone->segments_;
    const auto first_offset_s = source.lookup(to_cctz(-kFarAway_s)).offset;
    segments.push_back({-kFarAway_s, kFarAway_s, first_offset_s, first_offset_s, first_offset_s});
    cctz::time_zone::civil_transition change;
    for (auto at = CctzSeconds::min(); source.next_transition(at, &change);) {
        at = source.lookup(change.to).trans;
        const auto begin_s = at.time_since_epoch().count();
        const auto offset_s = source.lookup(at).offset;
        if (offset_s == segments.back().offset_s) continue;
        segments.back().end_s = begin_s;
        segments.back().offset_after_s = offset_s;
        segments.push_back({begin_s, kFarAway_s, offset_s, segments.back().offset_s, offset_s});
    }
    // A zone with rules ends in 400 unrolled years. One whole cycle is kept as the pattern for all later years. The
    // very last segment has no end of its own, so its twin of one cycle earlier replaces it.
    if (const auto last_s = segments.back().begin_s; last_s > kRulesGoOnFrom_s) {
        const auto twin = std::ranges::find(segments, last_s - kCalendarCycle_s, &ZoneSegment::begin_s);
        if (twin != segments.end()) {
            zone->cycle_length_ = static_cast<std::size_t>(segments.end() - twin) - 1;
            segments.pop_back();
        }
    }
    return std::shared_ptr<const Zone>(std::move(zone));
}

std::size_t Zone::searched_index(std::int64_t utc_s) const {
    std::size_t laps = 0;
    if (cycle_length_ != 0 && utc_s >= segments_.back().end_s) {
        laps = static_cast<std::size_t>((utc_s - segments_.back().end_s) / kCalendarCycle_s + 1);
        utc_s -= static_cast<std::int64_t>(laps) * kCalendarCycle_s;
    }
    const auto after = std::ranges::upper_bound(segments_, utc_s, {}, &ZoneSegment::begin_s);
    const auto index = after == segments_.begin() ? 0 : static_cast<std::size_t>(after - segments_.begin()) - 1;
    return index + laps * cycle_length_;
}

ZoneSegment Zone::later_segment(std::size_t index) const {
    const auto laps = (index - segments_.size()) / cycle_length_ + 1;
    auto result = segments_[index - laps * cycle_length_];
    result.begin_s += static_cast<std::int64_t>(laps) * kCalendarCycle_s;
    result.end_s += static_cast<std::int64_t>(laps) * kCalendarCycle_s;
    return result;
}

Seconds Zone::offset_at(Instant instant) const {
    return Seconds{segment(index_at(chrono::floor<Seconds>(instant).time_since_epoch().count())).offset_s};
}

LocalSeconds Zone::to_local(Instant instant) const {
    return LocalSeconds{chrono::floor<Seconds>(instant).time_since_epoch() + offset_at(instant)};
}

std::string Zone::abbreviation_at(Instant instant) const {
    cctz::time_zone source;
    if (!cctz::load_time_zone(path_, &source)) return name_;
    return source.lookup(instant).abbr;
}

std::optional<Instant> Zone::next_transition(Instant after) const {
    const auto index = index_at(chrono::floor<Seconds>(after).time_since_epoch().count());
    if (is_last(index)) return std::nullopt;
    return Instant{Seconds{segment(index).end_s}};
}

}  // namespace belfry::spec
