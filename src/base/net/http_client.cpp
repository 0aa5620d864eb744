#include "base/net/http_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry {

namespace {

constexpr std::size_t kHeaderMax = 8'192;  // bytes of one header, a common limit of servers

constexpr std::array<std::string_view, 15> kOurs{"host",
                                                 "authorization",
                                                 "content-length",
                                                 "transfer-encoding",
                                                 "connection",
                                                 "keep-alive",
                                                 "te",
                                                 "trailer",
                                                 "upgrade",
                                                 "expect",
                                                 "cookie",
                                                 "forwarded",
                                                 "accept-encoding",
                                                 "user-agent",
                                                 "idempotency-key"};
constexpr std::array<std::string_view, 4> kOurPrefixes{"webhook-", "belfry-", "proxy-", "x-forwarded-"};

bool is_token(std::string_view name) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [&](char c) {
        return is_alpha(c) || is_digit(c) || kMarks.find(c) != std::string_view::npos;
    });
}

bool is_value(std::string_view value) {
    return std::ranges::none_of(
        value, [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; });
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &HttpHeader::first);
    return found == headers.end() ? std::string_view() : found->second;
}

std::optional<Micros> retry_after(const HttpAnswer& answer, Instant now) {
    constexpr std::int64_t kSecondsMax = 366 * 86'400;  // a longer time is surely a mistake
    const std::string text(answer.header("retry-after"));
    if (text.empty()) return std::nullopt;
    if (const auto seconds = parse_integer(text)) return Seconds(std::clamp<std::int64_t>(*seconds, 0, kSecondsMax));
    const auto date = curl_getdate(text.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    return Seconds(std::clamp<std::int64_t>(date - epoch_s(now), 0, kSecondsMax));
}

Result<void> check_header(const HttpHeader& header) {
    if (!is_token(header.first)) return invalid(in_quotes(header.first) + " is not the name of a header");
    if (!is_value(header.second)) return invalid("the header " + header.first + " has control characters in its value");
    if (header.first.size() + header.second.size() > kHeaderMax)
        return invalid("the header " + header.first + " is longer than " + std::to_string(kHeaderMax) + " bytes");
    return {};
}

Result<void> check_caller_headers(std::span<const HttpHeader> headers) {
    for (const auto& header : headers) {
        if (auto checked = check_header(header); !checked) return checked;
        const auto name = lower_case(header.first);
        const bool ours =
            std::ranges::find(kOurs, name) != kOurs.end() ||
            std::ranges::any_of(kOurPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
        if (ours) return invalid("the header " + header.first + " is set by the server: remove it");
    }
    return {};
}

}  // namespace belfry
