// Runs, for workers and people: claim, renew, complete, approve, cancel. Thread-safe.
#pragma once

#include "decide/approval/approval.hpp"
#include "decide/run/attempt.hpp"
#include "engine/telemetry/observer.hpp"
#include "store/store.hpp"

namespace belfry::engine {

class Runs {
public:
    // REQUIRES: both outlive it.
    Runs(store::Store& store, Observer& observer) : store_(store), observer_(observer) {}

    using Context = model::CommandContext;

    struct Claim {
        std::string tenant;
        std::string queue = "default";
        std::string worker;
        std::size_t limit = 1;
        Micros lease = Seconds{30};
        std::string assignee = {};                                    // whose tasks; empty: tasks without an assignee
        std::size_t bytes = std::numeric_limits<std::size_t>::max();  // of inputs, about; see store::ClaimRequest
    };
    [[nodiscard]] Result<std::vector<model::Task>> claim(const Claim& claim);

    // Renews the leases from now and returns those that are still held. With a tenant, leases of other tenants count
    // as lost.
    [[nodiscard]] Result<std::vector<model::LeaseRef>> heartbeat(std::vector<model::LeaseRef> leases, Micros lease,
                                                                 const std::string& tenant = {});

    // Transfers leases to the receiver behind a connection. Returns those that were still held.
    [[nodiscard]] Result<std::vector<model::LeaseRef>> transfer_lease(const std::vector<store::LeaseTransfer>& leases);

    // Ends attempts on behalf of their lease holders. Returns one result per report (conflict: the lease is lost).
    struct AttemptReport {
        model::LeaseRef lease;
        decide::AttemptEnd end;
    };
    // Rejects the end of a run that waits for approval, and records the attempt in the audit.
    [[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> complete(const std::string& tenant,
                                                                            const std::vector<AttemptReport>& reports,
                                                                            const Context& context = {});
    // Reports the usage of running attempts. The plan is empty, unless the attempt exceeded a limit and so ended.
    struct UsageReport {
        model::LeaseRef lease;
        model::Usage usage;
    };
    [[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> report_usage(
        const std::string& tenant, const std::vector<UsageReport>& reports);

    // Ends a run for a caller without a lease: an external system reports the result. With `attempt`, works like
    // complete(). Without it, returns a conflict while a worker holds the run.
    [[nodiscard]] Result<model::Run> finish(const std::string& tenant, const std::string& run_id,
                                            std::optional<int> attempt, const decide::AttemptEnd& end,
                                            const std::string& node = {}, const Context& context = {});

    // Removes a run from the dead letters.
    [[nodiscard]] Result<void> dismiss(const std::string& tenant, const std::string& run_id) {
        return store_.dismiss(tenant, run_id);
    }

    // Removes the runs of a deleted schedule. Cancels those that wait for approval first, because a purged run cannot
    // be approved. Very many runs need more than one call.
    [[nodiscard]] Result<void> purge(const store::ScheduleRef& ref);

    // Cancels the run. A worker's lease becomes void.
    [[nodiscard]] Result<model::Run> cancel(const std::string& tenant, const std::string& run_id,
                                            const std::string& reason);
    // Like cancel(), but recorded as terminated: the worker did not get the chance to stop by itself.
    [[nodiscard]] Result<model::Run> terminate(const std::string& tenant, const std::string& run_id,
                                               const std::string& reason);
    [[nodiscard]] Result<model::Run> approve(const std::string& tenant, const std::string& run_id,
                                             const decide::ApprovalDecision& decision, const Context& context);

    // Records in the schedule's audit that a caller tried to bypass an approval, once for each caller, run and way.
    [[nodiscard]] Result<void> record_bypass(const store::ScheduleRef& schedule, const decide::BypassAttempt& attempt,
                                             const Context& context);

private:
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&, Instant now)>;
    // With `stand_in`, works even if the schedule cannot be read.
    [[nodiscard]] Result<model::Run> change(const std::string& tenant, const std::string& run_id, const Decide& decide,
                                            bool stand_in = false);
    [[nodiscard]] Result<model::Run> stop(const std::string& tenant, const std::string& run_id, const Decide& decide);
    [[nodiscard]] Result<void> cancel_waiting(const store::ScheduleRef& ref);
    [[nodiscard]] Result<void> record_bypass_of(const std::string& tenant, const model::Approval& pending,
                                                const Context& context);
    [[nodiscard]] Result<void> look_for_bypass(const std::string& tenant, const std::vector<model::LeaseRef>& refused,
                                               const Context& context);
    template <typename Report>
    void look_at_refused(const std::string& tenant, const std::vector<Report>& reports,
                         std::vector<Result<decide::AttemptPlan>>& results, const Context& context);

    store::Store& store_;
    Observer& observer_;
};

}  // namespace belfry::engine
