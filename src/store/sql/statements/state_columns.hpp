// The columns of a schedule's state, with their reader and their writer, which keep this order.
#pragma once

#include <initializer_list>
#include <string>

#include "model/run/audit.hpp"
#include "model/schedule/schedule.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

// Defined in the header, so that statements in other files can use them during static initialization.
inline const std::string kStateNames =
    "revision, status, next_occurrence_us, next_fire_us, newest_decided_us, spread_until_us, runs, skips, failures, "
    "consecutive_failures, "
    "breaker_opened_us, in_flight, buffered, remaining_actions, rotation_index, last_fired_us, last_skipped_us, "
    "last_completed_us, last_error_us, "
    "last_skip_reason, last_error, "
    "last_run_slot, last_completed_slot, paused_us, paused_until_us, pause_reason, deleted_us, events, chain";
inline const std::string kStateParameters =
    ":revision, :status, :next_occurrence, :next_fire, :newest_decided, :spread_until, :runs, :skips, :failures, "
    ":consecutive_failures, "
    ":breaker_opened, :in_flight, :buffered, :remaining_actions, :rotation_index, :last_fired, :last_skipped, "
    ":last_completed, :last_error_us, "
    ":last_skip_reason::text, :last_error::text, "
    ":last_run_slot, :last_completed_slot, :paused, :paused_until, :pause_reason::text, :deleted, :events, "
    ":chain::bytea";
inline const std::string kStateAssignments =
    "revision = :revision, status = :status, next_occurrence_us = :next_occurrence, next_fire_us = :next_fire, "
    "newest_decided_us = :newest_decided, "
    "spread_until_us = :spread_until, runs = :runs, skips = :skips, failures = :failures, consecutive_failures = "
    ":consecutive_failures, "
    "breaker_opened_us = :breaker_opened, in_flight = :in_flight, "
    "buffered = :buffered, remaining_actions = :remaining_actions, rotation_index = :rotation_index, last_fired_us = "
    ":last_fired, "
    "last_skipped_us = :last_skipped, last_completed_us = :last_completed, last_error_us = :last_error_us, "
    "last_skip_reason = :last_skip_reason::text, last_error = :last_error::text, last_run_slot = :last_run_slot, "
    "last_completed_slot = :last_completed_slot, paused_us = :paused, paused_until_us = :paused_until, pause_reason = "
    ":pause_reason::text, "
    "deleted_us = :deleted, events = :events, chain = :chain::bytea";
inline const std::string kStateColumns =
    "s.schedule_key, s.stamp, s.revision, s.status, s.next_occurrence_us, s.next_fire_us, s.newest_decided_us, "
    "s.spread_until_us, s.runs, s.skips, "
    "s.failures, "
    "s.consecutive_failures, s.breaker_opened_us, s.in_flight, s.buffered, s.remaining_actions, s.rotation_index, "
    "s.last_fired_us, "
    "s.last_skipped_us, "
    "s.last_completed_us, s.last_error_us, s.last_skip_reason, s.last_error, s.last_run_slot, s.last_completed_slot, "
    "s.paused_us, "
    "s.paused_until_us, s.pause_reason, s.deleted_us, s.events, s.chain";

// A locked state, with the store's own columns.
struct StateRow {
    std::int64_t key = 0;
    std::int64_t stamp = 0;  // changes with everything that the compiled schedule depends on
    model::ScheduleState state;
    model::ChainHash chain;
};
// Columns kStateColumns.
[[nodiscard]] StateRow read_state(Columns& row);

// kStateParameters, after `before` and followed by `after`.
void add_state(Batch& batch, const model::ScheduleState& state, const model::ChainHash& chain,
               std::initializer_list<std::int64_t> before, std::initializer_list<std::int64_t> after);

// Whether only the columns differ that the end of a run changes: those of kUpdateStateAtEnd.
[[nodiscard]] bool is_only_end(const model::ScheduleState& before, const model::ScheduleState& after);
// Their values, followed by `after`.
void add_state_at_end(Batch& batch, const model::ScheduleState& state, std::initializer_list<std::int64_t> after);

}  // namespace belfry::store::sql
