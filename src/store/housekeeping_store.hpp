// Retention and measuring: what servers do in the background so that the store does not grow without bound. store.hpp
// has the contract of all calls.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/run/audit_chain.hpp"
#include "model/tenant/assignee.hpp"
#include "store/schedule_record.hpp"
#include "store/store_clock.hpp"

namespace belfry::store {

// Which runs to remove. Each condition on its own is sufficient.
struct Retention {
    std::optional<Instant> occurred_before = {};
    std::optional<std::int64_t> keep_newest = {};    // how many rows to keep
    std::optional<Instant> keep_letters_since = {};  // keep dead letters from then on, with their runs
};

// A sweep over the schedules of all tenants, including deleted ones, in key order.
struct PruneRequest {
    std::int64_t after_key = 0;
    std::size_t schedules = 100;  // examined per call, at most kPageMax
    Retention retention = {};
    std::size_t limit = 1'000;  // maximum number of runs removed per call
};
struct PruneOutcome {
    std::int64_t removed = 0;
    std::optional<std::int64_t> next_after = {};  // where to continue; empty: the sweep is complete
    std::int64_t definitions = 0;                 // removed versions
    friend bool operator==(const PruneOutcome&, const PruneOutcome&) = default;
};

// The position of a schedule in the list of ended ones, sorted by end time.
struct EndedPlace {
    Instant ended = {};
    std::int64_t key = 0;
    friend auto operator<=>(const EndedPlace&, const EndedPlace&) = default;
};
// Removes schedules completely.
struct RemovalRequest {
    Instant ended_before = {};
    std::optional<Instant> keep_letters_since = {};  // as in Retention
    EndedPlace after = {};
    std::size_t schedules = 100;  // examined per call, at most kPageMax
    std::size_t limit = 1'000;    // maximum number of runs removed per call
};
struct RemovalOutcome {
    std::int64_t schedules = 0;
    std::int64_t runs = 0;
    std::optional<EndedPlace> next_after = {};  // where to continue; empty: all were examined
    friend bool operator==(const RemovalOutcome&, const RemovalOutcome&) = default;
};

// A sweep over the audit chains of all tenants, including those of removed schedules, in key order.
struct ArchivePlace {
    std::int64_t key = 0;          // the next schedule to examine
    model::ChainPoint after = {};  // how far its chain has been read
    friend bool operator==(const ArchivePlace&, const ArchivePlace&) = default;
};
struct ArchiveRequest {
    Instant before = {};  // reads events that were recorded before
    ArchivePlace from = {};
    std::size_t schedules = 1'000;  // examined per call, at most kPageMax
    std::size_t limit = 1'000;      // maximum number of events per call, at most kPageMax
};
// Events to archive, the oldest kept ones of their chain.
struct ArchivablePart {
    std::string tenant;
    std::string schedule_id;
    model::ChainPoint after = {};  // the event before the first one
    std::vector<model::ChainedEvent> events = {};
    friend bool operator==(const ArchivablePart&, const ArchivablePart&) = default;
};
struct ArchivablePage {
    std::vector<ArchivablePart> parts = {};
    std::optional<Instant> oldest_left = {};  // the oldest of the first events that were not read
    std::optional<ArchivePlace> next = {};    // where to continue; empty: the sweep is complete
    friend bool operator==(const ArchivablePage&, const ArchivablePage&) = default;
};
// An archive holds all events of the schedule up to this one.
struct ArchivedUpTo {
    std::string schedule_id;
    model::ChainPoint point;
};

// A measurement scans the tables with tenants' data in key order.
struct MeasuredPlace {
    std::size_t table = 0;
    std::pair<std::int64_t, std::int64_t> after = {std::numeric_limits<std::int64_t>::min(),
                                                   std::numeric_limits<std::int64_t>::min()};
    friend bool operator==(const MeasuredPlace&, const MeasuredPlace&) = default;
};
struct Measured {
    std::map<std::int64_t, std::int64_t> bytes = {};  // size of the scanned rows, by tenant key
    std::optional<MeasuredPlace> next = {};           // where to continue; empty: the scan is complete
    friend bool operator==(const Measured&, const Measured&) = default;
};
// A tenant that reached a limit that is measured periodically, not in every transaction.
struct TenantOverLimit {
    std::string tenant;
    std::int64_t stored_bytes = 0;
    std::int64_t stored_bytes_max = 0;
    friend bool operator==(const TenantOverLimit&, const TenantOverLimit&) = default;
};

class HousekeepingStore : public virtual StoreClock {
public:
    // -- Runs and schedules.
    // Removes ended and skipped runs of a schedule, oldest first, at most `limit`. Never removes runs that the
    // schedule's state refers to, any run while a backfill reads the past runs, or events. Returns the number of
    // removed runs.
    virtual Result<std::int64_t> prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) = 0;
    // The same for a page of schedules. Also removes versions of definitions that are neither current nor used by a
    // run. If the call reaches the limit, `next_after` makes the next call continue with the same schedule.
    virtual Result<PruneOutcome> prune_some(const PruneRequest& request) = 0;
    // Completely removes schedules that ended before a time: deleted ones, and skipped immediate starts. Only audit
    // events stay, readable by id; an id is never reused. Leaves a schedule for a later call while it has unfinished
    // runs or backfills, or a dead letter to keep.
    virtual Result<RemovalOutcome> remove_ended(const RemovalRequest& request) = 0;
    // Removes the events of schedules that were removed before `before`, oldest first, at most `limit` schedules,
    // each with all its events. Returns the number of schedules.
    virtual Result<std::int64_t> prune_archive(Instant before, std::size_t limit) = 0;

