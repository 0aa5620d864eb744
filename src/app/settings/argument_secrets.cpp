#include "app/settings/argument_secrets.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace belfry::app {

namespace {

constexpr std::string_view kHidden = "***";

struct Place {
    std::size_t begin = 0;
    std::size_t length = 0;
};

// The password after the user's name. Everything before the last @ may belong to it.
std::optional<Place> after_user(std::string_view text) {
    const auto scheme = text.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    const auto at = text.rfind('@');
    const auto colon = text.find(':', scheme + 3);
    if (at == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= at) return std::nullopt;
    return Place{colon + 1, at - colon - 1};
}

// The values of `password=` and `sslpassword=` in an address.
std::optional<Place> parameter(std::string_view text, std::size_t from) {
    constexpr std::string_view kName = "password=";
    if (text.find("://") == std::string_view::npos) return std::nullopt;
    const auto name = text.find(kName, from);
    if (name == std::string_view::npos) return std::nullopt;
    const auto begin = name + kName.size();
    return Place{begin, std::min(text.find('&', begin), text.size()) - begin};
}

std::string without_passwords(std::string text) {
    if (const auto place = after_user(text)) text.replace(place->begin, place->length, kHidden);
    for (auto place = parameter(text, 0); place; place = parameter(text, place->begin + kHidden.size())) {
        text.replace(place->begin, place->length, kHidden);
    }
    return text;
}

}  // namespace

bool has_password(std::string_view argument) { return after_user(argument) || parameter(argument, 0); }

bool hide_passwords(char* argument) {
    const auto length = std::strlen(argument);
    if (!has_password({argument, length})) return false;
    auto hidden = without_passwords({argument, length});
    hidden.resize(length, ' ');  // the argument cannot grow, and no byte of the password may remain
    std::ranges::copy(hidden, argument);
    return true;
}

}  // namespace belfry::app
