#include "api/http/request_id.hpp"

namespace belfry::api {

namespace {

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}
bool is_id(std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos; }

}  // namespace

std::string request_id_of(const Request& request) {
    return visible(storable(whole_characters(request.header("X-Request-Id"), kRequestIdMax)));
}

bool is_traceparent(std::string_view text) {
    constexpr std::size_t kLength = 55;
    if (text.size() < kLength || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
    const auto version = text.substr(0, 2);
    if (!is_hex(version) || version == "ff" || !is_id(text.substr(3, 32)) || !is_id(text.substr(36, 16)) ||
        !is_hex(text.substr(53, 2)))
        return false;
    // Later versions may have more parts; this one does not.
    return text.size() == kLength || (version != "00" && text[kLength] == '-');
}

}  // namespace belfry::api
