// The URL of a broker in its parts: scheme://user:password@host:port/path. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/secret.hpp"

namespace belfry::brokers {

struct ConnectionUrl {
    std::string scheme;  // in lower case
    std::string user = {};
    Secret password = {};
    std::string host;
    std::optional<std::uint16_t> port = {};
    std::string path = {};  // decoded, without its first slash
};

// Host and port under the rules of base/url.hpp. No query and no fragment. Errors repeat nothing that could be a part of a password:
// one whose special characters are not percent-encoded can look like anything.
[[nodiscard]] Result<ConnectionUrl> parse_connection_url(std::string_view text);

}  // namespace belfry::brokers
