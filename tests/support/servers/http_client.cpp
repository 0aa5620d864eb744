#include "support/servers/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text/parse_integer.hpp"

namespace belfry::test {

namespace {

constexpr timeval kDeadline{.tv_sec = 30,
                            .tv_usec = 0};  // for one read; long, because machines that run tests are busy
constexpr std::size_t kReadMax = 65'536;

[[noreturn]] void give_up(const char* what) {
    std::perror(what);
    std::abort();
}

std::string request_text(const std::string& method, const std::string& target, const std::string& body,
                         const std::vector<api::Header>& headers) {
    std::string text = method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    if (!body.empty() && api::find_header(headers, "Content-Type").empty())
        text += "Content-Type: application/json\r\n";
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
}

sockaddr_in loopback(in_addr address, unsigned short port) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr = address;
    return place;
}

int connect_to(int socket, unsigned short port) {
    const auto place = loopback({.s_addr = htonl(INADDR_LOOPBACK)}, port);
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place);
}

// The status line and the headers; the text ends with the last header's line.
api::Response parse_head(std::string_view text) {
    api::Response answer{.status = 0};
    const auto first = text.find("\r\n");
    if (text.size() > 12) answer.status = static_cast<int>(parse_integer(text.substr(9, 3)).value_or(0));
    for (auto begin = first + 2; begin < text.size();) {
        const auto end = std::min(text.find("\r\n", begin), text.size());
        const auto line = text.substr(begin, end - begin);
        const auto colon = line.find(": ");
        if (colon != std::string_view::npos) answer.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
        begin = end + 2;
    }
    return answer;
}

}  // namespace

HttpClient::HttpClient(unsigned short port, const char* from)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kDeadline, sizeof kDeadline);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kDeadline, sizeof kDeadline);
    in_addr source{};
    if (::inet_pton(AF_INET, from, &source) != 1) give_up("inet_pton");
    const auto place = loopback(source, 0);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) give_up("bind");
    if (connect_to(socket_, port) != 0) give_up("connect");
}

void HttpClient::end_sending() { ::shutdown(socket_, SHUT_WR); }

HttpClient::~HttpClient() { ::close(socket_); }

bool HttpClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = write_some(bytes);
        if (sent <= 0) return false;  // the other side has had enough; its answer may still be there to read
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

long HttpClient::write_some(std::string_view bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}
long HttpClient::read_some(std::string& into) { return ::recv(socket_, into.data(), into.size(), 0); }

std::optional<std::string> HttpClient::read_chunk() {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!receive()) return std::nullopt;
    }
    const auto size = static_cast<std::size_t>(std::stoul(buffer_.substr(0, end), nullptr, 16));
    const auto whole = end + 2 + size + 2;
    while (buffer_.size() < whole) {
        if (!receive()) return std::nullopt;
    }
    auto chunk = buffer_.substr(end + 2, size);
    buffer_.erase(0, whole);
    return chunk;
}

bool HttpClient::receive() {
    std::string chunk(kReadMax, '\0');
    const auto got = read_some(chunk);
    timed_out_ = got < 0 && errno == EAGAIN;
    if (got <= 0) return false;
    buffer_.append(chunk, 0, static_cast<std::size_t>(got));
    return true;
}

std::optional<api::Response> HttpClient::read_answer(bool head) {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) return std::nullopt;
    }
    auto answer = parse_head(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 4);
    const auto length = static_cast<std::size_t>(head ? 0 : parse_integer(answer.header("Content-Length")).value_or(0));
    while (buffer_.size() < length) {
        if (!receive()) return std::nullopt;
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
}

api::Response HttpClient::request(const std::string& method, const std::string& target, const std::string& body,
                                  const std::vector<api::Header>& headers) {
    send(request_text(method, target, body, headers));
    return read_answer(method == "HEAD").value_or(api::Response{.status = 0});
}

bool accepts_connections(unsigned short port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = connect_to(socket, port) == 0;
    ::close(socket);
    return connected;
}

std::string HttpClient::read_rest() {
    while (receive()) {
    }
    return std::exchange(buffer_, {});
}

bool HttpClient::is_closed_by_peer() {
    while (receive()) {
    }
    return !timed_out_;
}

}  // namespace belfry::test
