#include "app/settings/setting_values.hpp"

#include "api/http/browser_guard.hpp"
#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"
#include "base/time/duration.hpp"

namespace belfry::app {

namespace {

constexpr std::int64_t kPortMax = 65'535;

// The position of the colon before the port; in `[::1]:8642` the other colons are inside the brackets.
std::size_t port_colon(std::string_view text) {
    const auto colon = text.rfind(':');
    const bool bracketed = text.starts_with('[');
    if (colon == std::string_view::npos || (bracketed && (colon == 0 || text[colon - 1] != ']')))
        return std::string_view::npos;
    if (!bracketed && text.find(':') != colon) return std::string_view::npos;
    return colon;
}

}  // namespace

Result<std::int64_t> read_whole(std::string_view text, WholeRange range) {
    const auto number = parse_integer(text);
    if (!number || *number < range.least || *number > range.most) {
        return invalid(in_quotes(text) + " is not a whole number from " + std::to_string(range.least) + " to " +
                       std::to_string(range.most));
    }
    return *number;
}

Result<Seconds> read_seconds(std::string_view text, Seconds least, Seconds most) {
    const auto duration = parse_duration(text);
    if (!duration) return duration.error();
    const auto seconds = std::chrono::floor<Seconds>(*duration);
    if (seconds != *duration || seconds < least || seconds > most) {
        return invalid(in_quotes(text) + ": use whole seconds from " + format_duration(least) + " to " +
                       format_duration(most));
    }
    return seconds;
}

Result<bool> read_switch(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    return invalid("must be true or false");
}

Result<std::string> read_listen(std::string_view text) {
    const auto colon = port_colon(text);
    const auto port = colon == std::string_view::npos ? std::nullopt : parse_integer(text.substr(colon + 1));
    const bool no_host = colon == 0 || text.starts_with("[]");
    if (!port || no_host || *port < 0 || *port > kPortMax)
        return invalid(in_quotes(text) + ": use HOST:PORT, for example 127.0.0.1:8642 or [::1]:8642");
    return std::string(text);
}

Result<std::vector<std::string>> read_names(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        auto name = text.substr(0, end);
        while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
        while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
        if (name.empty()) return invalid(in_quotes(text) + ": separate names with one comma");
        names.emplace_back(name);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

Result<std::vector<std::string>> read_origins(std::string_view text) {
    auto origins = read_names(text);
    if (!origins) return origins;
    for (const auto& origin : *origins) {
        if (auto checked = api::check_origin(origin); !checked) return checked.error();
    }
    return origins;
}

Result<bool> read_health_details(std::string_view text) {
    if (text == "open") return true;
    if (text == "auto") return false;
    return invalid("must be auto or open");
}

Result<std::string> read_store(std::string_view text) {
    constexpr std::string_view kSqlite = "sqlite:";
    const bool file = text.starts_with(kSqlite) && text.size() > kSqlite.size();
    if (file || text.starts_with("postgres://") || text.starts_with("postgresql://")) return std::string(text);
    // The message does not show the address, because a mistyped one may contain a password.
    return invalid("not a store: use sqlite:PATH or postgres://USER@HOST/DATABASE");
}

std::string without_password(std::string_view address) {
    const auto begin = address.find("://");
    if (begin == std::string_view::npos) return std::string(address);
    // Everything before the last @ may belong to the password, and so may a parameter.
    const auto query = address.find('?', begin);
    auto shown = std::string(address.substr(0, query));
    if (query != std::string_view::npos) shown += "?…";
    const auto at = shown.rfind('@');
    const auto colon = shown.find(':', begin + 3);
    if (at == std::string::npos || colon == std::string::npos || colon > at) return shown;
    return shown.substr(0, colon) + ":…" + shown.substr(at);
}

}  // namespace belfry::app
