// A cache that drops the least recently used values when it is full. The caller gives each value a cost, such as its
// bytes. Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/concurrency/mutex.hpp"

namespace belfry {

template <typename Key, typename Value, typename Hash = std::hash<Key>>
class LruCache {
public:
    using Pointer = std::shared_ptr<const Value>;

    explicit LruCache(std::size_t cost_max) : cost_max_(cost_max) {}

    // Null if the key is not cached.
    [[nodiscard]] Pointer find(const Key& key) {
        const MutexLock lock(mutex_);
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->value;
    }

    // Replaces the value of the key. Does not cache a value that costs more than the whole cache holds.
    void keep(const Key& key, Pointer value, std::size_t cost) {
        const MutexLock lock(mutex_);
        if (const auto found = places_.find(key); found != places_.end()) drop(found->second);
        if (cost > cost_max_) return;
        entries_.push_front({key, std::move(value), cost});
        places_[key] = entries_.begin();
        cost_ += cost;
        while (cost_ > cost_max_) drop(std::prev(entries_.end()));
    }

    [[nodiscard]] std::size_t size() const {
        const MutexLock lock(mutex_);
        return entries_.size();
    }

private:
    struct Entry {
        Key key;
        Pointer value;
        std::size_t cost = 0;
    };
    using Entries = std::list<Entry>;  // most recently used first

    void drop(typename Entries::iterator entry) BELFRY_REQUIRES(mutex_) {
        cost_ -= entry->cost;
        places_.erase(entry->key);
        entries_.erase(entry);
    }

    const std::size_t cost_max_;
    mutable Mutex mutex_;
    Entries entries_ BELFRY_GUARDED_BY(mutex_);
    std::unordered_map<Key, typename Entries::iterator, Hash> places_ BELFRY_GUARDED_BY(mutex_);
    std::size_t cost_ BELFRY_GUARDED_BY(mutex_) = 0;
};

}  // namespace belfry
