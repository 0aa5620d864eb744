#include "store/sql/read/rows.hpp"

#include "model/schedule/schedule_json.hpp"

namespace belfry::store::sql {

namespace {

Value null_or_slot(const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    return key ? Value(key->slot) : Value();
}

std::string run_id_at(const Row& row, int column, std::int64_t key) {
    return row.is_null(column) ? std::string() : model::run_id(key, row.integer(column));
}

}  // namespace

StateRow read_state(const Row& row, int first) {
    int at = first;
    StateRow read;
    read.key = row.integer(at++);
    read.stamp = row.integer(at++);
    auto& state = read.state;
    state.revision = row.integer(at++);
    state.status = static_cast<model::ScheduleStatus>(row.integer(at++));
    state.next_occurrence = optional_instant(row, at++);
    state.next_fire = optional_instant(row, at++);
    state.newest_decided = optional_instant(row, at++);
    state.spread_until = optional_instant(row, at++);
    state.runs = row.integer(at++);
    state.skips = row.integer(at++);
    state.failures = row.integer(at++);
    state.consecutive_failures = static_cast<int>(row.integer(at++));
    state.breaker_opened_at = optional_instant(row, at++);
    state.in_flight = static_cast<int>(row.integer(at++));
    state.buffered = static_cast<int>(row.integer(at++));
    state.remaining_actions = optional_integer(row, at++);
    state.rotation_index = row.integer(at++);
    state.last_fired_at = optional_instant(row, at++);
    state.last_skipped_at = optional_instant(row, at++);
    state.last_completed_at = optional_instant(row, at++);
    state.last_error_at = optional_instant(row, at++);
    state.last_skip_reason = text_at(row, at++);
    state.last_error = text_at(row, at++);
    state.last_run_id = run_id_at(row, at++, read.key);
    state.last_completed_run = run_id_at(row, at++, read.key);
    state.paused_at = optional_instant(row, at++);
    state.paused_until = optional_instant(row, at++);
    state.pause_reason = text_at(row, at++);
    state.deleted_at = optional_instant(row, at++);
    state.events = row.integer(at++);
    read.chain = text_at(row, at++);
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

RunRow read_run(const Row& row) {
    RunRow read;
    auto& run = read.run;
    read.key = {row.integer(0), row.integer(1)};
    run.id = model::run_id(read.key.schedule, read.key.slot);
    run.slot = model::slot_from_number(read.key.slot);
    run.version = row.integer(2);
    run.fire_at = instant_at(row, 3);
    run.decided_at = instant_at(row, 4);
    run.dispatch = static_cast<model::DispatchStatus>(row.integer(5));
    run.execution = static_cast<model::ExecutionStatus>(row.integer(6));
    if (!row.is_null(7)) run.reason = static_cast<model::SkipReason>(row.integer(7));
    run.detail = text_at(row, 8);
    read.own_input = row.is_null(9);
    read.tenant = row.integer(23);
    std::string unreadable;
    const auto read_json = [&](int column, Json& to) {
        auto json = parse_stored(row.text(column));
        if (json) to = std::move(*json);
        if (!json) unreadable = json.error().message;
    };
    if (!read.own_input) read_json(9, run.input);
    run.trigger_number = row.integer(10);
    run.rotation_index_used = optional_integer(row, 11);
    run.overlap = static_cast<model::OverlapPolicy>(row.integer(12));
    if (!row.is_null(13)) run.range = model::SkippedRange{instant_at(row, 13), row.integer(14), row.integer(15) != 0};
    run.completed_at = optional_instant(row, 16);
    run.started_at = optional_instant(row, 17);
    run.attempts = static_cast<int>(row.integer(18));
    if (!row.is_null(19)) read_json(19, run.result);
    run.error = text_at(row, 20);
    if (!unreadable.empty()) {
        read.unreadable = true;
        if (run.error.empty()) run.error = std::move(unreadable);
    }
    // A queued run with a lease is running; an ended run stays ended.
    if (!row.is_null(21) && run.execution == model::ExecutionStatus::queued) {
        run.execution = model::ExecutionStatus::running;
        run.attempts = static_cast<int>(row.integer(21));
        run.started_at = optional_instant(row, 22);
    }
    return read;
}

std::optional<std::int64_t> standing_of(model::DispatchStatus dispatch, model::ExecutionStatus execution) {
    model::Run run;
    run.dispatch = dispatch;
    run.execution = execution;
    const auto state = state_of(run);
    if (state == RunState::queued || state == RunState::running || state == RunState::succeeded) return std::nullopt;
    return static_cast<std::int64_t>(state);
}

model::Tenant read_tenant(const Row& row) {
    return {text_at(row, 0),          text_at(row, 1),          row.integer(2) != 0, optional_integer(row, 3),
            optional_integer(row, 4), optional_integer(row, 9), instant_at(row, 5),  row.integer(6)};
}

model::Backfill read_backfill(const Row& row) {
    model::Backfill backfill;
    backfill.id = text_at(row, 0);
    backfill.schedule_id = text_at(row, 1);
    backfill.from = instant_at(row, 2);
    backfill.to = instant_at(row, 3);
    if (!row.is_null(4)) backfill.overlap = static_cast<model::OverlapPolicy>(row.integer(4));
    backfill.status = static_cast<model::BackfillStatus>(row.integer(5));
    backfill.next_from = optional_instant(row, 6);
    backfill.dispatched = row.integer(7);
    backfill.skipped = row.integer(8);
    backfill.error = text_at(row, 9);
    backfill.created_by = text_at(row, 10);
    backfill.created_at = instant_at(row, 11);
    backfill.updated_at = instant_at(row, 12);
    backfill.version = row.integer(13);
    if (!row.is_null(14)) backfill.concurrency = static_cast<int>(row.integer(14));
    backfill.rerun = static_cast<model::BackfillRerun>(row.integer(15));
    return backfill;
}

Result<Json> parse_stored(std::string_view text) {
    auto json = parse_json(text, model::kStoredJsonLimits);
    if (!json) return Error{ErrorCode::corrupt, "a stored JSON text cannot be read: " + json.error().message};
    return json;
}

}  // namespace belfry::store::sql
