// URLs that the server may be told to call: absolute http and https ones, in the one spelling that every program reads alike.
// What two programs could read differently is refused. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/address.hpp"
#include "base/result.hpp"

namespace belfry {

inline constexpr std::size_t kUrlBytesMax = 2'048;

struct Url {
    bool secure = false;                  // https
    std::string host;                     // in lower case; an IPv6 address without its brackets
    std::optional<Address> address = {};  // of a host that is a number
    std::uint16_t port = 0;
    std::string target = "/";  // path and query
    friend bool operator==(const Url&, const Url&) = default;
};

// No user or password, no fragment, no blanks, control characters or letters beyond ASCII; a host name in letters, digits and
// hyphens, an IPv4 address in four plain decimals, or an IPv6 address in brackets; a port from 1 to 65535.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

// The canonical text: always with its port unless it is the scheme's own.
[[nodiscard]] std::string format_url(const Url& url);
// `example.com:8080`, as Host says it.
[[nodiscard]] std::string authority_of(const Url& url);

}  // namespace belfry
