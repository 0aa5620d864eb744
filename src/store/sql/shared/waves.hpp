// Groups work on several schedules, some of which occur more than once: the first item of each schedule, then the
// second of each, and so on. Items without a schedule are left out. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace belfry::store::sql {

// Schedule key to index of the item.
using Wave = std::map<std::int64_t, std::size_t>;

template <typename Items, typename KeyOf>
[[nodiscard]] std::vector<Wave> waves_by(const Items& items, const KeyOf& key_of) {
    std::vector<Wave> waves;
    std::map<std::int64_t, std::size_t> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::optional<std::int64_t> key = key_of(items[i]);
        if (!key) continue;
        const auto wave = seen[*key]++;
        if (wave == waves.size()) waves.emplace_back();
        waves[wave].emplace(*key, i);
    }
    return waves;
}

}  // namespace belfry::store::sql
