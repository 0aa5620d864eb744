#include "api/auth/signature_key.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>

#include "base/crypto/sha256.hpp"
#include "base/text/enum_names.hpp"

namespace belfry::api::auth {

namespace {

constexpr std::array kNames{EnumName{JwtAlgorithm::hs256, "HS256"}, EnumName{JwtAlgorithm::rs256, "RS256"},
                            EnumName{JwtAlgorithm::es256, "ES256"}, EnumName{JwtAlgorithm::eddsa, "EdDSA"},
                            EnumName{JwtAlgorithm::eddsa, "Ed25519"}};  // RFC 9864 names the curve

template <typename T, void (*free_it)(T*)>
struct Free {
    void operator()(T* handle) const { free_it(handle); }
};
template <typename T, void (*free_it)(T*)>
using Handle = std::unique_ptr<T, Free<T, free_it>>;

void free_bio(BIO* bio) { BIO_free(bio); }

using Context = Handle<EVP_MD_CTX, EVP_MD_CTX_free>;
using KeyContext = Handle<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using Number = Handle<BIGNUM, BN_free>;
using Builder = Handle<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Handle<OSSL_PARAM, OSSL_PARAM_free>;
using Signature = Handle<ECDSA_SIG, ECDSA_SIG_free>;

// OpenSSL keeps its errors per thread; errors of a rejected key must not appear in another message.
struct ForgetErrors {
    ForgetErrors() = default;
    ForgetErrors(const ForgetErrors&) = delete;
    ForgetErrors& operator=(const ForgetErrors&) = delete;
    ~ForgetErrors() { ERR_clear_error(); }
};

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
Number number_of(std::string_view bytes) {
    return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

KeyHandle key_from(const char* type, OSSL_PARAM* params) {
    const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* key = nullptr;
    if (!context || params == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
        return {};
    }
    return KeyHandle(key);
}

// Converts r and s of 32 bytes each to the DER form that OpenSSL verifies. Empty when they do not fit.
std::string der_signature(std::string_view raw) {
    if (raw.size() != 2 * kEs256Half) return {};
    auto r = number_of(raw.substr(0, kEs256Half));
    auto s = number_of(raw.substr(kEs256Half));
    const Signature signature(ECDSA_SIG_new());
    if (!r || !s || !signature || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
    static_cast<void>(r.release());  // the signature owns them now
    static_cast<void>(s.release());
    std::string der(static_cast<std::size_t>(std::max(i2d_ECDSA_SIG(signature.get(), nullptr), 0)), '\0');
    auto* end = reinterpret_cast<unsigned char*>(der.data());
    return !der.empty() && i2d_ECDSA_SIG(signature.get(), &end) > 0 ? der : std::string();
}

bool verify_with(EVP_PKEY* key, const EVP_MD* hash, std::string_view text, std::string_view signature) {
    const ForgetErrors forget;
    const Context context(EVP_MD_CTX_new());
    return context && EVP_DigestVerifyInit(context.get(), nullptr, hash, nullptr, key) == 1 &&
           EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size()) == 1;
}

bool verify_hmac(const Secret& secret, std::string_view text, std::string_view signature) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    std::size_t size = 0;
    const auto key = secret.reveal();
    if (EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(), bytes_of(text), text.size(),
                  mac.data(), mac.size(), &size) == nullptr) {
        return false;
    }
    return same_secret({reinterpret_cast<const char*>(mac.data()), size}, signature);
}

bool is_p256(const EVP_PKEY* key) {
    std::array<char, 64> group{};
    std::size_t size = 0;
    return EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
           std::string_view(group.data(), size) == "prime256v1";
}

// The seven encodings, except for the sign, of points whose order divides eight. With such a key, a signature of zeros
// is valid for every eighth text or for all, and OpenSSL accepts them. In hexadecimal, with the sign cleared.
constexpr std::array<std::string_view, 7> kWeakEd25519{
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

bool is_weak_ed25519(const EVP_PKEY* key) {
    std::string raw(kEd25519Bytes, '\0');
    std::size_t size = raw.size();
    if (EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(raw.data()), &size) != 1 ||
        size != kEd25519Bytes)
        return true;
    raw.back() = static_cast<char>(raw.back() & 0x7F);
    return std::ranges::find(kWeakEd25519, to_hex(raw)) != kWeakEd25519.end();
}

Error unusable(const std::string& what) { return invalid(what); }

}  // namespace

std::string_view name_of(JwtAlgorithm algorithm) { return canonical_name<JwtAlgorithm>(kNames, algorithm); }
bool is_name_of(JwtAlgorithm algorithm, std::string_view name) {
    return std::ranges::any_of(kNames, [&](const auto& each) { return each.value == algorithm && each.name == name; });
}
Result<JwtAlgorithm> parse_jwt_algorithm(std::string_view text) {
    return parse_name<JwtAlgorithm>(kNames, "algorithm", text);
}

