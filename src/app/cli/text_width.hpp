// The number of terminal columns of a UTF-8 text, for the narrow characters that Belfry prints. Pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace belfry::app {

[[nodiscard]] inline std::size_t text_width(std::string_view text) {
    // Every byte except a continuation byte starts a character.
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace belfry::app
