// What TLS needs to be told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::api {

enum class ClientAuth : std::uint8_t {
    none,      // clients are not asked for a certificate
    optional,  // one that is shown must be good
    required,  // without a good one there is no connection
};
[[nodiscard]] Result<ClientAuth> parse_client_auth(std::string_view text);

struct TlsOptions {
    std::string certificate_file = {};  // PEM: the server's own, then those that lead to its authority
    std::string key_file = {};          // PEM, without a password
    std::string client_ca_file = {};    // PEM: the authorities whose client certificates are good
    ClientAuth client_auth = ClientAuth::none;
};

}  // namespace belfry::api
