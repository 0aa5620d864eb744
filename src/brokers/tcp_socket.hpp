// A TCP connection on which every operation has a deadline. Linux.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/process/descriptor.hpp"
#include "base/result.hpp"
#include "brokers/deadline.hpp"

namespace belfry::brokers {

// Makes the kernel give up when the peer accepts no data for this long, even if its machine still responds. Ignores
// errors.
void set_send_timeout(int socket, std::chrono::milliseconds timeout);

class TcpSocket {
public:
    // `peer` is the name for error messages.
    [[nodiscard]] static Result<TcpSocket> connect(std::string peer, const std::string& host, std::uint16_t port,
                                                   const Deadline& deadline);

    [[nodiscard]] Result<void> send(std::string_view bytes, const Deadline& deadline) const;
    // Returns at least one byte.
    [[nodiscard]] Result<std::size_t> receive(std::span<char> into, const Deadline& deadline) const;
    // Whether the connection is open with nothing to read. False if the peer closed it or sent unexpected data.
    [[nodiscard]] bool is_quiet() const;

private:
    TcpSocket(std::string peer, Descriptor descriptor) : peer_(std::move(peer)), descriptor_(std::move(descriptor)) {}
    [[nodiscard]] Result<void> wait(short events, const Deadline& deadline) const;
    [[nodiscard]] Error broken(int number) const;

    std::string peer_;
    Descriptor descriptor_;
};

}  // namespace belfry::brokers
