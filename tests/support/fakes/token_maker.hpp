// An issuer of tokens for tests: makes keys with OpenSSL, signs whatever it is told to, right or wrong.
#pragma once

#include <string>

#include "api/auth/signature_key.hpp"

namespace belfry::test {

class TokenMaker {
public:
    // A fresh key pair; for HS256 a secret of 32 bytes.
    static TokenMaker hs256(std::string secret = "0123456789abcdef0123456789abcdef");
    static TokenMaker rs256(unsigned bits = 2048);
    static TokenMaker es256(const char* curve = "P-256");
    static TokenMaker eddsa();

    // Header and payload as JSON texts, signed.
    [[nodiscard]] std::string token(const std::string& header, const std::string& payload) const;
    // The signature of any text, as JWS writes it.
    [[nodiscard]] std::string sign(const std::string& text) const;

    [[nodiscard]] std::string public_pem() const;
    [[nodiscard]] std::string private_pem() const;
    // A JWK of the public key (or of the secret), with further members such as `"kid":"a"`.
    [[nodiscard]] std::string jwk(const std::string& more = {}) const;
    // The key that checks its tokens.
    [[nodiscard]] api::auth::SignatureKey checker() const;
    [[nodiscard]] api::auth::JwtAlgorithm algorithm() const { return algorithm_; }

private:
    TokenMaker(api::auth::JwtAlgorithm algorithm, EVP_PKEY* key, std::string secret)
        : algorithm_(algorithm), key_(key), secret_(std::move(secret)) {}
    [[nodiscard]] std::string number(const char* name, std::size_t bytes = 0) const;

    api::auth::JwtAlgorithm algorithm_;
    api::auth::KeyHandle key_;
    std::string secret_;
};

}  // namespace belfry::test
