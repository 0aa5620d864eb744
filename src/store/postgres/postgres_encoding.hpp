// Encodes a batch in PostgreSQL's binary format: one value, or one array, for every parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/sql/statement.hpp"

namespace belfry::store::postgres {

// The parameters of one execution, in the form that libpq takes. Reusable: it keeps its memory.
class Parameters {
public:
    // Errors: invalid_argument for text that PostgreSQL cannot store (with a NUL) and for a batch that is too large;
    // corrupt if the batch does not match the statement, which only a bug can cause.
    // `last` is one more parameter, after those of the batch.
    [[nodiscard]] Result<void> encode(const sql::Rendered& statement, const sql::Batch& batch,
                                      std::optional<std::int64_t> last = {});

    [[nodiscard]] int count() const { return static_cast<int>(values_.size()); }
    [[nodiscard]] const char* const* values() const { return values_.data(); }
    [[nodiscard]] const int* lengths() const { return lengths_.data(); }
    [[nodiscard]] const int* formats() const { return formats_.data(); }

private:
    [[nodiscard]] Result<void> scalar(sql::Type type, const sql::Value& value);
    [[nodiscard]] Result<void> array(sql::Type type, const sql::Batch& batch, std::size_t column);
    void number32(std::int32_t number);
    void number64(std::int64_t number);
    void element64(std::int64_t number);
    void point_into_bytes();

    std::string bytes_;              // all values, concatenated
    std::vector<std::size_t> ends_;  // the end of each parameter in bytes_
    std::vector<bool> nulls_;
    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
};

}  // namespace belfry::store::postgres
