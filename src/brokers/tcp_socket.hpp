// A TCP connection whose every step has a deadline. Linux.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "brokers/deadline.hpp"

namespace belfry::brokers {

// The kernel gives up after so long when the peer takes nothing, even when its machine still answers. All errors are quiet.
void set_send_timeout(int socket, std::chrono::milliseconds timeout);

class TcpSocket {
public:
    // `peer` names it in errors.
    [[nodiscard]] static Result<TcpSocket> connect(std::string peer, const std::string& host, std::uint16_t port, const Deadline& deadline);

    [[nodiscard]] Result<void> send(std::string_view bytes, const Deadline& deadline) const;
    // At least one byte.
    [[nodiscard]] Result<std::size_t> receive(std::span<char> into, const Deadline& deadline) const;
    // Open, and there is nothing to read: a peer that closed, or that says something unasked, is not.
    [[nodiscard]] bool is_quiet() const;

private:
    TcpSocket(std::string peer, Descriptor descriptor) : peer_(std::move(peer)), descriptor_(std::move(descriptor)) {}
    [[nodiscard]] Result<void> wait(short events, const Deadline& deadline) const;
    [[nodiscard]] Error broken(int number) const;

    std::string peer_;
    Descriptor descriptor_;
};

}  // namespace belfry::brokers
