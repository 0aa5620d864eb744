// Names of enumerators as data. The first name of a value is canonical; further ones are aliases that are parsed but
// never written. Pure.
#pragma once

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/text/ascii.hpp"

namespace belfry {

template <typename Enum>
struct EnumName {
    Enum value;
    std::string_view name;
};
template <typename Enum>
EnumName(Enum, const char*) -> EnumName<Enum>;

template <typename Enum>
[[nodiscard]] constexpr std::string_view canonical_name(std::span<const EnumName<Enum>> names, Enum value) {
    const auto found = std::ranges::find(names, value, &EnumName<Enum>::value);
    assert(found != names.end());
    return found->name;
}

// The value of a canonical name or an alias. `what` names the field in the error, which lists the canonical names.
template <typename Enum>
[[nodiscard]] Result<Enum> parse_name(std::span<const EnumName<Enum>> names, std::string_view what,
                                      std::string_view text) {
    const auto found = std::ranges::find(names, text, &EnumName<Enum>::name);
    if (found != names.end()) return found->value;
    std::string choices;
    for (const auto& [value, name] : names) {
        if (canonical_name(names, value) == name) choices += (choices.empty() ? "" : ", ") + std::string(name);
    }
    return invalid(std::string(what) + " " + in_quotes(text) + ": use one of " + choices, {1, text.size()});
}

}  // namespace belfry
