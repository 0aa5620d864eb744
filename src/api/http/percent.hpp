// Percent-encoding (RFC 3986) and query strings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/text/percent_encode.hpp"

namespace belfry::api {

inline constexpr std::size_t kQueryParametersMax = 50;

// Rejects an invalid escape, and text that does not decode to UTF-8.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

using belfry::percent_encode;

// Parses `a=1&b=x%20y` in order. A plus sign is a blank, as in forms. An error's field names the parameter: `?b`.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace belfry::api
