// What a client asks of the rows of a function, as in PostgREST: filters, `select`, `order`, `limit`, `offset`, a range
// and a count. Pure. This header is internal to the dialect.
//
//   ?select=id,mode:queue_policy->>mode&is_active=is.true&created_at=gte.2026-01-01&order=created_at.desc&limit=10
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/contract/route.hpp"
#include "api/dialects/rpc/refusal.hpp"

namespace belfry::api::rpc {

template <typename T>
using OrRefusal = std::variant<T, Refusal>;

// How values of a column are read from text and compared.
enum class ColumnType : std::uint8_t { boolean, number, text, instant, uuid, json };

// A column of a row, or a part of its JSON: `queue_policy->>mode`.
struct Column {
    std::string name;
    std::vector<std::string> path = {};  // keys, or indexes of arrays
    bool as_text = false;                // the last arrow is ->>, or there is a cast ::text
    ColumnType type = ColumnType::text;

    // Null when the path leads nowhere.
    [[nodiscard]] Json of(const boost::json::object& row) const;
};
[[nodiscard]] OrRefusal<Column> parse_column(std::string_view text, const Shape& row);

// Reads a value as PostgreSQL reads a literal of the type: `5`, `t`, `2026-01-01 00:00+00`.
[[nodiscard]] OrRefusal<Json> parse_literal(std::string_view text, ColumnType type);
// `t`, `yes`, `off`, `1`: every spelling of PostgreSQL. Nothing for other texts.
[[nodiscard]] std::optional<bool> parse_boolean(std::string_view text);
// RFC 3339, or with a blank instead of the T, without an offset (UTC), or a date.
[[nodiscard]] Result<Instant> parse_timestamp(std::string_view text);

// REQUIRES: neither is null.
[[nodiscard]] bool is_equal(const Json& a, const Json& b, ColumnType type);
[[nodiscard]] std::weak_ordering compare(const Json& a, const Json& b, ColumnType type);

struct Filter {
    enum class Kind : std::uint8_t { compare, like, is, in, distinct };
    Column column;
    Kind kind = Kind::compare;
    bool negated = false;
    std::string op = {};              // of compare: eq, neq, gt, gte, lt, lte
    bool any_case = false;            // of like
    std::string word = {};            // of is: null, not_null, true, false, unknown; of like: the pattern
    std::vector<Json> operands = {};  // of compare and distinct one, of in any number

    // Three-valued, as in SQL: a comparison with null neither holds nor fails, and the row is dropped. Adds to `work`
    // an upper bound of the bytes that it compares.
    [[nodiscard]] bool holds(const boost::json::object& row, std::uint64_t& work) const;
};
// `column` and `condition` are the name and the value of a query parameter: `is_active` and `not.is.true`.
[[nodiscard]] OrRefusal<Filter> parse_filter(std::string_view column, std::string_view condition, const Shape& row);

struct Selected {
    std::string key;
    Column column;
};
struct Ordering {
    Column column;
    bool descending = false;
    bool nulls_first = false;
};

struct RowQuery {
    std::vector<Filter> filters = {};
    std::vector<Selected> selected = {};  // empty: all columns
    std::vector<Ordering> order = {};
    std::int64_t offset = 0;
    std::optional<std::int64_t> limit = {};
    bool count = false;
};
inline constexpr std::size_t kListMax = 1'000;  // values of one in.(…)

// Reads the query, Range and Prefer. Parameters with the name of an argument are not filters: of a GET they are the
// arguments.
[[nodiscard]] OrRefusal<RowQuery> parse_row_query(const Call& call, const Shape& arguments, const Shape& row);

}  // namespace belfry::api::rpc
