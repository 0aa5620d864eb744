// A hash that must never change: its results are durable, so all versions of the program must agree on it. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace belfry {

// FNV-1a over the text and the number, finished with MurmurHash3's mixer so that every bit counts. Not for secrets.
[[nodiscard]] constexpr std::uint64_t stable_hash(std::string_view text, std::int64_t number) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (const char c : text) add(static_cast<unsigned char>(c));
    for (int shift = 0; shift < 64; shift += 8)
        add(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> shift));
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
    return hash ^ (hash >> 33);
}

}  // namespace belfry
