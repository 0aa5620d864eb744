#include "api/http/gzip.hpp"

#include <array>

#include "base/text/gzip.hpp"

namespace belfry::api {

namespace {

constexpr int kLevel = 4;  // of 9: the last percent of size is not worth the time of a handler's thread

// Returns the part before the separator and removes it from the text.
std::string_view take_until(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

// RFC 9110, 12.4.2: 0, 0.5, 1.000. An invalid weight counts as 0, so that a client never gets an encoding that it did
// not request.
bool is_positive_weight(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1') || (text.size() > 1 && text[1] != '.'))
        return false;
    const auto digits = text.size() > 2 ? text.substr(2) : std::string_view();
    if (!std::ranges::all_of(digits, is_digit)) return false;
    const bool has_fraction = digits.find_first_not_of('0') != std::string_view::npos;
    return text[0] == '1' ? !has_fraction : has_fraction;
}

bool is_text(std::string_view content_type) {
    const auto type = lower_case(take_until(content_type, ';'));
    constexpr std::array<std::string_view, 5> kTypes{"application/json", "application/javascript", "application/xml",
                                                     "application/openmetrics-text", "image/svg+xml"};
    return type.starts_with("text/") || std::ranges::find(kTypes, type) != kTypes.end() ||
           (type.starts_with("application/") &&
            (type.ends_with("+json") || type.ends_with("+xml") || type.ends_with("yaml")));
}

Header* find(Response& response, std::string_view name) {
    const auto found = std::ranges::find_if(
        response.headers, [&](const Header& header) { return same_ignoring_case(header.first, name); });
    return found == response.headers.end() ? nullptr : &*found;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
    std::optional<bool> gzip;
    std::optional<bool> any;
    while (!accept_encoding.empty()) {
        auto element = take_until(accept_encoding, ',');
        const auto coding = take_until(element, ';');
        bool wanted = true;
        while (!element.empty()) {
            auto parameter = take_until(element, ';');
            const auto name = take_until(parameter, '=');
            if (same_ignoring_case(name, "q")) wanted = is_positive_weight(trimmed(parameter));
        }
        if (same_ignoring_case(coding, "gzip") || same_ignoring_case(coding, "x-gzip")) gzip = wanted;
        if (coding == "*") any = wanted;
    }
    return gzip.value_or(any.value_or(false));
}

void compress(const Request& request, Response& response) {
    if (response.next_chunk || response.body.size() < kCompressMin || !is_text(response.header("Content-Type")) ||
        !response.header("Content-Encoding").empty()) {
        return;
    }
    if (auto* const vary = find(response, "Vary")) {
        vary->second += ", Accept-Encoding";
    } else {
        response.headers.emplace_back("Vary", "Accept-Encoding");
    }
    if (!accepts_gzip(request.header("Accept-Encoding"))) return;
    // Without memory for it, the response is sent uncompressed.
    auto packed = gzipped(response.body, kLevel);
    if (!packed || packed->size() >= response.body.size()) return;
    response.body = std::move(*packed);
    response.headers.emplace_back("Content-Encoding", "gzip");
    if (auto* const tag = find(response, "ETag"); tag != nullptr && !tag->second.starts_with("W/"))
        tag->second.insert(0, "W/");
}

std::optional<Problem> refuse_encoded_body(const Request& request) {
    const auto encoding = trimmed(request.header("Content-Encoding"));
    if (request.body.empty() || encoding.empty() || same_ignoring_case(encoding, "identity")) return std::nullopt;
    return Problem{415,
                   "unsupported_encoding",
                   "Content-Encoding is " + in_quotes(encoding) + "; send the body without an encoding",
                   {}};
}

}  // namespace belfry::api
