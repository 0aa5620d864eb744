#include "support/fakes/certificates.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>

#include "base/crypto/uuid.hpp"

namespace belfry::test {

namespace {

constexpr long kDaySeconds = 86'400;

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using X = std::unique_ptr<X509, Free>;

void need(bool done, const char* what) {
    if (done) return;
    std::fprintf(stderr, "cannot make a certificate: %s\n", what);
    std::abort();
}

Key new_key() {
    Key key(EVP_EC_gen("P-256"));
    need(key != nullptr, "key");
    return key;
}

template <typename Write>
std::string pem(Write write) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    need(write(bio.get()) == 1, "PEM");
    char* text = nullptr;
    const auto length = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(length)};
}

std::string pem_of(X509* certificate) {
    return pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}
std::string pem_of(EVP_PKEY* key) {
    return pem([&](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Free> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    need(extension != nullptr, value.c_str());
    X509_add_ext(certificate, extension.get(), -1);
}

// Good from yesterday for a week, so that no clock matters. `issuer`: null when it signs itself.
X new_certificate(const std::string& name, EVP_PKEY* key, X509* issuer) {
    X certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), system_random() >> 1U);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDaySeconds);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 7 * kDaySeconds);
    X509_set_pubkey(certificate.get(), key);
    auto* const subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(certificate.get(), issuer != nullptr ? X509_get_subject_name(issuer) : subject);
    return certificate;
}

}  // namespace

struct Authority::Keys {
    Key key = new_key();
    X certificate;
};

Authority::Authority(const std::string& name) : keys_(std::make_unique<Keys>()) {
    keys_->certificate = new_certificate(name, keys_->key.get(), nullptr);
    auto* const own = keys_->certificate.get();
    extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
    extend(own, own, NID_key_usage, "critical,keyCertSign");
    need(X509_sign(own, keys_->key.get(), EVP_sha256()) > 0, "signature");
    own_ = {pem_of(own), pem_of(keys_->key.get())};
}

Authority::~Authority() = default;

Certificate Authority::issue(const std::string& names) const {
    const auto key = new_key();
    auto* const issuer = keys_->certificate.get();
    const auto certificate = new_certificate("test", key.get(), issuer);
    extend(certificate.get(), issuer, NID_subject_alt_name, names);
    extend(certificate.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth");
    need(X509_sign(certificate.get(), keys_->key.get(), EVP_sha256()) > 0, "signature");
    return {pem_of(certificate.get()), pem_of(key.get())};
}

}  // namespace belfry::test
