#include "api/http/listen_address.hpp"

#include "base/text/parse_integer.hpp"

namespace belfry::api {

std::optional<ListenAddress> parse_listen_address(const std::string& text) {
    constexpr std::int64_t kPortMax = 65'535;
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
    auto host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string::npos) {
        return std::nullopt;  // an IPv6 address without brackets: its last part is not a port
    }
    auto port = text.substr(colon + 1);
    const auto number = parse_integer(port);  // the resolver would take 99999 for another port
    if (!number || *number < 0 || *number > kPortMax) return std::nullopt;
    return ListenAddress{std::move(host), std::move(port)};
}

}  // namespace belfry::api
