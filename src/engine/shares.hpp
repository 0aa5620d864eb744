// Which server looks after which schedule first. Plain data. Everybody knows all schedules; the share only keeps servers
// from meeting at the same rows, so a wrong or stale one costs a moment and never a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/stable_hash.hpp"

namespace belfry::engine {

struct Shares {
    std::size_t index = 0;  // of this server
    std::size_t count = 1;

    // By the order of the names that attend; alone when its own is not among them.
    [[nodiscard]] static Shares of(const std::string& server, const std::vector<std::string>& sorted) {
        const auto found = std::ranges::find(sorted, server);
        if (found == sorted.end()) return {};
        return {static_cast<std::size_t>(found - sorted.begin()), sorted.size()};
    }
    [[nodiscard]] bool mine(std::int64_t key) const { return count <= 1 || stable_hash({}, key) % count == index; }
    friend bool operator==(const Shares&, const Shares&) = default;
};

}  // namespace belfry::engine
