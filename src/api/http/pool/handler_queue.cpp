#include "api/http/pool/handler_queue.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace belfry::api {

void HandlerQueue::post(const std::string& client, Work work) {
    {
        const MutexLock lock(mutex_);
        auto& line = waiting_[client];
        if (line.empty()) turns_.push_back(client);
        line.push_back(std::move(work));
    }
    boost::asio::post(context_, [this] { run_next(); });
}

void HandlerQueue::run_next() { take_next()(); }

HandlerQueue::Work HandlerQueue::take_next() {
    const MutexLock lock(mutex_);
    auto client = std::move(turns_.front());
    turns_.pop_front();
    const auto line = waiting_.find(client);
    auto work = std::move(line->second.front());
    line->second.pop_front();
    if (line->second.empty()) {
        waiting_.erase(line);
    } else {
        turns_.push_back(std::move(client));
    }
    return work;
}

}  // namespace belfry::api
