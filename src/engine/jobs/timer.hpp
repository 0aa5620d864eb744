// The schedules by their next fire time, in memory. It shows where to look; the rows in the store decide. Plain data,
// not thread-safe.
//
// Due schedules are returned in turn by tenant, so that ten thousand schedules of one tenant do not delay those of
// another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time/instant.hpp"

namespace belfry::engine {

class Timer {
public:
    // Replaces the time of the key. Without a time, the key is removed. A tenant of 0 keeps the known tenant.
    void set(std::int64_t key, std::int64_t tenant, std::optional<Instant> at);

    // Takes out at most `limit` due keys. They are not returned again until they are set.
    [[nodiscard]] std::vector<std::int64_t> take(Instant now, std::size_t limit);

    // The time at which take() has a key; empty when no key has a time. May be a little early.
    [[nodiscard]] std::optional<Instant> next();

    // Returns everything that has a time, to be set in another timer, and clears this one.
    struct Taken {
        std::int64_t key = 0;
        std::int64_t tenant = 0;
        Instant at = {};
    };
    [[nodiscard]] std::vector<Taken> take_all();

    // Calls `visit(key, tenant, at)` for every key of one part, including those taken out. The parts have about the
    // same size, so that a reader of all entries can release its lock between two parts.
    static constexpr std::size_t kParts = 64;
    template <typename Visit>
    void for_each(std::size_t part, const Visit& visit) const {
        for (const auto& [key, entry] : parts_[part]) visit(key, entry.tenant, Instant{Micros{entry.at_us}});
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::optional<Instant> at(std::int64_t key) const;
    [[nodiscard]] std::int64_t tenant_of(std::int64_t key) const;

private:
    struct Entry {
        std::int64_t at_us = 0;
        std::int64_t tenant = 0;
        bool taken_out = false;  // not in the heap until it is set again, even to the same time
    };
    using Entries = boost::unordered_flat_map<std::int64_t, Entry>;
    struct Item {
        std::int64_t at_us = 0;
        std::int64_t key = 0;
        // The standard library keeps the greatest element on top, so the order is reversed.
        friend bool operator<(const Item& a, const Item& b) {
            return a.at_us != b.at_us ? a.at_us > b.at_us : a.key > b.key;
        }
    };
    [[nodiscard]] bool stands(const Item& item) const;  // a later set() makes an item void
    [[nodiscard]] Entries& entries_of(std::int64_t key) { return parts_[static_cast<std::uint64_t>(key) % kParts]; }
    [[nodiscard]] const Entry* find(std::int64_t key) const;
    void gather_due(Instant now);
    void drop_void();

    std::array<Entries, kParts> parts_;
    std::size_t size_ = 0;    // of all parts
    std::vector<Item> heap_;  // items that are not yet due; may contain void items
    // The due items by tenant, and the tenants in the order of their turns.
    boost::unordered_flat_map<std::int64_t, std::deque<Item>> due_;
    std::deque<std::int64_t> turns_;
};

}  // namespace belfry::engine
