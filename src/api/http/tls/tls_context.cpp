#include "api/http/tls/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text/enum_names.hpp"

namespace belfry::api {

namespace {

constexpr std::array kClientAuthNames{
    EnumName{ClientAuth::none, "none"},
    EnumName{ClientAuth::optional, "optional"},
    EnumName{ClientAuth::required, "required"},
};

// For TLS 1.2. All ciphers of TLS 1.3 are allowed.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
// Sessions are resumed inside one context only. OpenSSL requires a name for it when clients send certificates.
constexpr std::string_view kSessionContext = "belfry";

// Returns OpenSSL's last error, if it has a text, and clears the error queue.
std::string reason() {
    const auto code = ERR_peek_last_error();
    ERR_clear_error();
    const char* const text = ERR_reason_error_string(code);
    return text != nullptr ? text : "it cannot be used";
}

Error about(const std::string& file, const std::string& what) { return invalid("TLS: " + file + ": " + what); }

// OpenSSL's own messages for a missing file are hard to read.
std::optional<Error> check_readable(const std::string& file) {
    errno = 0;
    std::ifstream stream(file);
    if (stream.good() && stream.peek() != std::ifstream::traits_type::eof()) return std::nullopt;
    if (errno != 0) return about(file, std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): glibc's is safe
    return about(file, "the file is empty");
}

// No password is available: the server runs unattended.
int no_password(char*, int, int, void*) { return 0; }

// Selects HTTP/1.1, the only supported protocol. The handshake also succeeds if the client offers only others.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
    static constexpr std::array<unsigned char, 9> kHttp11{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    unsigned char* found = nullptr;
    const auto result = SSL_select_next_proto(&found, length, kHttp11.data(), kHttp11.size(), offered, offered_length);
    if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

std::optional<Error> use_certificate(SSL_CTX* context, const TlsOptions& options) {
    for (const auto& file : {options.certificate_file, options.key_file}) {
        if (auto error = check_readable(file)) return error;
    }
    if (SSL_CTX_use_certificate_chain_file(context, options.certificate_file.c_str()) != 1) {
        return about(options.certificate_file, "no certificate in PEM format: " + reason());
    }
    if (SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
        return about(options.key_file,
                     "no key for " + options.certificate_file + " in PEM format without a password: " + reason());
    }
    return std::nullopt;
}

std::optional<Error> use_client_authorities(SSL_CTX* context, const TlsOptions& options) {
    if (options.client_auth == ClientAuth::none) return std::nullopt;
    const auto& file = options.client_ca_file;
    if (file.empty())
        return invalid(
            "TLS: clients must send certificates, but no file has the authorities that may issue them; set the client "
            "CA file");
    if (auto error = check_readable(file)) return error;
    if (SSL_CTX_load_verify_file(context, file.c_str()) != 1)
        return about(file, "no certificates in PEM format: " + reason());
    // The list by which clients choose a certificate. The context owns it from then on.
    SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(file.c_str()));
    const bool required = options.client_auth == ClientAuth::required;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
    return std::nullopt;
}

bool set_rules(SSL_CTX* context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_default_passwd_cb(context, &no_password);
    SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, kCiphers) == 1 &&
           SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(kSessionContext.data()),
                                          static_cast<unsigned int>(kSessionContext.size())) == 1;
}

}  // namespace

Result<ClientAuth> parse_client_auth(std::string_view text) {
    return parse_name<ClientAuth>(kClientAuthNames, "client authentication", text);
}

Result<std::shared_ptr<TlsContext>> load_tls(const TlsOptions& options) {
    ERR_clear_error();
    auto* const native = SSL_CTX_new(TLS_server_method());
    if (native == nullptr) return Error{ErrorCode::unavailable, "TLS: " + reason()};
    auto context = std::make_shared<TlsContext>(native);  // owns it from here
    if (!set_rules(native)) return Error{ErrorCode::unavailable, "TLS: " + reason()};
    if (auto error = use_certificate(native, options)) return *error;
    if (auto error = use_client_authorities(native, options)) return *error;
    return context;
}

}  // namespace belfry::api
