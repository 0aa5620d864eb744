// Delivers the notifications of a store in memory to its listener, on the thread of the store's caller. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "store/notification.hpp"

namespace belfry::store {

class MemoryNotifier {
public:
    // Replaces the listener; an empty one ends the notifications. The old listener is not called after this returns,
    // so a listener must not call this.
    void listen(Listener listener);

    void tell(const std::vector<Notification>& news);

private:
    Mutex mutex_;
    std::condition_variable_any told_;
    int telling_ BELFRY_GUARDED_BY(mutex_) = 0;  // calls of the listener in progress
    std::shared_ptr<const Listener> listener_ BELFRY_GUARDED_BY(mutex_);
};

// The notifications of one call of the store. The destructor delivers them, so this object must be declared before
// the call's lock: the listener then finds the store unlocked and changed.
class MemoryNews {
public:
    explicit MemoryNews(MemoryNotifier& notifier) : notifier_(notifier) {}
    ~MemoryNews();
    MemoryNews(const MemoryNews&) = delete;
    MemoryNews& operator=(const MemoryNews&) = delete;

    // Drops duplicates. More than kNotifiedMax notifications become one Resync.
    void add(std::vector<Notification> news);

private:
    MemoryNotifier& notifier_;
    std::vector<Notification> all_;
};

}  // namespace belfry::store
