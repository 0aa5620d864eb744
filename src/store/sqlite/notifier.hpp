// Delivers the notifications of committed transactions to a listener, on its own thread, so that a slow listener
// delays no commit. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/concurrency/mutex.hpp"

namespace belfry::store::sqlite {

// Maximum number of notifications that wait for a slow listener. Beyond that, a single empty text ("some were lost")
// replaces all.
inline constexpr std::size_t kNotificationsMax = 1024;

class Notifier {
public:
    using Listener = std::function<void(std::string_view)>;

    Notifier() = default;
    ~Notifier() { listen({}); }
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    // Replaces the listener; an empty one ends the notifications. The old listener is not called after this returns,
    // so a listener must not call this.
    void listen(Listener listener);

    // Never waits for the listener. Drops the texts if there is none.
    void notify(std::vector<std::string> texts);

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
