// The input of nodes of the kinds `http` and `command`. Pure.
//
//   {"method": "POST", "url": "https://api.example.com/orders/${input/id}", "headers": {"X-Team": "billing"},
//    "body": {"total": "${nodes.sum.output/total}"}, "expectedStatus": [200, "3xx"], "signed": true, "timeoutMs": 5000}
//
// `method` and `url` are required. A text body is sent unchanged, any other body as JSON. Without `expectedStatus`,
// every 2xx status is a success. `timeoutMs` limits the call, within the node's own timeout. References may be used
// in the URL after the host, in header values and in the body.
//
// {"command": "resize", …}: the name of a command that the operator has registered; the rest is its input.
#pragma once

#include "base/errors.hpp"
#include "base/text/json.hpp"

namespace belfry::model {

inline constexpr const char* kHttpMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
inline constexpr std::size_t kHttpNodeHeadersMax = 50;
inline constexpr std::size_t kExpectedStatusMax = 50;

// Returns every error in the input as the workflow defines it; fields are pointers into the input. Does not check
// whether references can be resolved.
[[nodiscard]] Errors check_http_input(const Json& input);
[[nodiscard]] Errors check_command_input(const Json& input);

// Whether `status` matches `expected` (expectedStatus, or null). REQUIRES: check_http_input accepted `expected`.
[[nodiscard]] bool is_expected_status(const Json* expected, int status);

}  // namespace belfry::model
