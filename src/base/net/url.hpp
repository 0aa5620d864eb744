// URLs that the server may call: absolute http and https URLs, in the one spelling that all programs read alike.
// Spellings that two programs could read differently are rejected. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/net/address.hpp"
#include "base/result.hpp"

namespace belfry {

inline constexpr std::size_t kUrlBytesMax = 2'048;

struct Url {
    bool secure = false;                  // https
    std::string host;                     // in lower case; an IPv6 address without its brackets
    std::optional<Address> address = {};  // if the host is an IP address
    std::uint16_t port = 0;
    std::string target = "/";  // path and query
    friend bool operator==(const Url&, const Url&) = default;
};

// Accepts no user or password, no fragment, no blanks, control characters or non-ASCII letters. The host is a name of
// letters, digits and hyphens, an IPv4 address in four plain decimals, or an IPv6 address in brackets; the port is 1 to
// 65535.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

// The canonical text: with the port unless it is the scheme's default.
[[nodiscard]] std::string format_url(const Url& url);
// `example.com:8080`, as in the Host header.
[[nodiscard]] std::string authority_of(const Url& url);
// The machine behind a URL, for fair shares between receivers: its authority, or the text itself if it is not a URL.
[[nodiscard]] std::string receiver_of(const std::string& url);

}  // namespace belfry
