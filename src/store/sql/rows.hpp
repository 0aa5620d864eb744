// Between rows and values: what the columns of columns.hpp mean.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model/audit.hpp"
#include "model/identity.hpp"
#include "model/run.hpp"
#include "model/schedule.hpp"
#include "store/sql/database.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

[[nodiscard]] inline Value null_or(const std::optional<std::int64_t>& number) { return number ? Value(*number) : Value(); }
[[nodiscard]] inline Value null_or(const std::optional<Instant>& instant) { return instant ? Value(epoch_us(*instant)) : Value(); }
[[nodiscard]] inline Value null_if_empty(std::string text) { return text.empty() ? Value() : Value(std::move(text)); }

[[nodiscard]] inline std::optional<std::int64_t> optional_integer(const Row& row, int column) {
    return row.is_null(column) ? std::nullopt : std::optional{row.integer(column)};
}
[[nodiscard]] inline Instant instant_at(const Row& row, int column) { return Instant{Micros{row.integer(column)}}; }
[[nodiscard]] inline std::optional<Instant> optional_instant(const Row& row, int column) {
    return row.is_null(column) ? std::nullopt : std::optional{instant_at(row, column)};
}
[[nodiscard]] inline std::string text_at(const Row& row, int column) { return std::string(row.text(column)); }

// A state as it is locked: with what only the store knows of it.
struct StateRow {
    std::int64_t key = 0;
    std::int64_t stamp = 0;  // changes whenever anything changes that the compiled schedule is made from
    model::ScheduleState state;
    model::ChainHash chain;
};

// Columns kStateColumns from `first` on.
[[nodiscard]] StateRow read_state(const Row& row, int first = 0);

// kStateParameters, after `before` and followed by `after`.
void add_state(Batch& batch, const model::ScheduleState& state, const model::ChainHash& chain, std::initializer_list<std::int64_t> before,
               std::initializer_list<std::int64_t> after);

// A run's row: without the parts that only its schedule's definition knows.
struct RunRow {
    model::RunKey key;
    model::Run run;
    bool own_input = false;   // the definition's: it is not in the row
    bool unreadable = false;  // its input or its result is no JSON: null, and the run's error says so
    std::int64_t tenant = 0;
};
// Columns kRunColumns.
[[nodiscard]] RunRow read_run(const Row& row);

// Where the run appears in the lists by state; nothing for what is queued, running or has succeeded.
[[nodiscard]] std::optional<std::int64_t> standing_of(model::DispatchStatus dispatch, model::ExecutionStatus execution);

// Whether somebody follows the tenant: `followed_us` and `webhooks` stand in this column and the next.
[[nodiscard]] inline bool is_followed(const Row& row, int column, Instant now) {
    return row.integer(column + 1) > 0 || instant_at(row, column) > now;
}
inline constexpr int kFollowedColumnOfTenant = 7;

// Where the row of a tenant is: by its key, and under that very name.
[[nodiscard]] inline Batch tenant_place(const std::string& name) { return {model::tenant_key(name), name}; }

// Columns of kTenant and of kBackfill.
[[nodiscard]] model::Tenant read_tenant(const Row& row);
[[nodiscard]] model::Backfill read_backfill(const Row& row);

[[nodiscard]] Result<Json> parse_stored(std::string_view text);

}  // namespace belfry::store::sql
