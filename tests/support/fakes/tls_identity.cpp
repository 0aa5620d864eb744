#include "support/fakes/tls_identity.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace belfry::test {

TlsIdentity::TlsIdentity(const std::string& host)
    : key_(EVP_EC_gen("P-256")), certificate_(X509_new()), context_(SSL_CTX_new(TLS_server_method())) {
    auto* const certificate = certificate_.get();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    constexpr long kHour = 3600;
    X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour);
    X509_gmtime_adj(X509_getm_notAfter(certificate), kHour);
    X509_set_pubkey(certificate, key_.get());
    auto* const name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    auto* const names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, host.c_str());
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, key_.get(), EVP_sha256());
    SSL_CTX_use_certificate(context_.get(), certificate);
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());
}

std::string TlsIdentity::pem() const {
    BIO* const memory = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(memory, certificate_.get());
    char* data = nullptr;
    const auto size = BIO_get_mem_data(memory, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(memory);
    return text;
}

}  // namespace belfry::test
