#include "store/sql/statements/state_columns.hpp"

#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

Value null_or_slot(const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    return key ? Value(key->slot) : Value();
}

std::string read_run_id(Columns& row, std::int64_t key) {
    const auto slot = row.optional_integer();
    return slot ? model::run_id(key, *slot) : std::string();
}

}  // namespace

StateRow read_state(Columns& row) {
    StateRow read;
    read.key = row.integer();
    read.stamp = row.integer();
    auto& state = read.state;
    state.revision = row.integer();
    state.status = row.as<model::ScheduleStatus>();
    state.next_occurrence = row.optional_instant();
    state.next_fire = row.optional_instant();
    state.newest_decided = row.optional_instant();
    state.spread_until = row.optional_instant();
    state.runs = row.integer();
    state.skips = row.integer();
    state.failures = row.integer();
    state.consecutive_failures = row.small();
    state.breaker_opened_at = row.optional_instant();
    state.in_flight = row.small();
    state.buffered = row.small();
    state.remaining_actions = row.optional_integer();
    state.rotation_index = row.integer();
    state.last_fired_at = row.optional_instant();
    state.last_skipped_at = row.optional_instant();
    state.last_completed_at = row.optional_instant();
    state.last_error_at = row.optional_instant();
    state.last_skip_reason = row.text();
    state.last_error = row.text();
    state.last_run_id = read_run_id(row, read.key);
    state.last_completed_run = read_run_id(row, read.key);
    state.paused_at = row.optional_instant();
    state.paused_until = row.optional_instant();
    state.pause_reason = row.text();
    state.deleted_at = row.optional_instant();
    state.events = row.integer();
    read.chain = row.text();
    return read;
}

void add_state(Batch& batch, const model::ScheduleState& state, const model::ChainHash& chain,
               std::initializer_list<std::int64_t> before, std::initializer_list<std::int64_t> after) {
    batch.begin_row();
    for (const auto value : before) batch.push(value);
    batch.push(state.revision);
    batch.push(static_cast<std::int64_t>(state.status));
    batch.push(null_or(state.next_occurrence));
    batch.push(null_or(state.next_fire));
    batch.push(null_or(state.newest_decided));
    batch.push(null_or(state.spread_until));
    batch.push(state.runs);
    batch.push(state.skips);
    batch.push(state.failures);
    batch.push(std::int64_t{state.consecutive_failures});
    batch.push(null_or(state.breaker_opened_at));
    batch.push(std::int64_t{state.in_flight});
    batch.push(std::int64_t{state.buffered});
    batch.push(null_or(state.remaining_actions));
    batch.push(state.rotation_index);
    batch.push(null_or(state.last_fired_at));
    batch.push(null_or(state.last_skipped_at));
    batch.push(null_or(state.last_completed_at));
    batch.push(null_or(state.last_error_at));
    batch.push(state.last_skip_reason);
    batch.push(state.last_error);
    batch.push(null_or_slot(state.last_run_id));
    batch.push(null_or_slot(state.last_completed_run));
    batch.push(null_or(state.paused_at));
    batch.push(null_or(state.paused_until));
    batch.push(state.pause_reason);
    batch.push(null_or(state.deleted_at));
    batch.push(state.events);
    batch.push(Bytes{chain});
    for (const auto value : after) batch.push(value);
}

bool is_only_end(const model::ScheduleState& before, const model::ScheduleState& after) {
    auto other = after;
    other.revision = before.revision;
    other.failures = before.failures;
    other.consecutive_failures = before.consecutive_failures;
    other.breaker_opened_at = before.breaker_opened_at;
    other.in_flight = before.in_flight;
    other.last_completed_at = before.last_completed_at;
    other.last_error_at = before.last_error_at;
    other.last_error = before.last_error;
    other.last_completed_run = before.last_completed_run;
    return other == before;
}

void add_state_at_end(Batch& batch, const model::ScheduleState& state, std::initializer_list<std::int64_t> after) {
    batch.begin_row();
    batch.push(state.revision);
    batch.push(state.failures);
    batch.push(std::int64_t{state.consecutive_failures});
    batch.push(null_or(state.breaker_opened_at));
    batch.push(std::int64_t{state.in_flight});
    batch.push(null_or(state.last_completed_at));
    batch.push(null_or(state.last_error_at));
    batch.push(state.last_error);
    batch.push(null_or_slot(state.last_completed_run));
    for (const auto value : after) batch.push(value);
}

}  // namespace belfry::store::sql
