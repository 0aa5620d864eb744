// What somebody who looks at coming times should know besides them. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decide/facts.hpp"
#include "decide/preview.hpp"

namespace belfry::decide {

inline constexpr std::size_t kDstWarningsMax = 10;

// Sentences: expressions that mislead, calendars that nobody knows or that run out of dates before the last row, a condition
// that means nothing, occurrences that a change of clocks touches, and a schedule that does not fire at all.
[[nodiscard]] std::vector<std::string> forecast_warnings(const Facts& facts, std::span<const PreviewRow> rows);

}  // namespace belfry::decide
