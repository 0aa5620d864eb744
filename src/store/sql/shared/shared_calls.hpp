// Calls of several threads whose items share a transaction.
#pragma once

#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry::store::sql {

// Whether the error may be about one of several items, so that the others succeed without it.
[[nodiscard]] inline bool may_be_own(const Error& error) {
    return error.code != ErrorCode::unavailable && error.code != ErrorCode::unknown;
}

// Gives each call its part of the answers, or the error of all. The answers are in the order of the calls' items.
template <typename Answer, typename Calls>
[[nodiscard]] std::vector<Result<std::vector<Answer>>> split(Result<std::vector<Answer>> answers, const Calls& calls) {
    std::vector<Result<std::vector<Answer>>> parts;
    std::size_t next = 0;
    for (const auto& call : calls) {
        if (!answers) {
            parts.emplace_back(answers.error());
            continue;
        }
        std::vector<Answer> part;
        for (std::size_t i = 0; i < call.size(); ++i) part.push_back(std::move((*answers)[next++]));
        parts.emplace_back(std::move(part));
    }
    return parts;
}

}  // namespace belfry::store::sql
