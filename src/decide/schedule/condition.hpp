// The condition of a schedule: a filter on recent results that must hold before dispatch. Pure.
//
//   {"/prior_run_result/status": {"eq": "completed"}, "/last_24h_stats/failed": {"lt": 3}}
//
// An object of JSON pointers (RFC 6901), each with exactly one operator. All clauses must hold, and `{}` holds.
//
//   eq, neq    equal JSON or not: numbers by value, objects in any key order
//   gt, lt     two numbers, exactly; or two RFC 3339 times, as instants, at any offset. Nothing else has an order
//   contains   a text inside a text, case-sensitive; or an array with an element that has at least the given parts:
//              [{"x": 1, "y": 2}] contains {"x": 1}, and [[1, 2]] contains [1]
//
// If a path does not exist, neq holds and every other operator fails, including `eq null`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/json_pointer.hpp"
#include "base/time/instant.hpp"

namespace belfry::decide {

inline constexpr std::size_t kClausesMax = 32;
// Limits for `contains`, because the search takes the product of both sizes, and the other side is a whole context.
inline constexpr std::size_t kContainsValuesMax = 64;  // in all clauses together
inline constexpr std::size_t kContainsTextMax = 1024;  // bytes of one text

class Condition {
public:
    // Validates every clause. The error's `field` is a pointer from the condition to the clause (`/~1a` for the
    // clause of "/a"), or empty if the condition itself is not an object.
    [[nodiscard]] static Result<Condition> parse(const Json& condition);

    [[nodiscard]] bool holds(const Json& context) const { return find_failing(context) == nullptr; }

    // The first clause that fails, as text: "/last_24h_stats/failed is 5, must be less than 3".
    [[nodiscard]] std::optional<std::string> first_failing(const Json& context) const;

private:
    enum class Operator : std::uint8_t { eq, neq, gt, lt, contains };

    struct Clause {
        JsonPointer path;
        Operator op;
        Json operand;

        [[nodiscard]] bool holds(const Json& context) const;
        [[nodiscard]] std::string demand(const Json* found) const;
    };

    [[nodiscard]] static Result<Clause> parse_clause(std::string_view path, const Json& clause);
    [[nodiscard]] const Clause* find_failing(const Json& context) const;

    std::vector<Clause> clauses_;
};

// How the runs of the last 24 hours ended; `total` counts those in any state.
struct RunStats {
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t total = 0;
    friend bool operator==(const RunStats&, const RunStats&) = default;
};

// The context of a condition: `prior_run_result` (null before the first run), `last_24h_stats` with `succeeded`,
// `failed` and `total`, and `signal_rpc_result` (null without a signal or without an answer).
[[nodiscard]] Json condition_context(const Json& prior_run_result, RunStats last_24h, const Json& signal_result);

}  // namespace belfry::decide
