#include "api/http/pool/handler_queue.hpp"

#include <boost/asio/post.hpp>
#include <vector>

namespace belfry::api {

HandlerQueue::Unread::Unread(HandlerQueue& queue, Client client, std::size_t bytes)
    : queue_(&queue), client_(std::move(client)), bytes_(bytes) {
    queue_->change(client_, [this](Line& line) { line.unread += bytes_; });
}

HandlerQueue::Unread& HandlerQueue::Unread::operator=(Unread&& other) noexcept {
    if (this == &other) return *this;
    release();
    queue_ = std::exchange(other.queue_, nullptr);
    client_ = std::move(other.client_);
    bytes_ = other.bytes_;
    return *this;
}

void HandlerQueue::Unread::release() {
    if (auto* const queue = std::exchange(queue_, nullptr))
        queue->change(client_, [this](Line& line) { line.unread -= bytes_; });
}

void HandlerQueue::post(const Client& client, Work work) {
    change(client, [&work](Line& line) { line.waiting.push_back(std::move(work)); });
}

void HandlerQueue::clear() {
    std::vector<Work> never_started;  // destroyed without the lock: it may release what it has counted as unread
    const MutexLock lock(mutex_);
    for (auto& [client, line] : lines_) {
        for (auto& work : std::exchange(line.waiting, {})) never_started.push_back(std::move(work));
    }
}

template <typename Change>
void HandlerQueue::change(const Client& client, const Change& apply) {
    const MutexLock lock(mutex_);
    auto& line = lines_[client];
    apply(line);
    update(client, line);
}

// Every turn posts one run_next, so there are always as many of them as turns.
void HandlerQueue::update(const Client& client, Line& line) {
    if (line.may_run() && !line.in_turn) {
        line.in_turn = true;
        auto& networks = turns_[client.tenant];
        if (networks.empty()) tenants_.push_back(client.tenant);
        networks.push_back(client.network);
        boost::asio::post(context_, [this] { run_next(); });
    }
    if (line.is_idle()) lines_.erase(client);
}

HandlerQueue::Client HandlerQueue::next_client() {
    Client client{std::move(tenants_.front()), {}};
    tenants_.pop_front();
    const auto turns = turns_.find(client.tenant);
    client.network = std::move(turns->second.front());
    turns->second.pop_front();
    if (turns->second.empty()) {
        turns_.erase(turns);
    } else {
        tenants_.push_back(client.tenant);
    }
    return client;
}

void HandlerQueue::run_next() {
    Client client;
    Work work;
    {
        const MutexLock lock(mutex_);
        client = next_client();
        auto& line = lines_.at(client);
        line.in_turn = false;
        if (line.may_run()) {
            work = std::move(line.waiting.front());
            line.waiting.pop_front();
            line.running += 1;
        }
        update(client, line);
    }
    if (!work) return;
    struct Done {
        HandlerQueue& queue;
        const Client& client;
        ~Done() {
            queue.change(client, [](Line& line) { line.running -= 1; });
        }
    } const done{*this, client};
    work();
}

}  // namespace belfry::api
