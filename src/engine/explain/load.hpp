// How many runs a tenant's schedules plan per minute, to find minutes at which too many start. Thread-safe.
#pragma once

#include <vector>

#include "spec/zone/zone_database.hpp"
#include "store/store_reader.hpp"

namespace belfry::engine {

inline constexpr std::size_t kLoadSchedulesMax = 10'000;  // read for one response
inline constexpr std::int64_t kLoadFiresMax = 1'000'000;  // counted for one response
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
    std::int64_t schedules = 0;  // active ones that were read
    bool complete = true;        // false: a limit was reached, and there are more
};

// Counts fire times with jitter, before calendars, conditions and overlap policies apply. Active schedules only.
[[nodiscard]] Result<Load> planned_load(store::StoreReader& store, const spec::ZoneDatabase& zones,
                                        const std::string& tenant, const LoadRequest& request);

}  // namespace belfry::engine
