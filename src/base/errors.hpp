// Several things that are wrong at once, as one error. Pure.
#pragma once

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry {

using Errors = std::vector<Error>;

// The first of them, with the others as companions. REQUIRES: there is one.
[[nodiscard]] inline Error together(Errors errors) {
    auto first = std::move(errors.front());
    for (auto other = errors.begin() + 1; other != errors.end(); ++other) {
        auto companions = std::exchange(other->more, {});
        first.more.push_back(std::move(*other));
        std::move(companions.begin(), companions.end(), std::back_inserter(first.more));
    }
    return first;
}

// The same, if there is any.
[[nodiscard]] inline std::optional<Error> together_if_any(Errors errors) {
    if (errors.empty()) return std::nullopt;
    return together(std::move(errors));
}

}  // namespace belfry
