// Whether a server may listen where it was told to: what others can reach asks everybody who they are. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::api::auth {

enum class AuthMode : std::uint8_t {
    automatic,  // required, but for a server on this machine with no key and no auth_file: there, everybody is its owner
    required,
    off,
};
[[nodiscard]] std::string_view name_of(AuthMode mode);
[[nodiscard]] Result<AuthMode> parse_auth_mode(std::string_view text);

// Whether only this machine can reach HOST or HOST:PORT: 127.0.0.0/8, ::1 and localhost. Other names are not looked up: what
// they mean may change.
[[nodiscard]] bool is_loopback_host(std::string_view host);
[[nodiscard]] bool is_loopback_listen(std::string_view listen);

struct Exposure {
    std::string listen;  // HOST:PORT
    AuthMode mode = AuthMode::automatic;
    bool auth_file = false;
    bool keys = false;  // there is an API key, or was one
};
// The error says what to do.
[[nodiscard]] Result<void> check_exposure(const Exposure& exposure);

}  // namespace belfry::api::auth
