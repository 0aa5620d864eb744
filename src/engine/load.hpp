// How many runs a tenant's schedules plan per minute: to find the minute at which everybody chose to start. Thread-safe.
#pragma once

#include <vector>

#include "spec/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kLoadSchedulesMax = 10'000;  // looked at in one answer
inline constexpr std::int64_t kLoadFiresMax = 1'000'000;  // counted in one answer
inline constexpr std::int64_t kLoadBucketsMax = 1'440;
inline constexpr Micros kLoadSpanMax = std::chrono::hours{24};

struct LoadRequest {
    Instant from = {};
    Instant to = {};  // not included
    Micros bucket = std::chrono::minutes{1};
};

struct Load {
    std::vector<std::int64_t> buckets = {};  // fires planned from `from` + i * bucket on
    std::int64_t fires = 0;
    std::int64_t schedules = 0;  // active ones that were looked at
    bool complete = true;        // false: a bound was reached, and there are more
};

// By their times with jitter, before calendars, conditions and overlap have their say. Active schedules only.
[[nodiscard]] Result<Load> planned_load(store::Store& store, const spec::ZoneDatabase& zones, const std::string& tenant, const LoadRequest& request);

}  // namespace belfry::engine
