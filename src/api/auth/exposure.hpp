// Decides whether a server may listen on an address: a server that other machines can reach must authenticate requests.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::api::auth {

enum class AuthMode : std::uint8_t {
    // Required, except for a server on this machine without a key and an auth_file, where every caller is the owner.
    automatic,
    required,
    off,
};
[[nodiscard]] std::string_view name_of(AuthMode mode);
[[nodiscard]] Result<AuthMode> parse_auth_mode(std::string_view text);

// Whether only this machine can reach HOST or HOST:PORT: 127.0.0.0/8, ::1 and localhost. Other names are not resolved,
// because their addresses may change.
[[nodiscard]] bool is_loopback_host(std::string_view host);
[[nodiscard]] bool is_loopback_listen(std::string_view listen);

struct Exposure {
    std::string listen;  // HOST:PORT
    AuthMode mode = AuthMode::automatic;
    bool auth_file = false;
    bool keys = false;  // there is an API key, or was one
};
// The error states the fix.
[[nodiscard]] Result<void> check_exposure(const Exposure& exposure);

}  // namespace belfry::api::auth
