#include "store/sql/statements/run_columns.hpp"

#include "store/sql/values.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

namespace {

std::optional<model::SkippedRange> read_range(Columns& row) {
    const auto last = row.optional_instant();
    const model::SkippedRange range{last.value_or(Instant{}), row.integer(), row.flag()};
    return last ? std::optional(range) : std::nullopt;
}

// The reason if the text is not JSON.
std::string read_json(std::string_view text, Json& to) {
    auto json = parse_stored(text);
    if (!json) return json.error().message;
    to = std::move(*json);
    return {};
}

// A queued run with a lease is running; an ended run stays ended.
void read_lease(Columns& row, model::Run& run) {
    const auto attempt = row.optional_small();
    const auto since = row.optional_instant();
    if (!attempt || run.execution != model::ExecutionStatus::queued) return;
    run.execution = model::ExecutionStatus::running;
    run.attempts = *attempt;
    run.started_at = since;
}

}  // namespace

RunRow read_run(Columns& row) {
    RunRow read{.key = row.run_key()};
    auto& run = read.run;
    run.id = model::run_id(read.key.schedule, read.key.slot);
    run.slot = model::slot_from_number(read.key.slot);
    run.version = row.integer();
    run.fire_at = row.instant();
    run.decided_at = row.instant();
    run.dispatch = row.as<model::DispatchStatus>();
    run.execution = row.as<model::ExecutionStatus>();
    run.reason = row.optional_as<model::SkipReason>();
    run.detail = row.text();
    std::string unreadable;
    const auto input = row.optional_view();
    read.own_input = !input;
    if (input) unreadable = read_json(*input, run.input);
    run.trigger_number = row.integer();
    run.rotation_index_used = row.optional_integer();
    run.overlap = row.as<model::OverlapPolicy>();
    run.range = read_range(row);
    run.completed_at = row.optional_instant();
    run.started_at = row.optional_instant();
    run.attempts = row.small();
    if (const auto result = row.optional_view()) {
        auto why = read_json(*result, run.result);
        if (!why.empty()) unreadable = std::move(why);
    }
    run.error = row.text();
    read.unreadable = !unreadable.empty();
    if (read.unreadable && run.error.empty()) run.error = std::move(unreadable);
    read_lease(row, run);
    read.tenant = row.integer();
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

}  // namespace belfry::store::sql
