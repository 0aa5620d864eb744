// Keys that verify signatures, for the four accepted algorithms of JWS. A key works with one algorithm only, so that a
// public key can never be used as a shared secret. Immutable, thread-safe.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/crypto/secret.hpp"
#include "base/result.hpp"

namespace belfry::api::auth {

enum class JwtAlgorithm : std::uint8_t { hs256, rs256, es256, eddsa };

[[nodiscard]] std::string_view name_of(JwtAlgorithm algorithm);  // `HS256`, as in a token
// Whether a token or a key may call the algorithm so: `EdDSA` has a second name, `Ed25519` (RFC 9864).
[[nodiscard]] bool is_name_of(JwtAlgorithm algorithm, std::string_view name);
[[nodiscard]] Result<JwtAlgorithm> parse_jwt_algorithm(std::string_view text);

inline constexpr std::size_t kHmacKeyMin = 32;    // bytes; RFC 7518, 3.2: at least the size of the hash
inline constexpr int kRsaBitsMin = 2048;          // RFC 7518, 3.3
inline constexpr int kRsaBitsMax = 8192;          // a larger one only makes verification slow
inline constexpr std::size_t kEs256Half = 32;     // bytes of r, and of s
inline constexpr std::size_t kEd25519Bytes = 32;  // of a public key

struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeKey>;

class SignatureKey {
public:
    // Uses the bytes unchanged. Rejects a secret that is too short.
    [[nodiscard]] static Result<SignatureKey> from_secret(Secret secret);
    // Reads `-----BEGIN PUBLIC KEY-----`. Rejects a private key, because a server that only verifies must not have it.
    [[nodiscard]] static Result<SignatureKey> from_pem(std::string_view pem, JwtAlgorithm algorithm);
    // The numbers of a JWK, as big-endian bytes.
    [[nodiscard]] static Result<SignatureKey> from_rsa(const std::string& modulus, const std::string& exponent);
    [[nodiscard]] static Result<SignatureKey> from_p256(const std::string& x, const std::string& y);
    [[nodiscard]] static Result<SignatureKey> from_ed25519(const std::string& x);

    [[nodiscard]] JwtAlgorithm algorithm() const { return algorithm_; }

    // Whether `signature` is valid for `text`. It has the form of JWS: r and s side by side for ES256.
    [[nodiscard]] bool verify(std::string_view text, std::string_view signature) const;

private:
    SignatureKey(JwtAlgorithm algorithm, KeyHandle key, Secret secret)
        : algorithm_(algorithm), key_(std::move(key)), secret_(std::move(secret)) {}
    [[nodiscard]] static Result<SignatureKey> checked(KeyHandle key, JwtAlgorithm algorithm);

    JwtAlgorithm algorithm_;
    KeyHandle key_;  // null for HS256
    Secret secret_;  // only for HS256
};

}  // namespace belfry::api::auth
