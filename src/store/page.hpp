// Pages of lists.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace belfry::store {

inline constexpr std::size_t kPageMax = 1'000;  // rows in one page of a list
// Approximate size limit of a page. The item that reaches it is the last one. Every list of the store ends there.
inline constexpr std::size_t kPageBytesMax = std::size_t{4} << 20U;
inline constexpr std::size_t kScanMax = 20'000;  // names that one page of schedules examines

// Cursors are opaque: pass the `next` of a result as `after`, with the same filter. Empty `after`: from the start.
// Empty `next`: the list has ended.
struct Page {
    std::string after = {};
    std::size_t limit = 50;
    std::size_t bytes = kPageBytesMax;  // at most this many
    // Schedules: how many names to examine, at most kScanMax. A page that reaches this limit may have fewer items
    // than `limit`, or none, and still have a `next`.
    std::size_t scan = kScanMax;
};
template <typename T>
struct Listing {
    std::vector<T> items;
    std::string next = {};
    friend bool operator==(const Listing&, const Listing&) = default;
};

}  // namespace belfry::store
