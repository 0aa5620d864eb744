// Errors of outgoing calls that callers must distinguish. Pure.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"

namespace belfry {

inline constexpr const char* kNoAnswerWithin = "no answer within ";

[[nodiscard]] inline Error no_answer_within(std::chrono::milliseconds time) {
    return {ErrorCode::unavailable, kNoAnswerWithin + std::to_string(time.count()) + " ms"};
}

// Whether an HttpClient's error is a timeout. ErrorCode has no value for it, because no other code needs one.
[[nodiscard]] inline bool is_timeout(const Error& error) {
    return error.code == ErrorCode::unavailable && error.message.starts_with(kNoAnswerWithin);
}

}  // namespace belfry
