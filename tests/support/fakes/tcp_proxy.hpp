// A proxy on loopback that breaks connections at the moments that matter. Thread-safe; one thread of its own.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "base/concurrency/mutex.hpp"

namespace belfry::test {

enum class Fault : std::uint8_t {
    none,
    cut_before,  // the message never reaches the server, and the connection is cut
    cut_after,   // the server has answered, the client never hears it, and the connection is cut
    silence,     // the message never reaches the server, and the connection stays, without a word
};

class TcpProxy {
public:
    explicit TcpProxy(std::uint16_t server_port);
    ~TcpProxy();
    TcpProxy(const TcpProxy&) = delete;
    TcpProxy& operator=(const TcpProxy&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

    // From now on to another server; what is connected is cut.
    void lead_to(std::uint16_t server_port);
    // Everything that is connected, now.
    void cut_all();
    // New connections are closed at once, or not any more.
    void refuse(bool refused);
    // For the next message of a client that contains `bytes`, once.
    void fail_on(std::string bytes, Fault fault);
    // Whether the fault happened since fail_on.
    [[nodiscard]] bool failed() const;
    // How many have connected so far, refused ones included.
    [[nodiscard]] int connections_seen() const;

private:
    struct Link {
        int client = -1;
        int server = -1;
        bool cut_on_answer = false;
        bool silent = false;
        bool over = false;
    };

    void serve();
    [[nodiscard]] std::vector<pollfd> sources() const;
    void accept_one();
    void from_client(Link& link);
    void from_server(Link& link);
    void remove_ended();

    std::atomic<std::uint16_t> server_port_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int wake_ = -1;          // an eventfd: look at the orders below
    std::list<Link> links_;  // of the thread alone

    mutable Mutex mutex_;
    bool stop_ BELFRY_GUARDED_BY(mutex_) = false;
    bool cut_all_ BELFRY_GUARDED_BY(mutex_) = false;
    bool refused_ BELFRY_GUARDED_BY(mutex_) = false;
    Fault fault_ BELFRY_GUARDED_BY(mutex_) = Fault::none;
    std::string fault_bytes_ BELFRY_GUARDED_BY(mutex_);
    int seen_ BELFRY_GUARDED_BY(mutex_) = 0;

    std::jthread thread_;  // last: it uses all the others
};

}  // namespace belfry::test
