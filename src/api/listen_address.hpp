// HOST:PORT, as a server is told where to listen. Pure.
#pragma once

#include <optional>
#include <string>

namespace belfry::api {

struct ListenAddress {
    std::string host;  // a name or an address, without brackets
    std::string port;
};

// Nothing when it is none: an IPv6 address needs brackets, a port is a number up to 65535.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace belfry::api
