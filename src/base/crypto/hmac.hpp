// HMAC with SHA-256 (RFC 2104), from OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace belfry {

[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);  // 32 bytes

}  // namespace belfry
