// Where to look next: the schedules by the time at which they fire, in memory. It only says where to look; the rows in the
// store decide. Plain data, not thread-safe.
//
// Whatever is due is given out in turn by tenant, so that ten thousand schedules of one do not keep one of another waiting.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/instant.hpp"

namespace belfry::engine {

class Timer {
public:
    // Forgets what it knew about the key. Without a time the schedule is not looked at. A tenant of 0 keeps the one known.
    void set(std::int64_t key, std::int64_t tenant, std::optional<Instant> at);

    // Takes out at most `limit` keys whose time has come. They are not looked at again until they are set.
    [[nodiscard]] std::vector<std::int64_t> take(Instant now, std::size_t limit);

    // When take() has something to give; nothing when no key has a time. May be a little early.
    [[nodiscard]] std::optional<Instant> next();

    // Everything that has a time, to be set elsewhere; it is empty afterwards.
    struct Taken {
        std::int64_t key = 0;
        std::int64_t tenant = 0;
        Instant at = {};
    };
    [[nodiscard]] std::vector<Taken> take_all();

    // The entries lie in parts of about the same size, so that whoever reads all of them need not keep others waiting for so
    // long: calls `visit(key, tenant, at)` for every key of one part, those that are taken out included.
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
        bool taken_out = false;  // it stands nowhere until it is set again, be it to the same time
    };
    using Entries = boost::unordered_flat_map<std::int64_t, Entry>;
    struct Item {
        std::int64_t at_us = 0;
        std::int64_t key = 0;
        // The heap of the standard library has its greatest on top.
        friend bool operator<(const Item& a, const Item& b) { return a.at_us != b.at_us ? a.at_us > b.at_us : a.key > b.key; }
    };
    [[nodiscard]] bool stands(const Item& item) const;  // what was set later makes an item void
    [[nodiscard]] Entries& entries_of(std::int64_t key) { return parts_[static_cast<std::uint64_t>(key) % kParts]; }
    [[nodiscard]] const Entry* find(std::int64_t key) const;
    void gather_due(Instant now);
    void drop_void();

    std::array<Entries, kParts> parts_;
    std::size_t size_ = 0;    // of all parts
    std::vector<Item> heap_;  // of all that is not yet due; may hold void items
    // What is due, by tenant, and the tenants in the order of their turns.
    boost::unordered_flat_map<std::int64_t, std::deque<Item>> due_;
    std::deque<std::int64_t> turns_;
};

}  // namespace belfry::engine
