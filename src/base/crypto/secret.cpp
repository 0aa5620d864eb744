#include "base/crypto/secret.hpp"

#include <openssl/crypto.h>

#include <utility>

namespace belfry {

// The compiler may drop writes to memory that is about to be freed; OPENSSL_cleanse prevents that.
Secret::Secret(std::string text) : bytes_(text.begin(), text.end()) { OPENSSL_cleanse(text.data(), text.size()); }

Secret::~Secret() { wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe();
        bytes_ = std::exchange(other.bytes_, {});
    }
    return *this;
}

void Secret::wipe() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

bool same_secret(std::string_view a, std::string_view b) {
    return !a.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace belfry
