#include "brokers/connection_url.hpp"

#include <algorithm>

#include "base/net/url.hpp"
#include "base/text/ascii.hpp"

namespace belfry::brokers {

namespace {

Error unreadable() {
    return invalid(
        "the URL cannot be read: write it as redis://user:password@host:port, with special characters of the password "
        "percent-encoded");
}

int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    const char lower = to_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decode(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\0') return std::nullopt;  // the brokers' libraries would stop reading here
        if (text[i] != '%') {
            decoded.push_back(text[i]);
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_value(text[i + 1]);
        const int low = hex_value(text[i + 2]);
        if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
        decoded.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return decoded;
}

// For parts that are also displayed: control characters and invalid UTF-8 would look like something else.
std::optional<std::string> decode_shown(std::string_view text) {
    auto decoded = decode(text);
    if (decoded && visible(*decoded) != *decoded) return std::nullopt;
    return decoded;
}

Result<void> set_user(std::string_view text, ConnectionUrl& url) {
    const auto colon = text.find(':');
    auto user = decode_shown(text.substr(0, colon));
    auto password = decode(colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
    if (!user || !password) return unreadable();
    url.user = std::move(*user);
    url.password = Secret(std::move(*password));
    return {};
}

bool has_port(std::string_view authority) {
    const auto colon = authority.rfind(':');
    return colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
}

}  // namespace

Result<ConnectionUrl> parse_connection_url(std::string_view text) {
    const auto begin = text.find("://");
    if (text.size() > kUrlBytesMax || begin == std::string_view::npos || std::ranges::count(text, '@') > 1)
        return unreadable();
    ConnectionUrl url{.scheme = lower_case(text.substr(0, begin)), .host = {}};
    if (!std::ranges::all_of(url.scheme, is_alpha)) return unreadable();
    auto rest = text.substr(begin + 3);
    const auto at = rest.find('@');
    if (at != std::string_view::npos) {
        if (rest.substr(0, at).find_first_of("/?#") != std::string_view::npos) return unreadable();
        if (auto set = set_user(rest.substr(0, at), url); !set) return set.error();
        rest.remove_prefix(at + 1);
    }
    if (rest.find_first_of("?#") != std::string_view::npos)
        return invalid("a broker's URL has no query and no fragment: use options instead");

    const auto slash = std::min(rest.find('/'), rest.size());
    const auto place = parse_url("http://" + std::string(rest.substr(0, slash)) + "/");
    if (!place) return place.error();
    url.host = place->host;
    if (has_port(rest.substr(0, slash))) url.port = place->port;
    auto path = decode_shown(rest.substr(std::min(slash + 1, rest.size())));
    if (!path) return unreadable();
    url.path = std::move(*path);
    return url;
}

}  // namespace belfry::brokers
