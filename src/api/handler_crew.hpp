// Many threads that run handlers, of which few are awake at once. A thread that is woken for every request costs as much as the
// request when they outnumber the cores; but a handler that waits for a commit needs a thread of its own, and the more of them wait
// together the more share it. So only `awake_max` threads look for work, and when one of them says that it waits (base/waiting.hpp)
// another takes its place. A handler that waits without saying so keeps its place. Thread-safe.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>

#include "base/mutex.hpp"
#include "base/waiting.hpp"

namespace belfry::api {

class HandlerCrew final : private WaitingHost {
public:
    explicit HandlerCrew(std::size_t awake_max) : awake_max_(awake_max) {}

    // Does the work of the context on this thread until there is none and nobody keeps it waiting for more.
    void run(boost::asio::io_context& context);

    // From now on all of them look for work: what is left is to be done and the threads are to end.
    void finish();

private:
    void begin_wait() override;
    void end_wait() override;
    void take_place() BELFRY_REQUIRES(mutex_);

    const std::size_t awake_max_;
    Mutex mutex_;
    std::condition_variable_any place_free_;
    std::size_t awake_ BELFRY_GUARDED_BY(mutex_) = 0;  // more than the most for as long as those that have waited need to finish
    std::size_t resting_ BELFRY_GUARDED_BY(mutex_) = 0;
    bool finishing_ BELFRY_GUARDED_BY(mutex_) = false;
};

}  // namespace belfry::api
