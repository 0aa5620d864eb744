// Which server handles which schedule first. Plain data. Every server knows all schedules; the assignment only keeps
// servers from competing for the same rows. A wrong or stale assignment delays a run and never loses one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/crypto/stable_hash.hpp"

namespace belfry::engine {

struct ShardAssignment {
    std::size_t index = 0;  // this server's position
    std::size_t count = 1;

    // From the sorted names of all members. A server that is not among them handles everything.
    [[nodiscard]] static ShardAssignment of(const std::string& server, const std::vector<std::string>& sorted) {
        const auto found = std::ranges::find(sorted, server);
        if (found == sorted.end()) return {};
        return {static_cast<std::size_t>(found - sorted.begin()), sorted.size()};
    }
    [[nodiscard]] bool mine(std::int64_t key) const { return count <= 1 || stable_hash({}, key) % count == index; }
    friend bool operator==(const ShardAssignment&, const ShardAssignment&) = default;
};

}  // namespace belfry::engine
