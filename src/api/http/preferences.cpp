#include "api/http/preferences.hpp"

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::api {

namespace {

std::string_view strong(std::string_view tag) { return tag.starts_with("W/") ? tag.substr(2) : tag; }

// Calls `each` with every element of a list in a header. Our own tags and preferences contain no comma.
template <typename Each>
bool any_element(std::string_view header, const Each& each) {
    while (!header.empty()) {
        const auto comma = std::min(header.find(','), header.size());
        if (each(trimmed(header.substr(0, comma)))) return true;
        header.remove_prefix(std::min(comma + 1, header.size()));
    }
    return false;
}

bool prefers_minimal(const Request& request) {
    return any_element(request.header("Prefer"), [](std::string_view preference) {
        const auto parameters = std::min(preference.find(';'), preference.size());
        return same_ignoring_case(trimmed(preference.substr(0, parameters)), "return=minimal");
    });
}

// Weak comparison, as RFC 9110 requires for reading.
bool has_it(std::string_view if_none_match, std::string_view tag) {
    return any_element(if_none_match, [tag](std::string_view one) { return one == "*" || strong(one) == strong(tag); });
}

}  // namespace

Result<std::optional<std::int64_t>> version_of(std::string_view if_match) {
    auto text = trimmed(if_match);
    if (text.empty() || text == "*") return std::optional<std::int64_t>();
    text = strong(text);
    if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    const auto version = parse_integer(text.substr(0, std::min(text.find('.'), text.size())));  // a revision may follow
    if (!version)
        return in_field(invalid(in_quotes(if_match) + R"( is not the ETag of a response, for example "3")"),
                        "If-Match");
    return version;
}

Response as_preferred(const Request& request, Response response) {
    const auto tag = response.header("ETag");
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (reads) {
        if (response.status != 200 || tag.empty() || !has_it(request.header("If-None-Match"), tag)) return response;
        return {304, {{"ETag", std::string(tag)}}, {}};
    }
    const bool found_elsewhere = !tag.empty() || !response.header("Location").empty();
    if (!found_elsewhere || response.status < 200 || response.status > 202 || !prefers_minimal(request))
        return response;
    std::erase_if(response.headers,
                  [](const Header& header) { return same_ignoring_case(header.first, "Content-Type"); });
    response.headers.emplace_back("Preference-Applied", "return=minimal");
    response.body.clear();
    if (response.status == 200) response.status = 204;
    return response;
}

Member if_match_header() {
    return {"If-Match", text(),
            "ETag of the version that the change is based on. If the resource has changed since, the response is 409."};
}
Member prefer_header() { return {"Prefer", text(), "`return=minimal` requests a response without a body."}; }
Member if_none_match_header() {
    return {"If-None-Match", text(), "ETag of a known version. If the resource has not changed, the response is 304."};
}

}  // namespace belfry::api
