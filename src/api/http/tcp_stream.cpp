#include <poll.h>

#include <array>
#include <boost/asio/write.hpp>

#include "api/http/stream.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class TcpStream final : public Stream {
public:
    explicit TcpStream(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

    void open(User user) override { user->on_open({}); }

    void read_some(std::span<char> into, User user) override {
        socket_.async_read_some(
            asio::buffer(into.data(), into.size()),
            [user = std::move(user)](const error_code& error, std::size_t bytes) { user->on_read(error, bytes); });
    }

    void write(std::string_view first, std::string_view second, User user) override {
        const std::array<asio::const_buffer, 2> both{asio::buffer(first), asio::buffer(second)};
        asio::async_write(socket_, both,
                          [user = std::move(user)](const error_code& error, std::size_t) { user->on_written(error); });
    }

    bool has_unread() override {
        error_code ignored;
        return socket_.available(ignored) > 0;
    }

    bool peer_has_left() override { return api::peer_has_left(socket_); }

    void shutdown(User) override {
        error_code ignored;
        socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    }

    void close() override {
        error_code ignored;
        socket_.close(ignored);
    }

    std::vector<std::string> certificate_names() override { return {}; }

private:
    asio::ip::tcp::socket socket_;
};

}  // namespace

bool peer_has_left(asio::ip::tcp::socket& socket) {
    if (!socket.is_open()) return true;
    pollfd poll{.fd = socket.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&poll, 1, 0) > 0 && (poll.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

std::unique_ptr<Stream> make_tcp_stream(asio::ip::tcp::socket socket) {
    return std::make_unique<TcpStream>(std::move(socket));
}

}  // namespace belfry::api
