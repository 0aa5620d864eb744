// Callbacks that wait for a notification under a key, without a thread. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/concurrency/mutex.hpp"

namespace belfry {

class Listeners {
public:
    using Ring = std::function<void()>;
    // The callback runs at most once, and never after its handle is destroyed.
    using Handle = std::shared_ptr<const void>;

    [[nodiscard]] Handle add(const std::string& key, Ring ring) {
        const auto listener = std::make_shared<Listener>(std::move(ring));
        const MutexLock lock(mutex_);
        listeners_.emplace(key, listener);
        return {listener.get(), [listener](const void*) { listener->leave(); }};
    }

    // Calls and removes the callbacks of this key. REQUIRES: the caller holds no lock that a callback needs.
    void ring(const std::string& key) {
        std::vector<std::weak_ptr<Listener>> found;
        {
            const MutexLock lock(mutex_);
            const auto [first, last] = listeners_.equal_range(key);
            for (auto each = first; each != last; ++each) found.push_back(each->second);
            listeners_.erase(first, last);
        }
        for (const auto& each : found) {
            if (const auto listener = each.lock()) listener->call();
        }
    }

private:
    struct Listener {
        explicit Listener(Ring to_ring) : ring(std::move(to_ring)) {}
        // Under the lock, so that after leave() the callback is not running.
        void call() {
            const MutexLock lock(mutex);
            if (ring) ring();
            ring = {};
        }
        void leave() {
            const MutexLock lock(mutex);
            ring = {};
        }
        Mutex mutex;
        Ring ring BELFRY_GUARDED_BY(mutex);
    };

    Mutex mutex_;
    std::multimap<std::string, std::weak_ptr<Listener>> listeners_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry
