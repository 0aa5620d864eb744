// The id of a request in logs, audit and responses, and the trace that it belongs to. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/http/message.hpp"

namespace belfry::api {

inline constexpr std::size_t kRequestIdMax = 128;  // bytes of X-Request-Id that are kept

// Returns X-Request-Id in a form that may be stored and returned: a request header may have any byte, the audit and a
// response header may not.
[[nodiscard]] std::string request_id_of(const Request& request);

// https://www.w3.org/TR/trace-context: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
[[nodiscard]] bool is_traceparent(std::string_view text);

}  // namespace belfry::api
