// What names a request in logs, audit and answers, and the trace that it is part of. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/message.hpp"

namespace belfry::api {

inline constexpr std::size_t kRequestIdMax = 128;  // bytes of X-Request-Id that are kept

// X-Request-Id as it may be stored and sent back: headers may hold any byte, the audit and an answer's header may not.
[[nodiscard]] std::string request_id_of(const Request& request);

// https://www.w3.org/TR/trace-context: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
[[nodiscard]] bool is_traceparent(std::string_view text);

}  // namespace belfry::api
