#include "base/crypto/hmac.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

namespace belfry {

std::string hmac_sha256(std::string_view key, std::string_view text) {
    std::string digest(32, '\0');
    // A null key would reuse the key of the previous call.
    const auto* const key_bytes = key.empty() ? "" : key.data();
    const auto* const made =
        HMAC(EVP_sha256(), key_bytes, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
             text.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
    if (made == nullptr) std::abort();  // fails only without memory
    return digest;
}

}  // namespace belfry
