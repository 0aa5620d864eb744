// Formats the figures of a benchmark for people. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace belfry::bench {

[[nodiscard]] inline std::string rate_text(std::size_t count, double seconds) {
    return std::to_string(static_cast<std::int64_t>(static_cast<double>(count) / seconds));
}

[[nodiscard]] inline std::string ratio_text(double ratio) {
    const auto text = std::to_string(ratio);
    return text.substr(0, text.find('.') + 3);
}

[[nodiscard]] inline double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace belfry::bench
