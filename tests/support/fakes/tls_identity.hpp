// A certificate that vouches for itself, with its key, for servers in tests.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace belfry::test {

class TlsIdentity {
public:
    // For one host: `IP:127.0.0.1` or `DNS:localhost`.
    explicit TlsIdentity(const std::string& host);

    // As a client's file of authorities holds it.
    [[nodiscard]] std::string pem() const;
    [[nodiscard]] SSL_CTX* context() const { return context_.get(); }

private:
    struct Free {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
        void operator()(X509* certificate) const { X509_free(certificate); }
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    };
    std::unique_ptr<EVP_PKEY, Free> key_;
    std::unique_ptr<X509, Free> certificate_;
    std::unique_ptr<SSL_CTX, Free> context_;
};

}  // namespace belfry::test
