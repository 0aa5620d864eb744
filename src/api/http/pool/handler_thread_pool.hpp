// A pool with many threads for handlers, of which few are awake at once. Waking a thread for every request costs as
// much as the request itself when threads outnumber the cores. But a handler that waits for a commit needs its own
// thread, and the more handlers wait together, the more share one commit. So only `awake_max` threads take work, and
// when one of them reports that it waits (base/concurrency/blocking_scope.hpp), another takes its place. A handler that
// waits without a BlockingScope keeps its place. Thread-safe.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>

#include "base/concurrency/blocking_scope.hpp"
#include "base/concurrency/mutex.hpp"

namespace belfry::api {

class HandlerThreadPool final : private BlockingListener {
public:
    explicit HandlerThreadPool(std::size_t awake_max) : awake_max_(awake_max) {}

    // Runs the work of the context on this thread until the context has none left and no work guard.
    void run(boost::asio::io_context& context);

    // From now on, all threads take work: the remaining work is done, and the threads end.
    void finish();

private:
    void begin_wait() override;
    void end_wait() override;
    void take_place() BELFRY_REQUIRES(mutex_);

    const std::size_t awake_max_;
    Mutex mutex_;
    std::condition_variable_any place_free_;
    // May exceed the maximum while threads that have waited finish their handlers.
    std::size_t awake_ BELFRY_GUARDED_BY(mutex_) = 0;
    std::size_t resting_ BELFRY_GUARDED_BY(mutex_) = 0;
    bool finishing_ BELFRY_GUARDED_BY(mutex_) = false;
};

}  // namespace belfry::api