    // -- Audit events.
    // Reads the oldest events of each chain up to the first that is not old enough. Omits the newest event of a
    // schedule that was not removed, because the next one must follow it.
    virtual Result<ArchivablePage> archivable(const ArchiveRequest& request) = 0;
    // Removes events that are in an archive. Remembers the last one, so that the others still prove themselves.
    // Ignores a schedule whose event at this point has another hash, or is no longer there. At most kPageMax
    // schedules. Returns the number of removed events.
    virtual Result<std::int64_t> remove_archived(std::span<const ArchivedUpTo> chains) = 0;

    // -- Records that only have an age.
    // Dismisses dead letters that failed before `before`, oldest first. Returns their number.
    virtual Result<std::int64_t> prune_letters(Instant before, std::size_t limit) = 0;
    // Removes backfills that ended before `before`, oldest first. Returns their number.
    virtual Result<std::int64_t> prune_backfills(Instant before, std::size_t limit) = 0;
    // Removes keys that were used before `before`, oldest first. Returns their number.
    virtual Result<std::int64_t> prune_requests(Instant before, std::size_t limit) = 0;
    // Removes days before `before`, oldest first: those of tenants, and those of assignees without reservations. Also
    // removes the results of runs that conditions used, except the newest of each target. Returns the number of
    // removed days.
    virtual Result<std::int64_t> prune_budgets(model::Day before, std::size_t limit) = 0;
    // Removes versions of each workflow beyond the newest `keep`, unless a run, a schedule or an assignment uses
    // them. Examines `limit` workflows after `after_key`, and returns where to continue.
    virtual Result<PruneOutcome> prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) = 0;

    // -- Space.
    // Returns some space to the file system if much of the store's file is unused. Returns whether there may be more.
    virtual Result<bool> shrink() = 0;

    // -- Usage of tenants (docs/adr/0023-measured-limits.md).
    // Measures the next `rows` rows after a place, at least one if there is any.
    virtual Result<Measured> measure(const MeasuredPlace& place, std::size_t rows) = 0;
    // Stores the result of a measurement, by tenant key; absent tenants have no data.
    virtual Result<void> put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) = 0;
    // Adds the runs that this store has dispatched since the last call to the daily counts of tenants without their
    // own limit. From then on, decisions of this store skip runs beyond runs_per_day_per_tenant. Returns the tenants
    // whose measured size has reached its limit. Call it periodically: no decision reads or writes this data.
    virtual Result<std::vector<TenantOverLimit>> settle_usage(Instant now) = 0;
};

}  // namespace belfry::store
