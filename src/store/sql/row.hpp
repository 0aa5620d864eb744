// Rows of a result, and statements that return rows of one type.
//
// The text of a query and the function that reads its columns stand together, in the files of statements/. The function
// reads the columns in the order of the SELECT, so there are no column numbers, and callers get structs. A view in such
// a struct is valid until the sink returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time/instant.hpp"
#include "model/identity.hpp"
#include "model/schedule/credits.hpp"
#include "store/sql/statement.hpp"

namespace belfry::store::sql {

// One result row, valid until the sink returns. Columns start at 0. Reading the wrong type returns 0 or "".
class Row {
public:
    virtual ~Row() = default;
    [[nodiscard]] virtual bool is_null(int column) const = 0;
    [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
    [[nodiscard]] virtual std::string_view text(int column) const = 0;  // bytes, too
};

// Reads the columns of a row, each once, from left to right. Two calls must not be arguments of the same function call,
// which may evaluate them in any order; the elements of a braced list are evaluated in order.
class Columns {
public:
    explicit Columns(const Row& row) : row_(row) {}

    [[nodiscard]] bool is_null() const { return row_.is_null(next_); }  // the next column
    [[nodiscard]] std::int64_t integer() { return row_.integer(next_++); }
    [[nodiscard]] int small() { return static_cast<int>(integer()); }
    [[nodiscard]] bool flag() { return integer() != 0; }
    [[nodiscard]] std::string_view view() { return row_.text(next_++); }
    [[nodiscard]] std::string text() { return std::string(view()); }
    [[nodiscard]] Instant instant() { return Instant{Micros{integer()}}; }
    [[nodiscard]] model::Credits credits() { return model::Credits{integer()}; }
    template <typename Enum>
    [[nodiscard]] Enum as() {
        return static_cast<Enum>(integer());
    }
    // Schedule and slot.
    [[nodiscard]] model::RunKey run_key() { return {integer(), integer()}; }

    [[nodiscard]] std::optional<std::int64_t> optional_integer() { return if_any(&Columns::integer); }
    [[nodiscard]] std::optional<int> optional_small() { return if_any(&Columns::small); }
    [[nodiscard]] std::optional<std::string_view> optional_view() { return if_any(&Columns::view); }
    [[nodiscard]] std::optional<Instant> optional_instant() { return if_any(&Columns::instant); }
    [[nodiscard]] std::optional<model::Credits> optional_credits() { return if_any(&Columns::credits); }
    template <typename Enum>
    [[nodiscard]] std::optional<Enum> optional_as() {
        return if_any(&Columns::as<Enum>);
    }

private:
    template <typename T>
    [[nodiscard]] std::optional<T> if_any(T (Columns::*read)()) {
        if (!is_null()) return (this->*read)();
        ++next_;
        return std::nullopt;
    }

    const Row& row_;
    int next_ = 0;
};

// A statement that returns rows of type T.
template <typename T>
struct Query : Statement {
    using Read = T (*)(Columns&);
    Query(std::string_view statement_name, std::string statement_text, Read row_reader)
        : Statement(statement_name, std::move(statement_text)), read(row_reader) {}
    Read read;
};

// For queries of one column.
[[nodiscard]] inline std::int64_t read_integer(Columns& row) { return row.integer(); }
[[nodiscard]] inline std::string read_text(Columns& row) { return row.text(); }

}  // namespace belfry::store::sql
