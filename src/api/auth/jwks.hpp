// JSON Web Key Sets (RFC 7517): the keys of an issuer by their `kid`. Pure.
//
// A set is read for one algorithm. Keys for other purposes are ignored, as the RFC requires, because issuers publish
// several kinds in one set. If no usable key is left, the error states why the first was not usable.
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
    // One key without a name, from a file that the operator chose. It verifies tokens with any `kid`.
    explicit KeySet(SignatureKey only);
    // REQUIRES: at least one key. An empty name stands for a key without a `kid`.
    explicit KeySet(std::map<std::string, SignatureKey> by_kid) : keys_(std::move(by_kid)) {}

    // Returns the key that must have signed a token with this `kid`, or null. A token without a `kid` is accepted if
    // there is only one key.
    [[nodiscard]] const SignatureKey* find(const std::optional<std::string>& kid) const;
    [[nodiscard]] std::size_t size() const { return keys_.size(); }

private:
    std::map<std::string, SignatureKey> keys_;
    bool nameless_ = false;
};

[[nodiscard]] Result<KeySet> parse_jwks(std::string_view text, JwtAlgorithm algorithm);

}  // namespace belfry::api::auth
