// Values of parameters, and JSON texts of columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/text/json.hpp"
#include "base/time/instant.hpp"
#include "store/sql/statement.hpp"

namespace belfry::store::sql {

[[nodiscard]] inline Value null_or(const std::optional<std::int64_t>& number) {
    return number ? Value(*number) : Value();
}
[[nodiscard]] inline Value null_or(const std::optional<Instant>& instant) {
    return instant ? Value(epoch_us(*instant)) : Value();
}
[[nodiscard]] inline Value null_if_empty(std::string text) { return text.empty() ? Value() : Value(std::move(text)); }

[[nodiscard]] Result<Json> parse_stored(std::string_view text);

}  // namespace belfry::store::sql
