// Sends requests to a server on this machine as fast as it responds, on several persistent connections, and measures.
// The client does as little as possible: it writes bytes and finds the end of each response.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::bench {

// Returns the bytes of request `number` on one connection. Both count from 0, and no pair is used twice.
using RequestBytes = std::function<std::string(std::size_t connection, std::size_t number)>;

[[nodiscard]] std::string get_request(const std::string& target);
// The length of a whole request or response, once its head has arrived.
[[nodiscard]] std::optional<std::size_t> message_length(std::string_view message);
[[nodiscard]] std::string post_request(const std::string& target, const std::string& body);

struct LoadResult {
    double seconds = 0;
    std::vector<Micros> took;  // one entry per request
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

    // Sends on all connections for `time`. A response other than 2xx ends it with an error that shows the response.
    [[nodiscard]] Result<LoadResult> run(Micros time, const RequestBytes& request);

private:
    struct Connection;
    std::vector<Connection> connections_;
};

}  // namespace belfry::bench
