// Splits a broker's URL: scheme://user:password@host:port/path. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/secret.hpp"
#include "base/result.hpp"

namespace belfry::brokers {

struct ConnectionUrl {
    std::string scheme;  // in lower case
    std::string user = {};
    Secret password = {};
    std::string host;
    std::optional<std::uint16_t> port = {};
    std::string path = {};  // decoded, without the leading slash
};

// Host and port follow the rules of base/net/url.hpp. A query or a fragment is an error. Messages never repeat text
// that could be part of a password: without percent-encoding, a password can look like any other part of the URL.
[[nodiscard]] Result<ConnectionUrl> parse_connection_url(std::string_view text);

}  // namespace belfry::brokers
