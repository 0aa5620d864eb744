#include "base/crypto/uuid.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>

namespace belfry {

namespace {

constexpr std::uint64_t kVariant = 0x8000'0000'0000'0000;

// The positions of the dashes.
constexpr bool is_dash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

std::optional<unsigned> hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

}  // namespace

std::string format_uuid(const Uuid& uuid) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text(36, '-');
    std::size_t at = 0;
    for (const auto half : {uuid.high, uuid.low}) {
        for (unsigned shift = 64; shift > 0; at += 2) {
            if (is_dash(at)) ++at;
            shift -= 8;
            text[at] = kHex[half >> (shift + 4U) & 0xFU];
            text[at + 1] = kHex[half >> shift & 0xFU];
        }
    }
    return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid uuid;
    unsigned digit = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_dash(at)) {
            if (text[at] != '-') return std::nullopt;
            continue;
        }
        const auto value = hex_value(text[at]);
        if (!value) return std::nullopt;
        auto& half = digit < 16 ? uuid.high : uuid.low;
        half = half << 4U | *value;
        ++digit;
    }
    return uuid;
}

Uuid stamp_uuid(Uuid bits, unsigned version) {
    bits.high = (bits.high & ~std::uint64_t{0xF000}) | std::uint64_t{version} << 12U;
    bits.low = (bits.low & ~(std::uint64_t{3} << 62U)) | kVariant;
    return bits;
}

std::string UuidMaker::make(Instant now) {
    const MutexLock lock(mutex_);
    const auto milliseconds = static_cast<std::uint64_t>(epoch_ms(now));
    // The 20 bits after the time count up within one millisecond, from a random start in their lower half.
    last_ = std::max(last_ + 1, milliseconds << 20U | (random_() & 0x7FFFFU));
    const auto counter = last_ & 0xFFFFFU;
    return format_uuid(
        stamp_uuid({(last_ >> 20U) << 16U | counter >> 8U, (counter & 0xFFU) << 54U | (random_() >> 10U)}, 7));
}

std::uint64_t system_random() {
    std::uint64_t bits = 0;
    // Without randomness ids are not safe, so the program ends.
    if (RAND_bytes(reinterpret_cast<unsigned char*>(&bits), sizeof bits) != 1) std::abort();
    return bits;
}

}  // namespace belfry
