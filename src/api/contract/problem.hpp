// Errors in responses: RFC 9457, application/problem+json, with a code that programs can rely on.
//
//   {"type":"about:blank","title":"Unprocessable Content","status":422,"code":"invalid_argument","detail":"…",
//    "errors":[{"pointer":"/spec/cron/0","detail":"…"}]}
#pragma once

#include <string>
#include <string_view>

#include "api/contract/shape.hpp"
#include "api/http/message.hpp"
#include "base/result.hpp"

namespace belfry::api {

inline constexpr const char* kProblemMedia = "application/problem+json";

struct Problem {
    int status = 500;
    std::string code = "internal";
    std::string detail = {};
    std::string field = {};          // a JSON pointer, or `?name` of a query parameter; empty: none
    std::vector<Error> more = {};    // the other errors of the request
    std::int64_t retry_after_s = 1;  // of 503 and 429; 0: waiting does not help
};

[[nodiscard]] Problem problem_of(const Error& error);
// Returns the error's message, or a generic sentence if the message comes from the database.
[[nodiscard]] std::string public_message(const Error& error);
[[nodiscard]] Json to_json(const Problem& problem);
[[nodiscard]] ShapePtr problem_shape();
// A response with this body and the status of the problem. 503 and 429 have Retry-After where waiting helps, 401 has
// WWW-Authenticate.
[[nodiscard]] Response error_response(const Problem& problem, const Json& body, std::string media = "application/json");
[[nodiscard]] Response problem_response(const Problem& problem);
[[nodiscard]] Response problem_response(const Error& error);

// `Not Found`; empty for a status that the server never returns.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace belfry::api
