// Reads schedules, runs and their histories, for clients and for explanations. No verb here changes or locks anything.
// store.hpp has the contract of all calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/run/approval.hpp"
#include "model/run/audit_chain.hpp"
#include "model/run/event.hpp"
#include "model/run/run.hpp"
#include "model/run/run_event.hpp"
#include "model/schedule/backfill.hpp"
#include "model/workflow/node.hpp"
#include "store/page.hpp"
#include "store/schedule_record.hpp"
#include "store/store_clock.hpp"

namespace belfry::store {

inline constexpr std::size_t kCountsMax = 1'000;  // entries of each kind in one result of counts()

// Sorted by name, then by age. All conditions must hold. Conditions on the definition (notes, queue, search
// attributes) are checked in every schedule that matches the others.
struct ScheduleFilter {
    std::string tenant;
    std::optional<model::ScheduleStatus> status = {};  // empty: all except deleted ones
    std::string name_prefix = {};
    std::optional<std::pair<std::string, std::string>> label = {};
    std::optional<model::TargetType> target_type = {};
    std::string target_kind = {};           // exact match; empty: any
    std::string contains = {};              // in the name; ignores the case of A to Z
    std::optional<Instant> next_from = {};  // next fire time; both inclusive. Excludes schedules without one
    std::optional<Instant> next_to = {};
    bool descending = false;    // sort by descending name
    bool newest_first = false;  // sort only by age instead of by name; ignores `descending`
    std::string name = {};      // exact match; empty: any
    std::optional<std::string> notes = {};
    std::optional<std::string> queue = {};                             // of the target
    std::vector<std::pair<std::string, Json>> search_attributes = {};  // each member must have this value
};

// The progress or the result of a run, as one value.
enum class RunState : std::uint8_t {
    awaiting_approval,
    queued,
    running,
    succeeded,
    failed,
    cancelled,
    terminated,
    timed_out,
    skipped,
    buffered
};
[[nodiscard]] RunState state_of(const model::Run& run);

// Sorted by occurrence, newest first.
struct RunFilter {
    std::string tenant;
    std::string schedule_id = {};  // empty: all schedules
    std::optional<RunState> state = {};
    std::optional<Instant> from = {};  // occurrences; both inclusive
    std::optional<Instant> to = {};
    std::string team = {};  // dispatched to this team; empty: any. Only without a schedule or a state
};

// Sorted by time of the request, oldest first.
struct ApprovalFilter {
    std::string tenant;
    model::ApprovalStatus status = model::ApprovalStatus::pending;
};

// Counts, largest first, at most kCountsMax of each kind.
struct ScheduleCount {
    std::string tenant;
    model::ScheduleStatus status = model::ScheduleStatus::active;
    std::int64_t count = 0;
    friend bool operator==(const ScheduleCount&, const ScheduleCount&) = default;
};
struct QueueDepth {
    std::string tenant;
    std::string queue;
    std::int64_t ready = 0;    // claimable now
    std::int64_t delayed = 0;  // claimable later
    std::int64_t leased = 0;   // held by a worker
    friend bool operator==(const QueueDepth&, const QueueDepth&) = default;
};
struct ApprovalCount {
    std::string tenant;
    std::int64_t pending = 0;
    Instant oldest = {};  // when the oldest pending approval was requested
    friend bool operator==(const ApprovalCount&, const ApprovalCount&) = default;
};
struct Counts {
    std::vector<ScheduleCount> schedules = {};
    std::vector<QueueDepth> queues = {};  // queues with tasks
    std::vector<ApprovalCount> approvals = {};
    Instant at = {};  // time of the count
    friend bool operator==(const Counts&, const Counts&) = default;
};

// An event with its hash in the audit chain: see model/run/audit.hpp.
struct EventRecord {
    model::Event event;
    std::string hash;  // 64 hexadecimal digits
    friend bool operator==(const EventRecord&, const EventRecord&) = default;
};

// The audit chain of a schedule, or a part of it, exactly as stored.
struct AuditChain {
    std::string schedule_id;
    model::ChainPoint archived = {};            // the last event that was archived and removed; the next one is kept
    std::optional<model::ChainPoint> end = {};  // by the state of the schedule. Empty: an older program removed it
    std::vector<model::ChainedEvent> events = {};
    friend bool operator==(const AuditChain&, const AuditChain&) = default;
};

class StoreReader : public virtual StoreClock {
public:
    // -- Schedules.
    virtual Result<ScheduleRecord> schedule(const ScheduleRef& schedule) = 0;
    // At most kPageMax, in the order of `keys`. Omits schedules that do not exist or belong to another tenant.
    virtual Result<std::vector<ScheduleRecord>> schedules_by_keys(const std::string& tenant,
                                                                  std::span<const std::int64_t> keys) = 0;
    virtual Result<Listing<ScheduleRecord>> schedules(const ScheduleFilter& filter, const Page& page) = 0;
    // Definitions in the order of `wanted`, at most kPageMax. Null: the tenant has no such definition, or it cannot
    // be read. The store keeps the current definition and those that decided a retained run.
    virtual Result<std::vector<model::DefinitionPtr>> definitions(const std::string& tenant,
                                                                  std::span<const DefinitionRef> wanted) = 0;
    // Ids of the schedules that wait for this event and are not deleted, by age.
    virtual Result<Listing<std::string>> subscribers(const std::string& tenant, const std::string& event,
                                                     const Page& page) = 0;
    // The two also work for a completely removed schedule, by its id. Both begin with the first kept event if
    // `after_sequence` is before it.
    virtual Result<AuditChain> audit_chain(const ScheduleRef& schedule, std::int64_t after_sequence,
                                           std::size_t limit) = 0;
    // Ids of all schedules that have an audit chain, by age, at most kPageMax: active, deleted and removed ones.
    virtual Result<std::vector<std::string>> audited_schedules(const std::string& tenant, const std::string& after_id,
                                                               std::size_t limit) = 0;
    virtual Result<std::vector<EventRecord>> events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                                    std::size_t limit) = 0;

