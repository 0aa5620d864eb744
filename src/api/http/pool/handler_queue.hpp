// Work that waits for a handler's thread. Tenants take turns, and in them their clients, so that the requests of one
// client wait behind each other and not in front of everyone else's. Thread-safe.
//
// A client that does not read its responses must not make the server produce more of them: while more than
// kUnreadMax bytes of its responses wait, the client's work runs one at a time. So it delays itself, and it needs
// neither the threads nor the memory of others.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/concurrency/mutex.hpp"

namespace belfry::api {

class HandlerQueue {
public:
    using Work = std::function<void()>;
    static constexpr std::size_t kUnreadMax = std::size_t{16} << 20;  // four of the largest pages

    // A tenant as the request names it, whether it exists or not, and the network of the client.
    struct Client {
        std::string tenant;
        std::string network;
        friend auto operator<=>(const Client&, const Client&) = default;
    };

    // REQUIRES: the context, whose threads run the work, outlives it.
    explicit HandlerQueue(boost::asio::io_context& context) : context_(context) {}

    // Runs the work when it is the turn of `client`. The work of one client starts in its order.
    void post(const Client& client, Work work);

    // Destroys the work that has not started. REQUIRES: the threads of the context have ended.
    void clear();

    // Counts bytes of a response as not read by its client until it is released. Must not outlive the queue.
    class Unread {
    public:
        Unread() = default;
        Unread(HandlerQueue& queue, Client client, std::size_t bytes);
        Unread(Unread&& other) noexcept { *this = std::move(other); }
        Unread& operator=(Unread&& other) noexcept;
        ~Unread() { release(); }
        void release();

    private:
        HandlerQueue* queue_ = nullptr;
        Client client_;
        std::size_t bytes_ = 0;
    };

private:
    struct Line {  // of one client
        std::deque<Work> waiting = {};
        std::size_t running = 0;
        std::size_t unread = 0;  // bytes
        bool in_turn = false;    // in `turns_`
        [[nodiscard]] bool may_run() const { return !waiting.empty() && (unread <= kUnreadMax || running == 0); }
        [[nodiscard]] bool is_idle() const { return waiting.empty() && running == 0 && unread == 0; }
    };

    void run_next();
    // Takes the next client's turn. REQUIRES: there is one.
    [[nodiscard]] Client next_client() BELFRY_REQUIRES(mutex_);
    // Gives the client a turn if it may run now, and forgets it if there is nothing to remember.
    void update(const Client& client, Line& line) BELFRY_REQUIRES(mutex_);
    template <typename Change>
    void change(const Client& client, const Change& apply);

    boost::asio::io_context& context_;
    Mutex mutex_;
    std::map<Client, Line> lines_ BELFRY_GUARDED_BY(mutex_);
    // Clients that may run, the next one first: the tenants in turn, and the networks of each.
    std::deque<std::string> tenants_ BELFRY_GUARDED_BY(mutex_);
    std::map<std::string, std::deque<std::string>> turns_ BELFRY_GUARDED_BY(mutex_);  // of `tenants_`; never empty
};

}  // namespace belfry::api
