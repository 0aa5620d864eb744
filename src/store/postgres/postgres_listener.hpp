// Receives the notifications of a database (LISTEN), on its own connection and thread.
//
// The constructor returns when it listens, unless the database cannot be reached in time: then the thread keeps
// trying. After every (re)connect it delivers an empty text, because notifications in between are lost. TCP
// keepalives detect a dead connection (see Address); a closed one is noticed immediately.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "store/postgres/postgres_address.hpp"
#include "store/postgres/postgres_connection.hpp"

namespace belfry::store::postgres {

class Listener {
public:
    using Callback = std::function<void(std::string_view)>;

    // Waits for the first attempt to connect, at most connect_timeout.
    Listener(Address address, sql::PostgresOptions options, Callback callback);
    // The callback is not called after this returns. May wait for a connection attempt in progress. REQUIRES: not
    // called from the callback.
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Delivers what a connection of this process is about to notify, without the way through the database. The same
    // texts from this connection's server process are then not delivered again.
    void deliver(int server_process, const std::vector<std::string>& texts);

private:
    void listen_until_stopped(const std::stop_token& stop);
    void deliver_until_lost(Connection& connection, const std::stop_token& stop);
    void pause(std::chrono::milliseconds time, const std::stop_token& stop);
    void deliver_own();
    [[nodiscard]] bool is_own(const PGnotify& notification);
    // True if the socket becomes readable before the timeout. -1 as the socket: none to read; -1 ms: no timeout.
    [[nodiscard]] bool wait(int socket, std::chrono::milliseconds time) const;

    Address address_;
    sql::PostgresOptions options_;
    Callback callback_;
    int wake_;  // an eventfd for the stop, and for own notifications
    Mutex mutex_;
    std::vector<std::string> own_ BELFRY_GUARDED_BY(mutex_);                     // to be delivered
    std::map<std::pair<int, std::string>, int> sent_ BELFRY_GUARDED_BY(mutex_);  // not yet back, by server process
    std::promise<void> tried_once_;  // set when the first attempt to connect has succeeded or failed
    std::jthread thread_;
};

}  // namespace belfry::store::postgres
