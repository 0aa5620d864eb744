// Visits the entries of a map in turn.
#pragma once

#include <cstddef>
#include <string>

namespace belfry::engine {

// Visits from the entry after `last` around to `last` itself. Stops when `visit` returns true.
template <typename Map, typename Visit>
void go_round(Map& map, const std::string& last, const Visit& visit) {
    auto next = map.upper_bound(last);
    for (std::size_t i = 0; i < map.size(); ++i, ++next) {
        if (next == map.end()) next = map.begin();
        if (visit(*next)) return;
    }
}

}  // namespace belfry::engine
