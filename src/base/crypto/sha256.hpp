// SHA-256, from OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace belfry {

[[nodiscard]] std::string sha256_bytes(std::string_view text);  // 32 bytes
[[nodiscard]] std::string sha256_hex(std::string_view text);    // 64 digits, lower case
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace belfry