Result<SignatureKey> SignatureKey::from_secret(Secret secret) {
    if (secret.size() < kHmacKeyMin) {
        return unusable("the secret has " + std::to_string(secret.size()) + " bytes; HS256 needs at least " +
                        std::to_string(kHmacKeyMin));
    }
    return SignatureKey(JwtAlgorithm::hs256, {}, std::move(secret));
}

// Rejects a key that does not fit the algorithm once, here, instead of with every token.
Result<SignatureKey> SignatureKey::checked(KeyHandle key, JwtAlgorithm algorithm) {
    const auto wrong_kind = [&](const char* needed) {
        return unusable(std::string(name_of(algorithm)) + " needs " + needed);
    };
    switch (algorithm) {
        case JwtAlgorithm::hs256: return wrong_kind("a secret, not a public key");
        case JwtAlgorithm::rs256: {
            if (EVP_PKEY_is_a(key.get(), "RSA") != 1) return wrong_kind("an RSA key");
            const int bits = EVP_PKEY_get_bits(key.get());
            if (bits < kRsaBitsMin || bits > kRsaBitsMax) {
                return unusable("the RSA key has " + std::to_string(bits) + " bits; use " +
                                std::to_string(kRsaBitsMin) + " to " + std::to_string(kRsaBitsMax));
            }
            break;
        }
        case JwtAlgorithm::es256:
            if (EVP_PKEY_is_a(key.get(), "EC") != 1 || !is_p256(key.get()))
                return wrong_kind("an elliptic-curve key on P-256");
            break;
        case JwtAlgorithm::eddsa:
            if (EVP_PKEY_is_a(key.get(), "ED25519") != 1) return wrong_kind("an Ed25519 key");
            if (is_weak_ed25519(key.get()))
                return unusable("this Ed25519 key accepts signatures that anyone can forge");
            break;
    }
    const KeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
    if (!context || EVP_PKEY_public_check(context.get()) != 1)
        return unusable("the numbers are not those of a valid key");
    return SignatureKey(algorithm, std::move(key), {});
}

Result<SignatureKey> SignatureKey::from_pem(std::string_view pem, JwtAlgorithm algorithm) {
    const ForgetErrors forget;
    if (pem.find("PRIVATE KEY-----") != std::string_view::npos) {
        return unusable(
            "this is a private key; keep it with the issuer, and provide the public key: openssl pkey -in KEY -pubout");
    }
    const Handle<BIO, free_bio> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    KeyHandle key(bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr) : nullptr);
    if (!key) return unusable("there is no public key in PEM format, which begins with -----BEGIN PUBLIC KEY-----");
    return checked(std::move(key), algorithm);
}

Result<SignatureKey> SignatureKey::from_rsa(const std::string& modulus, const std::string& exponent) {
    const ForgetErrors forget;
    // Bounds the work of loading a key.
    if (modulus.size() > static_cast<std::size_t>(kRsaBitsMax) / 8 || exponent.size() > sizeof(std::uint64_t)) {
        return unusable("the numbers of the RSA key are too large");
    }
    const auto n = number_of(modulus);
    const auto e = number_of(exponent);
    const Builder builder(OSSL_PARAM_BLD_new());
    if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
        return unusable("the numbers of the RSA key are wrong");
    }
    const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
    auto key = key_from("RSA", params.get());
    if (!key) return unusable("the numbers of the RSA key are wrong");
    return checked(std::move(key), JwtAlgorithm::rs256);
}

Result<SignatureKey> SignatureKey::from_p256(const std::string& x, const std::string& y) {
    const ForgetErrors forget;
    if (x.size() != kEs256Half || y.size() != kEs256Half)
        return unusable("x and y of a P-256 key must have 32 bytes each");
    std::string point = '\x04' + x + y;  // uncompressed
    std::string group = "prime256v1";
    std::array<OSSL_PARAM, 3> params{
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size()),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
        OSSL_PARAM_construct_end()};
    auto key = key_from("EC", params.data());
    if (!key) return unusable("x and y are not a point on P-256");
    return checked(std::move(key), JwtAlgorithm::es256);
}

Result<SignatureKey> SignatureKey::from_ed25519(const std::string& x) {
    const ForgetErrors forget;
    if (x.size() != kEd25519Bytes) return unusable("x of an Ed25519 key must have 32 bytes");
    KeyHandle key(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, bytes_of(x), x.size()));
    if (!key) return unusable("x is not an Ed25519 key");
    return checked(std::move(key), JwtAlgorithm::eddsa);
}

bool SignatureKey::verify(std::string_view text, std::string_view signature) const {
    if (signature.empty()) return false;
    switch (algorithm_) {
        case JwtAlgorithm::hs256: return verify_hmac(secret_, text, signature);
        case JwtAlgorithm::rs256: return verify_with(key_.get(), EVP_sha256(), text, signature);
        case JwtAlgorithm::es256: return verify_with(key_.get(), EVP_sha256(), text, der_signature(signature));
        case JwtAlgorithm::eddsa: return verify_with(key_.get(), nullptr, text, signature);
    }
    return false;
}

}  // namespace belfry::api::auth
