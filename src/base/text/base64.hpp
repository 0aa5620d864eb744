// Bytes as text (RFC 4648). Strict: the same bytes have exactly one text, and no character is skipped. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belfry {

[[nodiscard]] std::string to_base64(std::string_view bytes);     // `+`, `/`, padded with `=`
[[nodiscard]] std::string to_base64url(std::string_view bytes);  // `-`, `_`, not padded

// Empty for any other character, wrong padding, or bits that no encoder writes.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);
[[nodiscard]] std::optional<std::string> from_hex(std::string_view text);  // either case

}  // namespace belfry
