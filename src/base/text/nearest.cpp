#include "base/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/text/ascii.hpp"

namespace belfry {

namespace {

constexpr std::size_t kWordMax = 64;  // longer texts are not misspelt names, and the comparison is quadratic

// Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    const auto same = [&](std::size_t i, std::size_t j) { return to_lower(a[i]) == to_lower(b[j]); };
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({last[j] + (same(i, j) ? 0U : 1U), row[j] + 1, last[j + 1] + 1});
            if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j))
                row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
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
        if (best_distance == 0) break;
        const auto most = std::min(best_distance - 1, candidate.size() / 3);
        const auto longer = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
        if (longer > most) continue;  // needs at least that many edits
        if (const auto edits = distance(word, candidate); edits <= most) {
            best = candidate;
            best_distance = edits;
        }
    }
    return best;
}

}  // namespace belfry
