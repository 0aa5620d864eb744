// What a plan means for rows, whatever keeps them: the rules that every store shares. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace belfry::store {

// The ledger row of a new or released run.
[[nodiscard]] model::Run run_row(const decide::Plan& plan, const decide::PlannedRun& planned, std::int64_t version);

// The input that the definition itself gives to a run: not worth a copy in every row.
[[nodiscard]] const Json& own_input(const model::Schedule& definition, const std::optional<std::int64_t>& rotation_index);

// How many runs the plan dispatched: what counts against the tenant's day.
[[nodiscard]] std::int64_t dispatched_in(const decide::Plan& plan);

// Whether the decision may look at the runs in flight.
[[nodiscard]] bool wants_in_flight(const model::Schedule& definition, const Needs& needs);

// Whether a run may be forgotten: it was skipped, or it has ended.
[[nodiscard]] bool is_history(const model::Run& run);

// A plan that must not be written: an event's payload does not match the registry, or the sequence has a gap. `before` is
// the sequence of the newest event so far.
[[nodiscard]] std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before);

// What others want to know about a plan that was applied.
struct NewsOf {
    bool moved = false;     // its schedule's next fire time is news to them
    bool followed = false;  // it went into the feed of its tenant
};
[[nodiscard]] std::vector<Announcement> announcements_of(const decide::Plan& plan, const model::Schedule& definition, NewsOf news);

// The slot of the run that was asked for, when the plan has one: what leaves the buffer comes before it.
[[nodiscard]] std::optional<std::int64_t> requested_slot(const decide::Plan& plan);

// Each once, in the order in which schedules are locked.
[[nodiscard]] std::vector<std::int64_t> ascending(std::span<const std::int64_t> keys);

// Errors that read the same from every store.
[[nodiscard]] Error too_many_keys();
[[nodiscard]] Error schedule_not_found(const ScheduleRef& schedule);
[[nodiscard]] Error run_not_found(const std::string& run_id);
[[nodiscard]] Error tenant_not_found(const std::string& tenant);
[[nodiscard]] Error calendar_not_found(const std::string& name);
[[nodiscard]] Error backfill_not_found(const std::string& id);
[[nodiscard]] Error name_taken(const std::string& name);
[[nodiscard]] Error id_taken(const std::string& id);
[[nodiscard]] Error tenant_full(const std::string& tenant, std::int64_t most);
[[nodiscard]] Error moved_on(const decide::Plan& plan, std::int64_t revision);
[[nodiscard]] Error version_conflict(const std::string& what, std::int64_t expected);
[[nodiscard]] Error lease_lost(const model::LeaseRef& lease);
[[nodiscard]] Error lease_prolonged(const model::LeaseRef& lease);
[[nodiscard]] Error backfill_taken(const std::string& id);
[[nodiscard]] Error backfill_running(const std::string& id);
[[nodiscard]] Error calendar_is_built_in(const std::string& name);
[[nodiscard]] Error calendar_in_use(const std::string& calendar, const std::string& schedule);
[[nodiscard]] Error not_deleted(const ScheduleRef& schedule);
[[nodiscard]] Error bad_cursor();
[[nodiscard]] Error foreign_cursor();
[[nodiscard]] Error request_taken();
[[nodiscard]] Error request_not_found();

}  // namespace belfry::store
