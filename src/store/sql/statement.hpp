// SQL text for both databases. A dialect, which is plain data, has the parts that they spell differently.
//
// In a statement, `:name` is an integer parameter; `:name::text` and `:name::bytea` have the given type. A statement
// that contains `{rows}` runs once for every row of its batch: SQLite executes the prepared statement repeatedly;
// PostgreSQL gets whole arrays and reads them as a table, in one round trip. `{rows}` is a FROM clause, `{, rows}`
// joins another one, and `{using rows}` is for DELETE.
//
//     INSERT INTO runs (schedule_key, slot, input) {values} :schedule_key, :slot, :input::text {end values, rows}
//
//     SQLite      … VALUES ( ?1, ?2, ?3 )
//     PostgreSQL  … SELECT r.schedule_key_, r.slot_, r.input_ FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS
//     r(…)
//
// (With INSERT … SELECT, SQLite would expect many rows and prepare to undo half of them.)
//
// `{each of rows} SELECT … LIMIT 1) name` runs a lookup for each row, whatever the planner thinks of the tables' sizes.
//
// `{any table.column = :name}`, after the conditions of such a statement, repeats for PostgreSQL only that the column
// has one of all these values. A plan that was made for an empty table may start with the table instead of the rows.
// With this condition it reads only the matching rows, and not the whole table that has grown since.
//
// A parameter outside of the conditions of such an INSERT or UPDATE needs no array if all rows of the batch share its
// value. PostgreSQL takes longer to read a wide row from arrays than to write it, and most columns of a batch are
// equal.
//
// Every other {word} comes from the dialect.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belfry::store::sql {

enum class Type : std::uint8_t { integer, text, bytes };

struct Dialect {
    std::string_view name;
    bool rows_as_arrays = false;  // the form of `{rows}`, see above
    bool locks_rows = false;      // otherwise a writer locks the whole database
    std::vector<std::pair<std::string_view, std::string_view>> words = {};
};
[[nodiscard]] const Dialect& sqlite_dialect();
[[nodiscard]] const Dialect& postgres_dialect();

// A statement is a constant with a fixed address: connections use it as the key of their prepared statements.
struct Statement {
    std::string_view name;  // for errors and metrics
    std::string text;

    Statement(std::string_view statement_name, std::string statement_text)
        : name(statement_name), text(std::move(statement_text)) {}
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
};

// Some of the parameters of a statement: the bit of each number, from 0.
using ParameterSet = std::uint64_t;

// A statement in the SQL of one database.
struct Rendered {
    std::string text;
    std::vector<Type> parameters;  // in order of first appearance, like a batch's columns
    bool batched = false;          // contains `{rows}`
    ParameterSet sharable = 0;     // need no array if all rows share their values
    ParameterSet shared = 0;       // have no array
};
[[nodiscard]] Rendered render(std::string_view text, const Dialect& dialect, ParameterSet shared = 0);

struct Bytes {
    std::string value;
    friend bool operator==(const Bytes&, const Bytes&) = default;
};
using Value = std::variant<std::monostate, std::int64_t, std::string, Bytes>;

// The parameters of a statement, row by row. Every row has one value per parameter.
class Batch {
public:
    Batch() = default;
    // One row.
    Batch(std::initializer_list<Value> row) { add(row); }

    void add(std::initializer_list<Value> row) {
        begin_row();
        for (const auto& value : row) push(value);
    }
    template <typename... Values>
    void add_row(Values&&... values) {
        begin_row();
        (push(std::forward<Values>(values)), ...);
    }
    // Sets the expected number of rows.
    void reserve(std::size_t rows) { expected_ = rows; }

    // Adds a row value by value: begin it, then push. REQUIRES: every row has the same number of values.
    void begin_row() {
        if (++rows_ == 2) values_.reserve(expected_ * width_);
    }
    template <typename T>
    void push(T&& value) {
        values_.emplace_back(std::forward<T>(value));
        if (rows_ == 1) ++width_;
    }

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] bool empty() const { return rows_ == 0; }
    [[nodiscard]] const Value& at(std::size_t row, std::size_t column) const { return values_[row * width_ + column]; }

private:
    std::vector<Value> values_;
    std::size_t rows_ = 0;
    std::size_t width_ = 0;
    std::size_t expected_ = 0;
};

// The parameters that need no array, because all rows of the batch share their values. At least one has an array.
// REQUIRES: the batch has a row, and one value for every parameter.
[[nodiscard]] ParameterSet shared_by_rows(const Rendered& statement, const Batch& batch);

}  // namespace belfry::store::sql
