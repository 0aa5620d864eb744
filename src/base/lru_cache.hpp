// Values that can be made again, kept as long as there is room: the one that was not used for longest goes first. Room is
// counted in a cost that whoever keeps a value says, such as its bytes. Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/mutex.hpp"

namespace belfry {

template <typename Key, typename Value, typename Hash = std::hash<Key>>
class LruCache {
public:
    using Pointer = std::shared_ptr<const Value>;

    explicit LruCache(std::size_t cost_max) : cost_max_(cost_max) {}

    // Null when it is not there.
    [[nodiscard]] Pointer find(const Key& key) {
        const MutexLock lock(mutex_);
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->value;
    }

    // In the place of what was kept under the key. What costs more than there is room is not kept at all.
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
    using Entries = std::list<Entry>;  // the one that was used last is the first

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
