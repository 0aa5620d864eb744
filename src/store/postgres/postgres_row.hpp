// A result row in binary format.
#pragma once

#include <libpq-fe.h>

#include "store/sql/database.hpp"

namespace belfry::store::postgres {

class PostgresRow final : public sql::Row {
public:
    PostgresRow(const PGresult& result, int row) : result_(result), row_(row) {}

    [[nodiscard]] bool is_null(int column) const override;
    // Integers of every width, booleans as 0 and 1, and numeric, because sum() of integers returns it.
    [[nodiscard]] std::int64_t integer(int column) const override;
    [[nodiscard]] std::string_view text(int column) const override;

private:
    [[nodiscard]] std::string_view raw(int column) const;

    const PGresult& result_;
    int row_;
};

}  // namespace belfry::store::postgres
