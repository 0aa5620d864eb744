// Rejecting control characters prevents injection into line and header protocols. Pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace belfry::brokers {

[[nodiscard]] inline bool has_control_characters(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace belfry::brokers
