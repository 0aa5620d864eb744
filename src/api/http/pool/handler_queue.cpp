#include "api/http/pool/handler_queue.hpp"

#include <boost/asio/post.hpp>
#include <vector>

namespace belfry::api {

HandlerQueue::Unread::Unread(HandlerQueue& queue, std::string client, std::size_t bytes)
    : queue_(&queue), client_(std::move(client)), bytes_(bytes) {
    queue_->change(client_, [this](Client& of) { of.unread += bytes_; });
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
        queue->change(client_, [this](Client& of) { of.unread -= bytes_; });
}

void HandlerQueue::post(const std::string& client, Work work) {
    change(client, [&work](Client& of) { of.waiting.push_back(std::move(work)); });
}

void HandlerQueue::clear() {
    std::vector<Work> never_started;  // destroyed without the lock: it may release what it has counted as unread
    const MutexLock lock(mutex_);
    for (auto& [name, client] : clients_) {
        for (auto& work : std::exchange(client.waiting, {})) never_started.push_back(std::move(work));
    }
}

template <typename Change>
void HandlerQueue::change(const std::string& name, const Change& apply) {
    const MutexLock lock(mutex_);
    auto& client = clients_[name];
    apply(client);
    update(name, client);
}

// Every turn posts one run_next, so there are always as many of them as turns.
void HandlerQueue::update(const std::string& name, Client& client) {
    if (client.may_run() && !client.in_turn) {
        client.in_turn = true;
        turns_.push_back(name);
        boost::asio::post(context_, [this] { run_next(); });
    }
    if (client.is_idle()) clients_.erase(name);
}

void HandlerQueue::run_next() {
    std::string name;
    Work work;
    {
        const MutexLock lock(mutex_);
        name = std::move(turns_.front());
        turns_.pop_front();
        auto& client = clients_.at(name);
        client.in_turn = false;
        if (client.may_run()) {
            work = std::move(client.waiting.front());
            client.waiting.pop_front();
            client.running += 1;
        }
        update(name, client);
    }
    if (!work) return;
    struct Done {
        HandlerQueue& queue;
        const std::string& name;
        ~Done() {
            queue.change(name, [](Client& client) { client.running -= 1; });
        }
    } const done{*this, name};
    work();
}

}  // namespace belfry::api
