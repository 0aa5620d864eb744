// A connection as a stream of bytes: TCP, or TLS on top of it. The HTTP code uses this interface and is compiled once
// for both.
//
// Everything happens on one thread. One read and one write may be in progress at a time. Each keeps its user alive and
// is reported to it once, also after close(). There are no deadlines: a user that has waited long enough closes the
// stream.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::api {

class StreamUser {
public:
    virtual ~StreamUser() = default;
    virtual void on_open(const boost::system::error_code& error) = 0;
    virtual void on_read(const boost::system::error_code& error, std::size_t bytes) = 0;
    virtual void on_written(const boost::system::error_code& error) = 0;
};

class Stream {
public:
    using User = std::shared_ptr<StreamUser>;

    virtual ~Stream() = default;

    // Must be called first: prepares the stream to carry bytes.
    virtual void open(User user) = 0;

    // Reads some bytes, as soon as there are any. REQUIRES: the memory stays valid until the read is reported.
    virtual void read_some(std::span<char> into, User user) = 0;

    // Writes both texts completely, one after the other. REQUIRES: they stay valid until the write is reported.
    virtual void write(std::string_view first, std::string_view second, User user) = 0;

    // Whether bytes have arrived that no read has taken.
    [[nodiscard]] virtual bool has_unread() = 0;

    // Whether the peer has closed the connection, or at least its sending side. Bytes that it sent before may be
    // unread.
    [[nodiscard]] virtual bool peer_has_left() = 0;

    // Signals the peer that nothing more follows. Not reported.
    virtual void shutdown(User user) = 0;

    // Closes at once. Operations in progress are reported as errors, later.
    virtual void close() = 0;

    // The names in the peer's certificate, if it sent one that was verified: `DNS:…`, `URI:…`, `email:…`.
    [[nodiscard]] virtual std::vector<std::string> certificate_names() = 0;
};

[[nodiscard]] bool peer_has_left(boost::asio::ip::tcp::socket& socket);

[[nodiscard]] std::unique_ptr<Stream> make_tcp_stream(boost::asio::ip::tcp::socket socket);

}  // namespace belfry::api
