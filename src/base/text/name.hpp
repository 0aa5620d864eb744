// Names that people choose. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace belfry {

inline constexpr std::size_t kNameCharactersMax = 255;

// The error unless the name has 1 to kNameCharactersMax characters of valid UTF-8 without control characters.
[[nodiscard]] std::optional<Error> name_error(std::string_view name);

}  // namespace belfry
