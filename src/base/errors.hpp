// Combines several errors into one. Pure.
#pragma once

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry {

using Errors = std::vector<Error>;

// The first error, with the others in `more`. REQUIRES: `errors` is not empty.
[[nodiscard]] inline Error combine_errors(Errors errors) {
    auto first = std::move(errors.front());
    for (auto other = errors.begin() + 1; other != errors.end(); ++other) {
        auto companions = std::exchange(other->more, {});
        first.more.push_back(std::move(*other));
        std::move(companions.begin(), companions.end(), std::back_inserter(first.more));
    }
    return first;
}

// The same, or empty if there is no error.
[[nodiscard]] inline std::optional<Error> together_if_any(Errors errors) {
    if (errors.empty()) return std::nullopt;
    return combine_errors(std::move(errors));
}

}  // namespace belfry
