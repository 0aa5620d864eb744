#include "app/worker/error_lines.hpp"

#include <algorithm>

namespace belfry::app {

void ErrorLines::take(std::string_view piece) {
    kept_.append(piece.substr(piece.size() - std::min(piece.size(), 2 * kKeptMax)));
    lost_ = lost_ || kept_.size() > kKeptMax;
    if (kept_.size() > kKeptMax) kept_.erase(0, kept_.size() - kKeptMax);
    while (!piece.empty()) {
        const auto newline = piece.find('\n');
        const auto length = std::min({newline, piece.size(), kLineMax - line_.size()});
        line_.append(piece.substr(0, length));
        piece.remove_prefix(length);
        const bool ends = !piece.empty() && piece.front() == '\n';
        if (ends) piece.remove_prefix(1);
        if (!ends && line_.size() < kLineMax) return;
        tell_(line_);
        line_.clear();
    }
}

void ErrorLines::finish() {
    if (line_.empty()) return;
    tell_(line_);
    line_.clear();
}

std::string_view ErrorLines::end() const {
    const std::string_view all = kept_;
    if (!lost_) return all;
    const auto newline = all.find('\n');
    // The last line alone may be longer than the kept part.
    return newline == std::string_view::npos || newline + 1 == all.size() ? all : all.substr(newline + 1);
}

}  // namespace belfry::app