    // -- Runs.
    virtual Result<model::Run> run(const std::string& tenant, const std::string& run_id) = 0;
    virtual Result<Listing<model::Run>> runs(const RunFilter& filter, const Page& page) = 0;
    // The current state of a run's nodes. A run without a workflow has no nodes, or its single task under the empty
    // name.
    virtual Result<model::WorkflowRun> workflow_run(const std::string& tenant, const std::string& run_id) = 0;
    // The stored events of a run. Events that follow from the run itself are not stored
    // (engine/explain/run_history.hpp). Returns fewer than `limit` if they fill a page earlier (fills_page in
    // listing.hpp); the same holds for `events`.
    virtual Result<std::vector<model::RunEvent>> run_events(const std::string& tenant, const std::string& run_id,
                                                            std::int64_t after_sequence, std::size_t limit) = 0;
    // Runs that finally failed or timed out and that no operator has replayed or dismissed, newest first.
    virtual Result<Listing<model::Run>> dead_letters(const std::string& tenant, const Page& page) = 0;

    // -- Approvals. Plans write them, in the transaction of the run that they belong to. The store rejects every plan
    // that starts a run or a node whose required approval is missing, whatever the planner decided: conflict.
    virtual Result<Listing<model::Approval>> approvals(const ApprovalFilter& filter, const Page& page) = 0;
    // Approvals of these runs (at most kPageMax), by run, then oldest first. Ignores runs that do not exist or belong
    // to another tenant.
    virtual Result<std::vector<model::Approval>> approvals_of(const std::string& tenant,
                                                              std::span<const std::string> run_ids) = 0;

    // -- Backfills.
    virtual Result<model::Backfill> backfill(const std::string& tenant, const std::string& id) = 0;
    virtual Result<std::vector<model::Backfill>> backfills(const ScheduleRef& schedule) = 0;

    // Reads an index entry for every schedule and every task, so call it only occasionally.
    virtual Result<Counts> counts(Instant now) = 0;
};

}  // namespace belfry::store
