#include "base/crypto/sha256.hpp"

#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

namespace belfry {

namespace {

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

// Fetched once, because OpenSSL looks up an algorithm by name, which takes longer than hashing a line of text.
std::string sha256_bytes(std::string_view text) {
    static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
    std::string digest(32, '\0');
    const bool hashed =
        EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1 &&
        EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1 &&
        EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
    // Audit chains and run ids depend on hashes, so the program cannot continue.
    if (!hashed) std::abort();
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
