#include "bench/bench_receiver.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

#include "bench/http_load.hpp"

namespace belfry::bench {

namespace {

constexpr int kBacklog = 128;
constexpr std::string_view kNoContent = "HTTP/1.1 204 No Content\r\n\r\n";

}  // namespace

BenchReceiver::~BenchReceiver() {
    if (listener_.is_open()) ::shutdown(listener_.number(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    const MutexLock lock(mutex_);
    for (auto& link : links_) ::shutdown(link.socket.number(), SHUT_RDWR);
    for (auto& link : links_) link.thread.join();
}

Result<void> BenchReceiver::listen() {
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.number(), generic, size) != 0 || ::listen(listener_.number(), kBacklog) != 0 ||
        ::getsockname(listener_.number(), generic, &size) != 0) {
        return Error{ErrorCode::unavailable, "cannot open a port for the receiver"};
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { accept_all(); });
    return {};
}

void BenchReceiver::accept_all() {
    while (true) {
        Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket.is_open()) return;
        const int number = socket.number();
        const int on = 1;
        ::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const MutexLock lock(mutex_);
        links_.push_back({std::move(socket), std::jthread([number] { answer_all(number); })});
    }
}

void BenchReceiver::answer_all(int socket) {
    std::array<char, std::size_t{16} << 10> chunk;
    std::string received;
    while (true) {
        const auto count = ::recv(socket, chunk.data(), chunk.size(), 0);
        if (count <= 0) return;
        received.append(chunk.data(), static_cast<std::size_t>(count));
        for (auto length = message_length(received); length && received.size() >= *length;
             length = message_length(received)) {
            received.erase(0, *length);
            if (::send(socket, kNoContent.data(), kNoContent.size(), MSG_NOSIGNAL) < 0) return;
        }
    }
}

}  // namespace belfry::bench
