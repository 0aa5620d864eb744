// Parses HOST:PORT, the address on which a server listens. Pure.
#pragma once

#include <optional>
#include <string>

namespace belfry::api {

struct ListenAddress {
    std::string host;  // a name or an address, without brackets
    std::string port;
};

// Returns nothing for an invalid text: an IPv6 address needs brackets, and a port is a number up to 65535.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace belfry::api
