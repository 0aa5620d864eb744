// Percent-encoding (RFC 3986) of a part of a URL. Pure.
#pragma once

#include <string>
#include <string_view>

namespace belfry {

// Escapes everything but letters, digits and `-._~`.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace belfry
