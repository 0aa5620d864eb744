// "Did you mean …?": the known word that is closest to a misspelt one. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace belfry {

// The candidate with the fewest edits, ignoring case, if they are at most a third of its length.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace belfry
