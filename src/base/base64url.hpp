// base64url without padding (RFC 4648, section 5), as JOSE writes it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belfry {

[[nodiscard]] std::string base64url_encode(std::string_view bytes);

// Only the one text that base64url_encode would write: no padding, no blanks, no other alphabet, and no bits that are left
// over. Otherwise one signed thing would have many texts.
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace belfry
