#include "brokers/tcp_socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace belfry::brokers {

namespace {

struct FreeAddresses {
    void operator()(addrinfo* first) const { freeaddrinfo(first); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> look_up(const std::string& peer, const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (failure != 0) return unavailable("the lookup of " + peer + "'s host failed: " + gai_strerror(failure));
    return Addresses(found);
}

bool is_later(int number) { return number == EAGAIN || number == EINTR; }

}  // namespace

void set_send_timeout(int socket, std::chrono::milliseconds timeout) {
    const auto millis = static_cast<unsigned int>(timeout.count());
    static_cast<void>(setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &millis, sizeof millis));
}

Error TcpSocket::broken(int number) const {
    return unavailable("the connection to " + peer_ + " broke: " + std::system_category().message(number));
}

Result<void> TcpSocket::wait(short events, const Deadline& deadline) const {
    while (!deadline.is_over()) {
        pollfd poll_for{descriptor_.number(), events, 0};
        const int ready = poll(&poll_for, 1, static_cast<int>(deadline.slice().count()));
        if (ready > 0) return {};
        if (ready < 0 && errno != EINTR) return broken(errno);
    }
    return deadline.error(peer_);
}

Result<TcpSocket> TcpSocket::connect(std::string peer, const std::string& host, std::uint16_t port,
                                     const Deadline& deadline) {
    const auto addresses = look_up(peer, host, port);
    if (!addresses) return addresses.error();
    auto last = unavailable(peer + " has no address");
    for (const auto* address = addresses->get(); address != nullptr; address = address->ai_next) {
        TcpSocket made(peer, Descriptor(socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
        const int number = made.descriptor_.number();
        if (number < 0) return made.broken(errno);
        if (::connect(number, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS) {
            last = made.broken(errno);
            continue;
        }
        if (auto connected = made.wait(POLLOUT, deadline); !connected) return connected.error();
        int failure = 0;
        socklen_t size = sizeof failure;
        getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size);
        if (failure == 0) {
            constexpr int kOn = 1;
            setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
            return made;
        }
        last = made.broken(failure);
    }
    return last;
}

Result<void> TcpSocket::send(std::string_view bytes, const Deadline& deadline) const {
    while (!bytes.empty()) {
        const auto sent = ::send(descriptor_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        } else if (!is_later(errno)) {
            return broken(errno);
        } else if (auto ready = wait(POLLOUT, deadline); !ready) {
            return ready;
        }
    }
    return {};
}

Result<std::size_t> TcpSocket::receive(std::span<char> into, const Deadline& deadline) const {
    while (true) {
        const auto got = recv(descriptor_.number(), into.data(), into.size(), 0);
        if (got > 0) return static_cast<std::size_t>(got);
        if (got == 0) return unavailable(peer_ + " closed the connection");
        if (!is_later(errno)) return broken(errno);
        if (auto ready = wait(POLLIN, deadline); !ready) return ready.error();
    }
}

bool TcpSocket::is_quiet() const {
    char next = 0;
    return recv(descriptor_.number(), &next, 1, MSG_PEEK) < 0 && is_later(errno);
}

}  // namespace belfry::brokers
