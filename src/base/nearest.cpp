#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/ascii.hpp"

namespace belfry {

namespace {

constexpr std::size_t kWordMax = 64;  // longer texts are no misspelt names, and the comparison is quadratic

// Levenshtein's distance by the usual two rows.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto cost = to_lower(a[i]) == to_lower(b[j]) ? diagonal : diagonal + 1;
            diagonal = row[j + 1];
            row[j + 1] = std::min({cost, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    if (word.empty() || word.size() > kWordMax) return std::nullopt;
    std::optional<std::string> best;
    auto best_distance = std::size_t{kWordMax};
    for (const auto& candidate : candidates) {
        const auto edits = distance(word, candidate);
        if (edits < best_distance && edits * 3 <= candidate.size()) {
            best = candidate;
            best_distance = edits;
        }
    }
    return best;
}

}  // namespace belfry
