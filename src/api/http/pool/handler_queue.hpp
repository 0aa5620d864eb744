// Work that waits for a handler's thread. Clients take turns, so that the requests of one client wait behind each other
// and not in front of everyone else's. Thread-safe.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/concurrency/mutex.hpp"

namespace belfry::api {

class HandlerQueue {
public:
    using Work = std::function<void()>;

    // REQUIRES: the context, whose threads run the work, outlives it.
    explicit HandlerQueue(boost::asio::io_context& context) : context_(context) {}

    // Runs the work when it is the turn of `client`. The work of one client starts in its order.
    void post(const std::string& client, Work work);

private:
    void run_next();
    [[nodiscard]] Work take_next();

    boost::asio::io_context& context_;
    Mutex mutex_;
    std::unordered_map<std::string, std::deque<Work>> waiting_ BELFRY_GUARDED_BY(mutex_);  // by client; never empty
    std::deque<std::string> turns_ BELFRY_GUARDED_BY(mutex_);  // the clients of `waiting_`, the next one first
};

}  // namespace belfry::api
