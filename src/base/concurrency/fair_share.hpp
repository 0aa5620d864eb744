// Shares a fixed number of places between tenants, or any other keys. Every pool of the server uses this one rule:
//
//   - A quarter of the places, at least one, is reserved for keys that hold none.
//   - The keys that hold a place divide the others evenly.
//   - A key that holds none gets any free place.
//   - A key that another one leaves less than its share, because it came later, also gets half of the reserve.
//
// So a single key gets three quarters of the pool, and the next key does not have to wait for it. A pool of one place
// has no reserve. A key above its share keeps its places; it gets no more until the others have caught up.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/concurrency/mutex.hpp"

namespace belfry {

// Not thread-safe: the owner must hold a lock.
class FairShare {
public:
    explicit FairShare(std::size_t places) : places_(places) {}

    // How many more places `key` may take now; with `places`, as if the pool had only that many.
    [[nodiscard]] std::size_t room_for(const std::string& key) const { return room_for(key, places_); }
    [[nodiscard]] std::size_t room_for(const std::string& key, std::size_t places) const;

    // Whether `key` may take `count` places now. A key that holds none may take all free places at once, for pools of
    // bytes, in which one use takes many places.
    [[nodiscard]] bool has_room_for(const std::string& key, std::size_t count) const;

    // REQUIRES: has_room_for(key, count).
    void take(const std::string& key, std::size_t count = 1);
    // Takes one place beyond the key's share. REQUIRES: a place is free.
    void take_beyond(const std::string& key);
    // REQUIRES: the key holds `count` places.
    void give_back(const std::string& key, std::size_t count = 1);

    [[nodiscard]] std::size_t places() const { return places_; }
    [[nodiscard]] std::size_t reserve() const;  // places for keys that hold none
    [[nodiscard]] std::size_t in_use() const { return in_use_; }
    [[nodiscard]] std::size_t keys() const { return held_.size(); }  // that hold a place
    [[nodiscard]] std::size_t held_by(const std::string& key) const;

private:
    std::size_t places_;
    std::size_t in_use_ = 0;
    std::map<std::string, std::size_t> held_;  // keys that hold at least one
};

// A thread-safe FairShare.
class FairPlaces {
public:
    explicit FairPlaces(std::size_t places) : shared_(std::make_shared<Shared>(places)) {}

    // Takes a place, which is held until the last copy is destroyed, even after this object. Null: no place for this
    // key now.
    using Place = std::shared_ptr<const void>;
    [[nodiscard]] Place take(const std::string& key);

    [[nodiscard]] std::size_t in_use() const;

private:
    struct Shared {
        explicit Shared(std::size_t places) : share(places) {}
        mutable Mutex mutex;
        FairShare share BELFRY_GUARDED_BY(mutex);
    };
    std::shared_ptr<Shared> shared_;
};

}  // namespace belfry
