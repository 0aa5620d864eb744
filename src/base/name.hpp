// Names that people give to things. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace belfry {

inline constexpr std::size_t kNameCharactersMax = 255;

// The error when it is not 1 to kNameCharactersMax characters of storable UTF-8 without control characters.
[[nodiscard]] std::optional<Error> name_error(std::string_view name);

}  // namespace belfry
