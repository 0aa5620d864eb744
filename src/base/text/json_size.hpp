// Estimates the length of a value's text without writing it. Pure.
#pragma once

#include <cstddef>

#include "base/text/json.hpp"

namespace belfry {

// Counts strings with their quotes, numbers and words as kJsonScalarBytes, and the separators of elements and members.
inline constexpr std::size_t kJsonScalarBytes = 8;
[[nodiscard]] std::size_t text_size(const Json& value);

}  // namespace belfry
