// Errors in PostgREST's format: {"code", "details", "hint", "message"}.
#pragma once

#include <cstdint>
#include <string>

#include "api/contract/problem.hpp"
#include "api/contract/shape.hpp"

namespace belfry::api::rpc {

struct Refusal {
    int status = 400;
    std::string code;  // of PostgreSQL, or PGRST… of PostgREST
    std::string message;
    std::string details = {};  // empty: null
    std::string hint = {};
    std::int64_t retry_after_s = 1;  // of 503 and 429; 0: waiting does not help
};
[[nodiscard]] Response response_of(const Refusal& refusal);
// Maps an error of the engine, the router or the gate. A missing object and one of another tenant look the same.
[[nodiscard]] Response refused(const Problem& problem);
[[nodiscard]] ShapePtr refusal_shape();

}  // namespace belfry::api::rpc
