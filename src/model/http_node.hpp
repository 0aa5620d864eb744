// What a node of the kind `http` is given, and what one of the kind `command`. Pure.
//
//   {"method": "POST", "url": "https://api.example.com/orders/${input/id}", "headers": {"X-Team": "billing"},
//    "body": {"total": "${nodes.sum.output/total}"}, "expectedStatus": [200, "3xx"], "signed": true, "timeoutMs": 5000}
//
// Only method and url are required. A body that is a text is sent as it is, any other as JSON; without expectedStatus every
// 2xx is expected; timeoutMs is that of the call, inside the node's. References may stand in the url behind the host, in the
// values of headers and in the body.
//
//   {"command": "resize", …}: the name of a command that the operator has registered; the rest is its input.
#pragma once

#include "base/errors.hpp"
#include "base/json.hpp"

namespace belfry::model {

inline constexpr const char* kHttpMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
inline constexpr std::size_t kHttpNodeHeadersMax = 50;
inline constexpr std::size_t kExpectedStatusMax = 50;

// All that is wrong with the input as it stands in the workflow; fields are pointers into it. Whether references lead somewhere
// is not looked at.
[[nodiscard]] Errors check_http_input(const Json& input);
[[nodiscard]] Errors check_command_input(const Json& input);

// Whether `expected` (expectedStatus, or null) has the status. REQUIRES: check_http_input accepted it.
[[nodiscard]] bool is_expected_status(const Json* expected, int status);

}  // namespace belfry::model
