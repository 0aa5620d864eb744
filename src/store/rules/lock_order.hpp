// The order in which the store locks schedules. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace belfry::store {

// Sorted without duplicates.
[[nodiscard]] inline std::vector<std::int64_t> ascending(std::span<const std::int64_t> keys) {
    std::vector<std::int64_t> sorted(keys.begin(), keys.end());
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
}

}  // namespace belfry::store
