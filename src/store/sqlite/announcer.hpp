// Tells a listener what committed transactions announced, on a thread of its own: a slow listener delays no commit. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.hpp"

namespace belfry::store::sqlite {

// So many announcements wait for a slow listener. One more, and a single empty text ("some were lost") stands for them all.
inline constexpr std::size_t kAnnouncementsMax = 1024;

class Announcer {
public:
    using Listener = std::function<void(std::string_view)>;

    Announcer() = default;
    ~Announcer() { listen({}); }
    Announcer(const Announcer&) = delete;
    Announcer& operator=(const Announcer&) = delete;

    // Replaces the listener; an empty one ends it. The old one is not called any more when this returns, so a listener must
    // not call it.
    void listen(Listener listener);

    // Never waits for the listener. Without one, the texts are dropped.
    void announce(std::vector<std::string> texts);

private:
    void deliver(const std::stop_token& stop, const Listener& listener);

    Mutex listening_;  // one listen() at a time
    std::jthread thread_ BELFRY_GUARDED_BY(listening_);

    Mutex mutex_;
    std::condition_variable_any arrived_;
    bool active_ BELFRY_GUARDED_BY(mutex_) = false;
    std::deque<std::string> waiting_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::store::sqlite
