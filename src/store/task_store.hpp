// Tasks and their leases, for workers and for the jobs that end what no worker continues. store.hpp has the contract of
// all calls.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time/clock_guard.hpp"
#include "decide/facts.hpp"
#include "decide/run/attempt.hpp"
#include "model/run/approval.hpp"
#include "model/run/task.hpp"
#include "store/page.hpp"
#include "store/store_clock.hpp"

namespace belfry::store {

inline constexpr std::size_t kClaimMax = 1'000;  // tasks in one claim

struct ClaimRequest {
    std::string tenant;
    std::string queue = "default";
    std::string worker;
    std::size_t limit = 1;
    Instant now = {};
    Micros lease = Seconds{30};
    std::string assignee = {};  // tasks of this agent or team; empty: those that are for everybody
    // About so many bytes of inputs: the task that reaches it is the last. There is always one, however large it is.
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

// How an attempt ended, and the lease that it was done under. The store rejects it if the lease was lost: conflict,
// and nothing changes.
struct AttemptReport {
    model::LeaseRef lease;
    decide::AttemptEnd end;
    std::optional<Instant> expired_before = {};  // for the reaper: rejected unless the lease ends before this
    std::string tenant = {};                     // the run's tenant: other runs are not_found. Empty: any tenant
    std::optional<Instant> renewed_at = {};      // for the reaper: rejected if it was renewed since, by any clock
};
// What a running attempt has used since it started, and its lease.
struct UsageReport {
    model::LeaseRef lease;
    model::Usage usage;
    std::string tenant = {};  // as in AttemptReport
};
// Moves a lease to the system that a task was delivered to, which cannot claim a lease itself.
struct LeaseTransfer {
    model::LeaseRef lease;
    std::string worker;                // the new holder
    Instant until = {};                // the new end, regardless of the deadline
    std::string event = {};            // type of the run event
    boost::json::object payload = {};  // of the event; the store adds the attempt
};
// A lease that must move because the clock stepped, and by how much; negative: back.
struct Redated {
    model::Lease lease;  // as `expired` returned it
    Micros by = {};
};
using AttemptPlanner = std::function<Result<decide::AttemptPlan>(const decide::Facts&, const decide::AttemptEnd&)>;
using UsagePlanner = std::function<Result<decide::AttemptPlan>(const decide::Facts&)>;

// A run that exceeded the timeout of its workflow.
struct OverdueRun {
    std::string tenant;
    std::string run_id;
    Instant deadline = {};
    friend bool operator==(const OverdueRun&, const OverdueRun&) = default;
};

// An approval that expired without a decision.
struct OverdueApproval {
    std::string tenant;
    model::Approval approval;
    friend bool operator==(const OverdueApproval&, const OverdueApproval&) = default;
};

// A tenant's queue that has tasks, claimable now or later.
struct QueueLine {
    std::string tenant;
    std::string queue;
    friend auto operator<=>(const QueueLine&, const QueueLine&) = default;
};

// A request for the queues of receivers (model/run/task.hpp) in which tasks are claimable now.
struct ReceiverQueues {
    std::string tenant;
    std::string after = {};  // a queue of this kind: those that follow it come first
    std::size_t limit = kPageMax;
    Instant now = {};
};

class TaskStore : public virtual StoreClock {
public:
    // Highest priority first, then the longest ready. A task that was ready once stays so, whatever `now` says later. A
    // task's timeout ends its lease, however often it is renewed. What does not fit into its bytes stays ready, in its
    // place.
    virtual Result<std::vector<model::Task>> claim(const ClaimRequest& request) = 0;
    // Tenants with tasks in one of these queues that every worker may claim. A page covers the next `limit` tenants
    // by name, with or without such tasks: it may be empty and still have a `next`. The queues of receivers belong to
    // @http.
    virtual Result<Listing<QueueLine>> waiting_lines(std::span<const std::string> queues, const Page& page) = 0;
    // In the order of their numbers, once around.
    virtual Result<std::vector<std::string>> receiver_queues(const ReceiverQueues& wanted) = 0;

    // -- Leases.
    // Renews leases. Returns the leases that are still held; the others are lost. If a lease was renewed before a
    // step of the clock, its deadline moves with the step, so that the attempt keeps the full time of its timeout.
    virtual Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now,
                                                           Instant until, const ClockGuard::Move& step = {}) = 0;
    // Transfers leases and records a run event for each. Returns the leases that were held. If the current holder's
    // name equals or starts with the new worker's name, it keeps the lease until the new end without another event,
    // so the call is idempotent.
    virtual Result<std::vector<model::LeaseRef>> transfer_lease(std::span<const LeaseTransfer> leases, Instant now) = 0;
    // Leases that expired before `now`, oldest first, then leases whose renewal is later than `now` by more than
    // kClockTolerance: the clock was set back since, and `redate` moves them to the current time.
    virtual Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) = 0;
    // Moves leases and their deadlines by the step of the clock. Leaves a lease alone that has changed since
    // `expired` returned it, so the call is idempotent.
    virtual Result<void> redate(std::span<const Redated> leases, Instant now) = 0;
    // Per report: the applied plan, or the error. Stores the usage that the attempt reports, and adds it to the
    // run's.
    virtual Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const AttemptReport> reports,
                                                                      Instant now, const AttemptPlanner& planner) = 0;
    // The same for attempts that continue, unless the plan ends them because they exceeded a limit.
    virtual Result<std::vector<Result<decide::AttemptPlan>>> report_usage(std::span<const UsageReport> reports,
                                                                          Instant now, const UsagePlanner& planner) = 0;

    // -- Deadlines.
    // Workflow runs whose deadline has passed, longest overdue first.
    virtual Result<std::vector<OverdueRun>> overdue(Instant now, std::size_t limit) = 0;
    // Pending approvals that have expired, longest overdue first.
    virtual Result<std::vector<OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) = 0;
};

}  // namespace belfry::store
