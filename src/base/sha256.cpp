#include "base/sha256.hpp"

#include <openssl/sha.h>

namespace belfry {

std::string sha256_bytes(std::string_view text) {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    // OpenSSL hashes bytes; a text is bytes.
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), reinterpret_cast<unsigned char*>(digest.data()));
    return digest;
}

std::string sha256_hex(std::string_view text) { return to_hex(sha256_bytes(text)); }

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += kDigits[byte >> 4U];
        hex += kDigits[byte & 15U];
    }
    return hex;
}

}  // namespace belfry
