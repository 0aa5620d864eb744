// Asks a server on this machine as fast as it answers, on several connections that stay open, and measures. The client is
// as small as it can be: it writes bytes and looks for the end of an answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.hpp"
#include "base/result.hpp"

namespace belfry::app {

// The bytes of the n-th request of one connection; both are counted from 0 and never asked for twice.
using RequestBytes = std::function<std::string(std::size_t connection, std::size_t number)>;

[[nodiscard]] std::string get_request(const std::string& target);
// How long a whole request or answer is, once its head is there.
[[nodiscard]] std::optional<std::size_t> message_length(std::string_view message);
[[nodiscard]] std::string post_request(const std::string& target, const std::string& body);

struct LoadResult {
    double seconds = 0;
    std::vector<Micros> took;  // of every request
    void add(const LoadResult& other);
    [[nodiscard]] double per_second() const { return static_cast<double>(took.size()) / seconds; }
};

class HttpLoad {
public:
    // REQUIRES: a server listens on the port of 127.0.0.1.
    HttpLoad(unsigned short port, std::size_t connections);
    ~HttpLoad();
    HttpLoad(const HttpLoad&) = delete;
    HttpLoad& operator=(const HttpLoad&) = delete;

    // For that long on all connections at once. An answer that is not 2xx ends it with an error that shows it.
    [[nodiscard]] Result<LoadResult> run(Micros time, const RequestBytes& request);

private:
    struct Connection;
    std::vector<Connection> connections_;
};

}  // namespace belfry::app
