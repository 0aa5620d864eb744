// Errors as a client sees them: RFC 9457, application/problem+json, with a code that programs can rely on.
//
//   {"type":"about:blank","title":"Unprocessable Content","status":422,"code":"invalid_argument","detail":"…",
//    "errors":[{"pointer":"/spec/cron/0","detail":"…"}]}
#pragma once

#include <string>
#include <string_view>

#include "api/message.hpp"
#include "api/shape.hpp"
#include "base/result.hpp"

namespace belfry::api {

struct Problem {
    int status = 500;
    std::string code = "internal";
    std::string detail = {};
    std::string field = {};        // a JSON pointer, or `?name` of a query parameter; empty: none
    std::vector<Error> more = {};  // what else is wrong
};

[[nodiscard]] Problem problem_of(const Error& error);
// The error's message, or a sentence of ours where the message has the database's words in it.
[[nodiscard]] std::string public_message(const Error& error);
[[nodiscard]] Json to_json(const Problem& problem);
[[nodiscard]] ShapePtr problem_shape();
// The body under the status of the problem. 503 and 429 carry Retry-After, 401 what to send: WWW-Authenticate.
[[nodiscard]] Response told(const Problem& problem, const Json& body, std::string media = "application/json");
[[nodiscard]] Response problem_response(const Problem& problem);
[[nodiscard]] Response problem_response(const Error& error);

// `Not Found`; empty for a status that we never answer.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace belfry::api
