#include "support/servers/tls_client.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/crypto/sha256.hpp"

namespace belfry::test {

namespace {

struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* session) const { SSL_free(session); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::unique_ptr<BIO, Free> memory_of(const std::string& text) {
    return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::unique_ptr<X509, Free> certificate_of(const std::string& pem) {
    return std::unique_ptr<X509, Free>(PEM_read_bio_X509(memory_of(pem).get(), nullptr, nullptr, nullptr));
}

}  // namespace

struct TlsClient::Tls {
    std::unique_ptr<SSL_CTX, Free> context{SSL_CTX_new(TLS_client_method())};
    std::unique_ptr<SSL, Free> session;
};

TlsClient::TlsClient(unsigned short port, const TlsClientOptions& options)
    : HttpClient(port), tls_(std::make_unique<Tls>()) {
    auto* const context = tls_->context.get();
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate_of(options.authority).get());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_security_level(context, 0);  // old versions are for the server to refuse
    if (options.version_max != 0) SSL_CTX_set_max_proto_version(context, options.version_max);
    if (!options.certificate.certificate.empty()) {
        SSL_CTX_use_certificate(context, certificate_of(options.certificate.certificate).get());
        const std::unique_ptr<EVP_PKEY, Free> key(
            PEM_read_bio_PrivateKey(memory_of(options.certificate.key).get(), nullptr, nullptr, nullptr));
        SSL_CTX_use_PrivateKey(context, key.get());
    }
    tls_->session.reset(SSL_new(context));
    SSL_set_fd(tls_->session.get(), socket());
    SSL_set1_host(tls_->session.get(), "localhost");
    connected_ = SSL_connect(tls_->session.get()) == 1;
    ERR_clear_error();
}

TlsClient::~TlsClient() = default;

std::string TlsClient::version() const { return SSL_get_version(tls_->session.get()); }

std::string TlsClient::server_serial() const {
    const std::unique_ptr<X509, Free> certificate(SSL_get1_peer_certificate(tls_->session.get()));
    if (!certificate) return {};
    const auto* const serial = X509_get0_serialNumber(certificate.get());
    return to_hex({reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
                   static_cast<std::size_t>(ASN1_STRING_length(serial))});
}

long TlsClient::write_some(std::string_view bytes) {
    return SSL_write(tls_->session.get(), bytes.data(), static_cast<int>(bytes.size()));
}

long TlsClient::read_some(std::string& into) {
    const auto got = SSL_read(tls_->session.get(), into.data(), static_cast<int>(into.size()));
    ERR_clear_error();
    return got;
}

}  // namespace belfry::test
