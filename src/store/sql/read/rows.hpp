// Converts between rows and values: the meaning of the columns in columns.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model/identity.hpp"
#include "model/run/audit.hpp"
#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"
#include "store/sql/database.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

[[nodiscard]] inline Value null_or(const std::optional<std::int64_t>& number) {
    return number ? Value(*number) : Value();
}
[[nodiscard]] inline Value null_or(const std::optional<Instant>& instant) {
    return instant ? Value(epoch_us(*instant)) : Value();
}
[[nodiscard]] inline Value null_if_empty(std::string text) { return text.empty() ? Value() : Value(std::move(text)); }

[[nodiscard]] inline std::optional<std::int64_t> optional_integer(const Row& row, int column) {
    return row.is_null(column) ? std::nullopt : std::optional{row.integer(column)};
}
[[nodiscard]] inline Instant instant_at(const Row& row, int column) { return Instant{Micros{row.integer(column)}}; }
[[nodiscard]] inline std::optional<Instant> optional_instant(const Row& row, int column) {
    return row.is_null(column) ? std::nullopt : std::optional{instant_at(row, column)};
}
[[nodiscard]] inline std::string text_at(const Row& row, int column) { return std::string(row.text(column)); }

// A locked state, with the store's own columns.
struct StateRow {
    std::int64_t key = 0;
    std::int64_t stamp = 0;  // changes with everything that the compiled schedule depends on
    model::ScheduleState state;
    model::ChainHash chain;
};

// Columns kStateColumns from `first` on.
[[nodiscard]] StateRow read_state(const Row& row, int first = 0);

// kStateParameters, after `before` and followed by `after`.
void add_state(Batch& batch, const model::ScheduleState& state, const model::ChainHash& chain,
               std::initializer_list<std::int64_t> before, std::initializer_list<std::int64_t> after);

// A run's row, without the parts that come from its schedule's definition.
struct RunRow {
    model::RunKey key;
    model::Run run;
    bool own_input = false;   // the input comes from the definition, not from the row
    bool unreadable = false;  // input or result is not JSON: it is null, and the run's error explains it
    std::int64_t tenant = 0;
};
// Columns kRunColumns.
[[nodiscard]] RunRow read_run(const Row& row);

// The run's value in the index by state; empty for queued, running and succeeded runs.
[[nodiscard]] std::optional<std::int64_t> standing_of(model::DispatchStatus dispatch, model::ExecutionStatus execution);

// Whether the tenant is followed. `followed_us` is in this column, `webhooks` in the next.
[[nodiscard]] inline bool is_followed(const Row& row, int column, Instant now) {
    return row.integer(column + 1) > 0 || instant_at(row, column) > now;
}
inline constexpr int kFollowedColumnOfTenant = 7;

// The parameters that find a tenant's row: its key, and its exact name.
[[nodiscard]] inline Batch tenant_place(const std::string& name) { return {model::tenant_key(name), name}; }

// Columns of kTenant and of kBackfill.
[[nodiscard]] model::Tenant read_tenant(const Row& row);
[[nodiscard]] model::Backfill read_backfill(const Row& row);

[[nodiscard]] Result<Json> parse_stored(std::string_view text);

}  // namespace belfry::store::sql
