#include "api/auth/exposure.hpp"

#include <arpa/inet.h>

#include <array>

#include "base/text/ascii.hpp"
#include "base/text/enum_names.hpp"

namespace belfry::api::auth {

namespace {

constexpr std::array kModeNames{EnumName{AuthMode::automatic, "auto"}, EnumName{AuthMode::required, "required"},
                                EnumName{AuthMode::off, "off"}};

bool is_v4_loopback(std::uint32_t address) { return address >> 24U == 127U; }  // 127.0.0.0/8

}  // namespace

std::string_view name_of(AuthMode mode) { return canonical_name<AuthMode>(kModeNames, mode); }
Result<AuthMode> parse_auth_mode(std::string_view text) { return parse_name<AuthMode>(kModeNames, "mode", text); }

bool is_loopback_host(std::string_view host) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (same_ignoring_case(host, "localhost")) return true;
    const std::string text(host);
    if (text.find('\0') != std::string::npos) return false;
    in_addr v4{};
    if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return is_v4_loopback(ntohl(v4.s_addr));
    in6_addr v6{};
    return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

bool is_loopback_listen(std::string_view listen) { return is_loopback_host(listen.substr(0, listen.rfind(':'))); }

Result<void> check_exposure(const Exposure& exposure) {
    if (is_loopback_listen(exposure.listen) || exposure.mode == AuthMode::required) return {};
    const auto where = in_quotes(exposure.listen) + " is reachable from other machines, and ";
    constexpr auto kElse = ", or listen on 127.0.0.1, [::1] or localhost";
    if (exposure.mode == AuthMode::off)
        return invalid(where + "auth = off does not authenticate requests; set auth to required" + kElse);
    if (exposure.auth_file || exposure.keys) return {};
    return invalid(where + "no client could authenticate; create a first key with belfry token create, set auth_file" +
                   kElse);
}

}  // namespace belfry::api::auth
