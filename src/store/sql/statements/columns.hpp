// Column lists that several statements share. The functions in rows.hpp read and write them in this order.
#pragma once

#include <string>

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

// A condition for rows of a tenant: the key finds them, and the name is compared, as `:tenant_name`, the last
// parameter.
inline std::string of_tenant_named(const std::string& table) {
    return "AND EXISTS (SELECT 1 FROM tenants t WHERE t.tenant_key = " + table +
           ".tenant_key AND t.name = :tenant_name::text)";
}

inline const std::string kRunColumns =
    "r_.schedule_key, r_.slot, r_.version, r_.fire_us, r_.decided_us, r_.dispatch, r_.execution, r_.reason, r_.detail, "
    "r_.input, "
    "r_.trigger_number, r_.rotation_index, r_.overlap, r_.range_last_us, r_.range_count, r_.range_at_least, "
    "r_.completed_us, r_.started_us, "
    "r_.attempts, r_.result, r_.error, l.attempt, l.since_us, r_.tenant_key";
inline const std::string kLeaseOfRun =
    " LEFT JOIN leases l ON l.schedule_key = r_.schedule_key AND l.slot = r_.slot AND l.node = '' ";

}  // namespace belfry::store::sql
