// The settings for TLS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::api {

enum class ClientAuth : std::uint8_t {
    none,      // clients are not asked for a certificate
    optional,  // a certificate that a client sends must be valid
    required,  // no connection without a valid certificate
};
[[nodiscard]] Result<ClientAuth> parse_client_auth(std::string_view text);

struct TlsOptions {
    std::string certificate_file = {};  // PEM: the server's certificate, then those that lead to its authority
    std::string key_file = {};          // PEM, without a password
    std::string client_ca_file = {};    // PEM: the authorities that may issue client certificates
    ClientAuth client_auth = ClientAuth::none;
};

}  // namespace belfry::api
