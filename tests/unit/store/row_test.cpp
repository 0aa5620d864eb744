#include "store/sql/row.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace belfry::store::sql {
namespace {

class ValueRow final : public Row {
public:
    explicit ValueRow(std::vector<Value> values) : values_(std::move(values)) {}
    [[nodiscard]] bool is_null(int column) const override { return std::holds_alternative<std::monostate>(at(column)); }
    [[nodiscard]] std::int64_t integer(int column) const override {
        const auto* const number = std::get_if<std::int64_t>(&at(column));
        return number == nullptr ? 0 : *number;
    }
    [[nodiscard]] std::string_view text(int column) const override {
        const auto* const text = std::get_if<std::string>(&at(column));
        return text == nullptr ? std::string_view() : *text;
    }

private:
    [[nodiscard]] const Value& at(int column) const { return values_.at(static_cast<std::size_t>(column)); }
    std::vector<Value> values_;
};

Value number(std::int64_t value) { return value; }

TEST(Columns, AreReadFromLeftToRight) {
    const ValueRow row({number(7), number(1), std::string("a"), number(2'000'000), number(5), number(6)});
    Columns columns(row);
    EXPECT_EQ(columns.integer(), 7);
    EXPECT_TRUE(columns.flag());
    EXPECT_EQ(columns.text(), "a");
    EXPECT_EQ(columns.instant(), Instant{Seconds{2}});
    EXPECT_EQ(columns.run_key(), (model::RunKey{5, 6}));
}

TEST(Columns, AnEmptyColumnIsPassedToo) {
    const ValueRow row({std::monostate(), std::monostate(), std::monostate(), number(3), number(4)});
    Columns columns(row);
    EXPECT_EQ(columns.optional_integer(), std::nullopt);
    EXPECT_EQ(columns.optional_view(), std::nullopt);
    EXPECT_EQ(columns.optional_instant(), std::nullopt);
    EXPECT_EQ(columns.optional_small(), 3);
    EXPECT_EQ(columns.integer(), 4);
}

}  // namespace
}  // namespace belfry::store::sql
