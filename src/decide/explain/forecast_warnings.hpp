// Warnings about future times. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decide/explain/preview.hpp"
#include "decide/facts.hpp"

namespace belfry::decide {

inline constexpr std::size_t kDstWarningsMax = 10;

// Sentences about misleading expressions, calendars that do not exist or run out of dates before the last row, an
// invalid condition, occurrences near a clock change, and a schedule that never fires.
[[nodiscard]] std::vector<std::string> forecast_warnings(const Facts& facts, std::span<const PreviewRow> rows);

}  // namespace belfry::decide
