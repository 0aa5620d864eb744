#include "bench/http_load.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "base/text/parse_integer.hpp"

namespace belfry::bench {

namespace {

using std::chrono::steady_clock;

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kLength = "Content-Length: ";
constexpr std::size_t kChunk = std::size_t{64} << 10;

Error broken(const std::string& what) {
    return {ErrorCode::unavailable, "the connection to the measured server broke: " + what};
}

}  // namespace

std::optional<std::size_t> message_length(std::string_view message) {
    const auto end = message.find(kHeadEnd);
    if (end == std::string_view::npos) return std::nullopt;
    const auto at = message.substr(0, end).find(kLength);
    if (at == std::string_view::npos) return end + kHeadEnd.size();
    const auto digits = message.substr(at + kLength.size(), message.find('\r', at) - at - kLength.size());
    return end + kHeadEnd.size() + static_cast<std::size_t>(parse_integer(digits).value_or(0));
}

std::string get_request(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"; }

std::string post_request(const std::string& target, const std::string& body) {
    return "POST " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

void LoadResult::add(const LoadResult& other) {
    seconds += other.seconds;
    took.insert(took.end(), other.took.begin(), other.took.end());
}

struct HttpLoad::Connection {
    int socket = -1;
    std::size_t asked = 0;
    std::string answer = {};

    Result<void> ask(const std::string& request) {
        if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
            return broken("cannot write");
        answer.clear();
        std::optional<std::size_t> length;
        while (!length || answer.size() < *length) {
            const auto before = answer.size();
            answer.resize(before + kChunk);
            const auto got = ::recv(socket, answer.data() + before, kChunk, 0);
            answer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
            if (got <= 0) return broken("the server closed it");
            if (!length) length = message_length(answer);
        }
        if (!answer.starts_with("HTTP/1.1 2"))
            return Error{ErrorCode::unavailable, "the measured server responded " + answer};
        return {};
    }
};

HttpLoad::HttpLoad(unsigned short port, std::size_t connections) : connections_(connections) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    for (auto& each : connections_) {
        each.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ::setsockopt(each.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        // A failed connection shows at its first request.
        static_cast<void>(::connect(each.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    }
}

HttpLoad::~HttpLoad() {
    for (const auto& each : connections_) ::close(each.socket);
}

Result<LoadResult> HttpLoad::run(Micros time, const RequestBytes& request) {
    std::vector<LoadResult> results(connections_.size());
    std::vector<std::optional<Error>> errors(connections_.size());
    const auto began = steady_clock::now();
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            threads.emplace_back([&, i] {
                auto& connection = connections_[i];
                for (auto now = began; now - began < time && !errors[i];) {
                    const auto bytes = request(i, connection.asked++);
                    if (auto done = connection.ask(bytes); !done) errors[i] = done.error();
                    const auto after = steady_clock::now();
                    results[i].took.push_back(std::chrono::duration_cast<Micros>(after - now));
                    now = after;
                }
            });
        }
    }
    LoadResult all{.seconds = std::chrono::duration<double>(steady_clock::now() - began).count(), .took = {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (errors[i]) return *errors[i];
        all.took.insert(all.took.end(), results[i].took.begin(), results[i].took.end());
    }
    return all;
}

}  // namespace belfry::bench
