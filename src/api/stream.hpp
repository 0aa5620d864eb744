// A connection as a stream of bytes: TCP, or TLS on it. HTTP is written against this and compiled once for both.
//
// All of it happens on one thread. One read and one write may be under way at a time; each keeps its user alive, and is
// reported to it once, also after close(). Nothing here has a deadline: a user that has waited long enough closes.
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

    // First: makes it ready to carry bytes.
    virtual void open(User user) = 0;

    // Some bytes, as soon as there are any. REQUIRES: the memory stays until it is reported.
    virtual void read_some(std::span<char> into, User user) = 0;

    // Both texts, one after the other, all of them. REQUIRES: they stay until it is reported.
    virtual void write(std::string_view first, std::string_view second, User user) = 0;

    // Whether bytes have arrived that no read has taken.
    [[nodiscard]] virtual bool has_unread() = 0;

    // Tells the other side that nothing more follows. Not reported.
    virtual void shutdown(User user) = 0;

    // At once; what is under way is reported as an error, later.
    virtual void close() = 0;

    // The names in the certificate of the other side, if it has shown one and it was verified: `DNS:…`, `URI:…`, `email:…`.
    [[nodiscard]] virtual std::vector<std::string> certificate_names() = 0;
};

[[nodiscard]] std::unique_ptr<Stream> make_tcp_stream(boost::asio::ip::tcp::socket socket);

}  // namespace belfry::api
