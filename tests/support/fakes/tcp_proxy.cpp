#include "support/fakes/tcp_proxy.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace belfry::test {

namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

int new_socket() {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return made;
}

// Blocks when the reader is slow, which is good enough for a test that waits for every answer.
bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string receive(int socket) {
    std::array<char, 65'536> buffer{};
    const auto size = recv(socket, buffer.data(), buffer.size(), 0);
    return size <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(size));
}

}  // namespace

TcpProxy::TcpProxy(std::uint16_t server_port)
    : server_port_(server_port), listener_(new_socket()), wake_(eventfd(0, EFD_CLOEXEC)) {
    auto address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0) {
        std::perror("the proxy cannot listen");
        std::exit(EXIT_FAILURE);
    }
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
}

TcpProxy::~TcpProxy() {
    {
        const MutexLock lock(mutex_);
        stop_ = true;
    }
    eventfd_write(wake_, 1);
    thread_.join();
    close(listener_);
    close(wake_);
}

void TcpProxy::lead_to(std::uint16_t server_port) {
    server_port_ = server_port;
    cut_all();
}

void TcpProxy::cut_all() {
    {
        const MutexLock lock(mutex_);
        cut_all_ = true;
    }
    eventfd_write(wake_, 1);
}

void TcpProxy::refuse(bool refused) {
    const MutexLock lock(mutex_);
    refused_ = refused;
}

void TcpProxy::fail_on(std::string bytes, Fault fault) {
    const MutexLock lock(mutex_);
    fault_bytes_ = std::move(bytes);
    fault_ = fault;
}

bool TcpProxy::failed() const {
    const MutexLock lock(mutex_);
    return fault_ == Fault::none;
}

int TcpProxy::connections_seen() const {
    const MutexLock lock(mutex_);
    return seen_;
}

// The listener, the wake-up, then the two ends of every link, in the order of the list.
std::vector<pollfd> TcpProxy::sources() const {
    std::vector<pollfd> all{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& link : links_) {
        all.push_back({link.client, POLLIN, 0});
        all.push_back({link.server, POLLIN, 0});
    }
    return all;
}

void TcpProxy::serve() {
    bool stop = false;
    while (!stop) {
        auto ready = sources();
        poll(ready.data(), ready.size(), -1);
        bool cut = false;
        if (ready[0].revents != 0) {
            eventfd_t ignored = 0;
            eventfd_read(wake_, &ignored);
            const MutexLock lock(mutex_);
            stop = stop_;
            cut = std::exchange(cut_all_, false) || stop;
        }
        std::size_t i = 2;
        for (auto& link : links_) {
            link.over = cut;
            if (ready[i].revents != 0 && !link.over) from_client(link);
            if (ready[i + 1].revents != 0 && !link.over) from_server(link);
            i += 2;
        }
        remove_ended();
        if (ready[1].revents != 0 && !stop) accept_one();
    }
}

void TcpProxy::accept_one() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    bool refused = false;
    {
        const MutexLock lock(mutex_);
        ++seen_;
        refused = refused_;
    }
    const int server = new_socket();
    auto address = loopback(server_port_);
    if (refused || connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        close(client);
        close(server);
        return;
    }
    links_.push_back({client, server});
}

void TcpProxy::from_client(Link& link) {
    const auto message = receive(link.client);
    if (message.empty()) {
        link.over = true;
        return;
    }
    if (link.silent) return;
    auto fault = Fault::none;
    {
        const MutexLock lock(mutex_);
        if (fault_ != Fault::none && message.find(fault_bytes_) != std::string::npos)
            fault = std::exchange(fault_, Fault::none);
    }
    link.over = fault == Fault::cut_before;
    link.silent = fault == Fault::silence;
    link.cut_on_answer = link.cut_on_answer || fault == Fault::cut_after;
    if (link.over || link.silent) return;
    if (!send_all(link.server, message)) link.over = true;
}

void TcpProxy::from_server(Link& link) {
    const auto message = receive(link.server);
    link.over = message.empty() || link.cut_on_answer || (!link.silent && !send_all(link.client, message));
}

void TcpProxy::remove_ended() {
    for (const auto& link : links_) {
        if (!link.over) continue;
        close(link.client);
        close(link.server);
    }
    links_.remove_if([](const Link& link) { return link.over; });
}

}  // namespace belfry::test
