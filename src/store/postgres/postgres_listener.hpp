// Hears what is announced in a database (LISTEN), on a connection and a thread of its own.
//
// It listens when its constructor returns, unless the database could not be reached in time: then the thread goes on trying. After
// every (re)connect it delivers an empty text, because what was announced in between is gone. A dead connection is noticed by
// the keepalives of TCP (see Address), a closed one at once.
#pragma once

#include <functional>
#include <future>
#include <stop_token>
#include <string_view>
#include <thread>

#include "store/postgres/postgres_address.hpp"
#include "store/postgres/postgres_connection.hpp"

namespace belfry::store::postgres {

class Listener {
public:
    using Callback = std::function<void(std::string_view)>;

    // Waits for the first attempt to connect, for at most connect_timeout.
    Listener(Address address, sql::PostgresOptions options, Callback callback);
    // Afterwards the callback is not called any more. May wait for an attempt to connect that is under way.
    // REQUIRES: not called from the callback.
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

private:
    void listen_until_stopped(const std::stop_token& stop);
    void deliver_until_lost(Connection& connection, const std::stop_token& stop);
    // True when there is something to read on the socket (-1: there is none to read) before the time is up; -1 ms means for ever.
    [[nodiscard]] bool wait(int socket, std::chrono::milliseconds time) const;

    Address address_;
    sql::PostgresOptions options_;
    Callback callback_;
    int wake_;                       // an eventfd: stop
    std::promise<void> tried_once_;  // kept when the first attempt to connect has succeeded or failed
    std::jthread thread_;
};

}  // namespace belfry::store::postgres
