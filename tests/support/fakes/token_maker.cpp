#include "support/fakes/token_maker.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>

#include "base/text/base64.hpp"

namespace belfry::test {

using api::auth::JwtAlgorithm;
using api::auth::SignatureKey;

namespace {

const unsigned char* bytes_of(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string written(BIO* bio) {
    char* data = nullptr;
    const auto size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
}

std::string raw_signature(const std::string& der) {
    const auto* begin = bytes_of(der);
    ECDSA_SIG* const signature = d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size()));
    std::string raw(64, '\0');
    BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes_of(raw), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes_of(raw) + 32, 32);
    ECDSA_SIG_free(signature);
    return raw;
}

}  // namespace

TokenMaker TokenMaker::hs256(std::string secret) { return {JwtAlgorithm::hs256, nullptr, std::move(secret)}; }
TokenMaker TokenMaker::rs256(unsigned bits) { return {JwtAlgorithm::rs256, EVP_RSA_gen(bits), {}}; }
TokenMaker TokenMaker::es256(const char* curve) { return {JwtAlgorithm::es256, EVP_EC_gen(curve), {}}; }
TokenMaker TokenMaker::eddsa() { return {JwtAlgorithm::eddsa, EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), {}}; }

std::string TokenMaker::sign(const std::string& text) const {
    if (algorithm_ == JwtAlgorithm::hs256) {
        std::string mac(32, '\0');
        std::size_t size = 0;
        EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, secret_.data(), secret_.size(), bytes_of(text),
                  text.size(), bytes_of(mac), mac.size(), &size);
        return mac;
    }
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    EVP_DigestSignInit(context, nullptr, algorithm_ == JwtAlgorithm::eddsa ? nullptr : EVP_sha256(), nullptr,
                       key_.get());
    std::size_t size = 0;
    EVP_DigestSign(context, nullptr, &size, bytes_of(text), text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(context, bytes_of(signature), &size, bytes_of(text), text.size());
    EVP_MD_CTX_free(context);
    signature.resize(size);
    return algorithm_ == JwtAlgorithm::es256 ? raw_signature(signature) : signature;
}

std::string TokenMaker::token(const std::string& header, const std::string& payload) const {
    const auto text = to_base64url(header) + "." + to_base64url(payload);
    return text + "." + to_base64url(sign(text));
}

std::string TokenMaker::public_pem() const {
    BIO* const bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PUBKEY(bio, key_.get());
    return written(bio);
}

std::string TokenMaker::private_pem() const {
    BIO* const bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return written(bio);
}

std::string TokenMaker::number(const char* name, std::size_t bytes) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::string text(bytes == 0 ? static_cast<std::size_t>(BN_num_bytes(value)) : bytes, '\0');
    BN_bn2binpad(value, bytes_of(text), static_cast<int>(text.size()));
    BN_free(value);
    return to_base64url(text);
}

std::string TokenMaker::jwk(const std::string& more) const {
    const auto members = [&]() -> std::string {
        switch (algorithm_) {
            case JwtAlgorithm::hs256: return R"("kty":"oct","k":")" + to_base64url(secret_) + '"';
            case JwtAlgorithm::rs256:
                return R"("kty":"RSA","n":")" + number(OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
                       number(OSSL_PKEY_PARAM_RSA_E) + '"';
            case JwtAlgorithm::es256:
                return R"("kty":"EC","crv":"P-256","x":")" + number(OSSL_PKEY_PARAM_EC_PUB_X, 32) + R"(","y":")" +
                       number(OSSL_PKEY_PARAM_EC_PUB_Y, 32) + '"';
            case JwtAlgorithm::eddsa: break;
        }
        std::string raw(32, '\0');
        std::size_t size = raw.size();
        EVP_PKEY_get_raw_public_key(key_.get(), bytes_of(raw), &size);
        return R"("kty":"OKP","crv":"Ed25519","x":")" + to_base64url(raw) + '"';
    };
    return "{" + members() + (more.empty() ? "" : "," + more) + "}";
}

SignatureKey TokenMaker::checker() const {
    return algorithm_ == JwtAlgorithm::hs256 ? SignatureKey::from_secret(Secret(secret_)).value()
                                             : SignatureKey::from_pem(public_pem(), algorithm_).value();
}

}  // namespace belfry::test
