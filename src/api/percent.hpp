// Percent-encoding (RFC 3986) and query strings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry::api {

inline constexpr std::size_t kQueryParametersMax = 50;

// Refuses a broken escape and what does not decode to UTF-8.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

// Everything but letters, digits and `-._~` is escaped.
[[nodiscard]] std::string percent_encode(std::string_view text);

// `a=1&b=x%20y` in its order; a plus sign is a blank, as forms write it. An error's field names the parameter: `?b`.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace belfry::api
