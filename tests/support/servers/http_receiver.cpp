#include "support/servers/http_receiver.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::test {

namespace {

// A connection, with TLS or without.
class Peer {
public:
    Peer(int socket, const TlsIdentity* identity)
        : socket_(socket), tls_(identity == nullptr ? nullptr : SSL_new(identity->context())) {
        if (tls_ == nullptr) return;
        SSL_set_fd(tls_, socket);
        SSL_accept(tls_);
    }
    ~Peer() {
        if (tls_ != nullptr) SSL_shutdown(tls_);
        SSL_free(tls_);
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    // More bytes behind the others; false at the end.
    bool read(std::string& buffer) {
        std::array<char, 16'384> chunk{};
        const auto size = tls_ == nullptr ? ::recv(socket_, chunk.data(), chunk.size(), 0)
                                          : SSL_read(tls_, chunk.data(), chunk.size());
        if (size <= 0) return false;
        buffer.append(chunk.data(), static_cast<std::size_t>(size));
        return true;
    }
    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto size = tls_ == nullptr ? ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                                              : SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
            if (size <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(size));
        }
    }

private:
    const int socket_;
    SSL* const tls_;
};

Received parse_head(std::string_view head) {
    Received request;
    const auto first = head.substr(0, head.find("\r\n"));
    const auto space = first.find(' ');
    request.method = first.substr(0, space);
    request.target = first.substr(space + 1, first.rfind(' ') - space - 1);
    for (auto begin = first.size() + 2; begin < head.size();) {
        const auto end = std::min(head.find("\r\n", begin), head.size());
        const auto line = head.substr(begin, end - begin);
        const auto colon = line.find(':');
        const auto value = line.find_first_not_of(' ', colon + 1);
        request.headers.emplace_back(lower_case(line.substr(0, colon)),
                                     value == std::string_view::npos ? "" : line.substr(value));
        begin = end + 2;
    }
    return request;
}

std::optional<Received> next_request(Peer& peer, std::string& buffer) {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
        if (!peer.read(buffer)) return std::nullopt;
    }
    auto request = parse_head(std::string_view(buffer).substr(0, end));
    buffer.erase(0, end + 4);
    const auto length = static_cast<std::size_t>(parse_integer(request.header("content-length")).value_or(0));
    while (buffer.size() < length) {
        if (!peer.read(buffer)) return std::nullopt;
    }
    request.body = buffer.substr(0, length);
    buffer.erase(0, length);
    return request;
}

}  // namespace

std::string Received::header(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &HttpHeader::first);
    return found == headers.end() ? "" : found->second;
}

std::size_t Received::count(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count(headers, name, &HttpHeader::first));
}

HttpReceiver::HttpReceiver(Answer answer, const TlsIdentity* identity)
    : answer_(std::move(answer)), identity_(identity), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0) {
        std::perror("the receiver cannot listen");
        std::exit(EXIT_FAILURE);
    }
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { accept_all(); });
}

HttpReceiver::~HttpReceiver() {
    std::list<Link> links;
    {
        const MutexLock lock(mutex_);
        ending_ = true;
        ::shutdown(listener_, SHUT_RDWR);
        for (const auto& link : links_) ::shutdown(link.socket, SHUT_RDWR);
        links.swap(links_);
    }
    thread_.join();
    for (auto& link : links) {
        link.thread.join();
        ::close(link.socket);
    }
    ::close(listener_);
}

void HttpReceiver::accept_all() {
    while (true) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        const MutexLock lock(mutex_);
        if (ending_) {
            ::close(socket);
            return;
        }
        links_.push_back({socket, std::jthread([this, socket] { serve(socket); })});
    }
}

void HttpReceiver::serve(int socket) {
    {
        Peer peer(socket, identity_);
        std::string buffer;
        while (const auto request = next_request(peer, buffer)) {
            {
                const MutexLock lock(mutex_);
                received_.push_back(*request);
            }
            const auto bytes = answer_(*request);
            if (!bytes) {
                while (peer.read(buffer)) {
                }
                break;
            }
            peer.write(*bytes);
            if (bytes->find("keep-alive") == std::string::npos) break;
        }
    }
    ::shutdown(socket, SHUT_RDWR);
}

std::string HttpReceiver::url(const std::string& path) const {
    return (identity_ == nullptr ? "http://127.0.0.1:" : "https://127.0.0.1:") + std::to_string(port_) + path;
}

std::vector<Received> HttpReceiver::received() const {
    const MutexLock lock(mutex_);
    return received_;
}

int HttpReceiver::connections() const {
    const MutexLock lock(mutex_);
    return static_cast<int>(links_.size());
}

std::string http_answer(int status, const std::string& body, const std::string& headers) {
    return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace belfry::test
