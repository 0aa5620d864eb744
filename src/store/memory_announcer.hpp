// Tells the listener of a store in memory what its verbs announced, on the thread of whoever called the verb. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "store/announcement.hpp"

namespace belfry::store {

class MemoryAnnouncer {
public:
    // Replaces the listener; an empty one ends it. The old one is not called any more when this returns, so a listener must
    // not call it.
    void listen(Listener listener);

    void tell(const std::vector<Announcement>& news);

private:
    Mutex mutex_;
    std::condition_variable_any told_;
    int telling_ BELFRY_GUARDED_BY(mutex_) = 0;  // calls of the listener under way
    std::shared_ptr<const Listener> listener_ BELFRY_GUARDED_BY(mutex_);
};

// What one verb has to announce. It is told when this goes out of scope, so it stands before the verb's lock: the listener
// then finds the store unlocked and changed.
class MemoryNews {
public:
    explicit MemoryNews(MemoryAnnouncer& announcer) : announcer_(announcer) {}
    ~MemoryNews();
    MemoryNews(const MemoryNews&) = delete;
    MemoryNews& operator=(const MemoryNews&) = delete;

    // The same news twice is told once; more than kAnnouncedMax become one LookAgain.
    void add(std::vector<Announcement> news);

private:
    MemoryAnnouncer& announcer_;
    std::vector<Announcement> all_;
};

}  // namespace belfry::store
