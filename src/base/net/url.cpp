#include "base/net/url.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry {

namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::int64_t kPortMax = 65'535;
constexpr std::size_t kNameMax = 253;  // RFC 1035, without the last dot
constexpr std::size_t kLabelMax = 63;

bool is_graphic(char c) { return c > ' ' && c < '\x7f'; }

bool is_hex(char c) { return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f'); }

// 127, 0x7f, 0: spellings that old resolvers accept as a part of an IPv4 address.
bool is_number(std::string_view label) {
    if (label.starts_with("0x")) return std::ranges::all_of(label.substr(2), is_hex);
    return !label.empty() && std::ranges::all_of(label, is_digit);
}

bool is_label(std::string_view label) {
    const auto fits = [](char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '_'; };
    return !label.empty() && label.size() <= kLabelMax && std::ranges::all_of(label, fits) && label.front() != '-' &&
           label.back() != '-';
}

// The part between `//` and the path, found by hand: Boost.URL 1.81 ends it early if the text after an address or a
// port is neither `/` nor `?`, so that `http://127.0.0.1.example.com/` would have the host 127.0.0.1.
std::string_view authority_in(std::string_view text) {
    const auto begin = text.find("//") + 2;
    return text.substr(begin, std::min(text.find_first_of("/?#", begin), text.size()) - begin);
}

// Some programs read a name whose last part is a number as an IPv4 address: `127.1`, `2130706433`, `0x7f.0.0.1`,
// `1.2.3.4.5`.
Result<void> check_name(std::string_view name) {
    if (name.size() > kNameMax)
        return invalid("the host name is longer than " + std::to_string(kNameMax) + " characters");
    std::string_view label;
    for (std::size_t begin = 0; begin <= name.size();) {
        const auto end = std::min(name.find('.', begin), name.size());
        label = name.substr(begin, end - begin);
        if (!is_label(label))
            return invalid("the host " + in_quotes(name) +
                           " is not a name: use letters, digits and hyphens, separated by single dots");
        begin = end + 1;
    }
    if (is_number(label)) {
        return invalid("the host " + in_quotes(name) +
                       " looks like an IPv4 address: write it as four decimal numbers without leading zeros, for "
                       "example 192.0.2.1");
    }
    return {};
}

Result<void> set_host(const boost::urls::url_view& view, Url& url) {
    const std::string_view encoded = view.encoded_host();
    if (encoded.empty()) return invalid("the URL has no host");
    if (encoded.find('%') != std::string_view::npos) return invalid("the host must not be percent-encoded");
    url.host = lower_case(encoded);
    if (url.host.front() == '[') {
        url.host = url.host.substr(1, url.host.size() - 2);
        url.address = parse_address(url.host);
        if (!url.address || url.address->is_v4)
            return invalid("the host " + in_quotes(encoded) + " is not an IPv6 address");
        url.host = format_address(*url.address);
        return {};
    }
    url.address = parse_address(url.host);
    return url.address ? Result<void>() : check_name(url.host);
}

Result<void> set_port(const boost::urls::url_view& view, Url& url) {
    url.port = url.secure ? kHttpsPort : kHttpPort;
    if (!view.has_port()) return {};
    const std::string_view text = view.port();
    const auto number = parse_integer(text);
    if (!number || *number < 1 || *number > kPortMax || text.front() == '0') {
        return invalid("the port " + in_quotes(text) + " is not a number from 1 to " + std::to_string(kPortMax));
    }
    url.port = static_cast<std::uint16_t>(*number);
    return {};
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
    if (text.size() > kUrlBytesMax) return invalid("a URL has at most " + std::to_string(kUrlBytesMax) + " bytes");
    const auto odd = std::ranges::find_if_not(text, is_graphic);
    if (odd != text.end()) {
        return invalid(
            "a URL must not contain blanks, control characters or non-ASCII letters: percent-encode them, and write a "
            "host name as xn--…",
            {static_cast<std::size_t>(odd - text.begin()) + 1, 1});
    }
    const auto view = boost::urls::parse_uri(boost::urls::string_view(text.data(), text.size()));
    if (view.has_error())
        return invalid(in_quotes(text) + " is not a URL: use a form such as https://example.com/path");
    Url url;
    const auto scheme = lower_case(std::string_view(view->scheme()));
    if (scheme != "http" && scheme != "https")
        return invalid("the scheme " + in_quotes(scheme) + " cannot be called: use http or https");
    url.secure = scheme == "https";
    if (!view->has_authority()) return invalid("the URL has no host: use a form such as https://example.com/path");
    if (std::string_view(view->encoded_authority()) != authority_in(text))
        return invalid(in_quotes(text) + " is not a URL: the text after its host is neither a port nor a path");
    if (view->has_userinfo()) return invalid("a URL must not contain a user name or a password");
    if (view->has_fragment()) return invalid("a URL to call has no fragment: remove the part after #");
    if (auto host = set_host(*view, url); !host) return host.error();
    if (auto port = set_port(*view, url); !port) return port.error();
    url.target = std::string(std::string_view(view->encoded_target()));
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
    return url;
}

std::string authority_of(const Url& url) {
    const bool is_v6 = url.address && !url.address->is_v4;
    const auto host = is_v6 ? "[" + url.host + "]" : url.host;
    return url.port == (url.secure ? kHttpsPort : kHttpPort) ? host : host + ":" + std::to_string(url.port);
}

std::string format_url(const Url& url) {
    return (url.secure ? "https://" : "http://") + authority_of(url) + url.target;
}

std::string receiver_of(const std::string& url) {
    const auto parsed = parse_url(url);
    return parsed ? authority_of(*parsed) : url;
}

}  // namespace belfry
