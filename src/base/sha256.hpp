// SHA-256 as hexadecimal text, from OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace belfry {

[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace belfry
