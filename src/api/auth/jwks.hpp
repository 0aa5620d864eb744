// JSON Web Key Sets (RFC 7517): the keys of an issuer by their `kid`. Pure.
//
// A set is read for one algorithm. Keys for something else are passed over, as the RFC asks: issuers publish several kinds
// side by side. When nothing usable is left, the error says why the first was not.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/auth/signature_key.hpp"

namespace belfry::api::auth {

inline constexpr std::size_t kJwksBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kJwksKeysMax = 100;
inline constexpr std::size_t kKidMax = 256;  // bytes

class KeySet {
public:
    // One key that has no name: a file that somebody chose by hand. It checks whatever `kid` a token names.
    explicit KeySet(SignatureKey only);
    // REQUIRES: at least one key. An empty name stands for a key without a `kid`.
    explicit KeySet(std::map<std::string, SignatureKey> by_kid) : keys_(std::move(by_kid)) {}

    // The key that a token of this `kid` must be signed with; null when there is none. A token without `kid` is fine where
    // there is only one key.
    [[nodiscard]] const SignatureKey* find(const std::optional<std::string>& kid) const;
    [[nodiscard]] std::size_t size() const { return keys_.size(); }

private:
    std::map<std::string, SignatureKey> keys_;
    bool nameless_ = false;
};

[[nodiscard]] Result<KeySet> parse_jwks(std::string_view text, JwtAlgorithm algorithm);

}  // namespace belfry::api::auth
