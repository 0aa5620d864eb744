// A time zone as a list of segments: periods of UTC with a constant offset. Immutable, safe to share.
//
// Skipped and repeated local times follow from two neighbouring segments: their local ranges leave a gap, or overlap.
// Searches walk the segments and need no DST flag.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry::spec {

struct ZoneSegment {
    std::int64_t begin_s;          // UTC, seconds since the epoch; first and last segment reach beyond all years
    std::int64_t end_s;            // exclusive
    std::int32_t offset_s;         // local minus UTC
    std::int32_t offset_before_s;  // of the previous and the next segment; the same as offset_s if there is none
    std::int32_t offset_after_s;

    [[nodiscard]] std::int64_t local_begin_s() const { return begin_s + offset_s; }
    [[nodiscard]] std::int64_t local_end_s() const { return end_s + offset_s; }

    // The local time just before this segment, and the local time at which the next one starts.
    [[nodiscard]] std::int64_t local_before_s() const { return begin_s + offset_before_s; }
    [[nodiscard]] std::int64_t local_after_s() const { return end_s + offset_after_s; }
};

class Zone {
public:
    // Reads the compiled zone file at `path`; not_found if it is not one.
    [[nodiscard]] static Result<std::shared_ptr<const Zone>> load(const std::string& name, const std::string& path);
    [[nodiscard]] static std::shared_ptr<const Zone> utc();

    [[nodiscard]] const std::string& name() const { return name_; }

    // Segments are numbered from 0 in order of time. The numbers continue beyond the table, because the rules of a zone
    // repeat with the calendar every 400 years.
    [[nodiscard]] std::size_t index_at(std::int64_t utc_s) const {
        return segments_.size() == 1 ? 0 : searched_index(utc_s);
    }
    [[nodiscard]] ZoneSegment segment(std::size_t index) const {
        return index < segments_.size() ? segments_[index] : later_segment(index);
    }
    [[nodiscard]] bool is_last(std::size_t index) const { return cycle_length_ == 0 && index + 1 >= segments_.size(); }

    [[nodiscard]] Seconds offset_at(Instant instant) const;
    [[nodiscard]] LocalSeconds to_local(Instant instant) const;

    // `EDT`, `CET`, or `+03` if the zone has no letters.
    [[nodiscard]] std::string abbreviation_at(Instant instant) const;

    // The first change of the offset after `after`, if there is one.
    [[nodiscard]] std::optional<Instant> next_transition(Instant after) const;

private:
    Zone(std::string name, std::string path);
    [[nodiscard]] std::size_t searched_index(std::int64_t utc_s) const;
    [[nodiscard]] ZoneSegment later_segment(std::size_t index) const;

    std::string name_;
    std::string path_;  // the zone library's key
    std::vector<ZoneSegment> segments_;
    std::size_t cycle_length_ = 0;  // number of segments at the end that repeat every 400 years; 0 for none
};

using ZonePtr = std::shared_ptr<const Zone>;

}  // namespace belfry::spec
