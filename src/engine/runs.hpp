// What workers and people ask of runs: claim, prolong, end, approve, cancel. Thread-safe.
#pragma once

#include "decide/approval.hpp"
#include "decide/attempt.hpp"
#include "engine/observer.hpp"
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
        std::string assignee = {};  // whose tasks; empty: those that are for everybody
    };
    [[nodiscard]] Result<std::vector<model::Task>> claim(const Claim& claim);

    // Those that are still held, prolonged from now. With a tenant given, the leases of others count as lost.
    [[nodiscard]] Result<std::vector<model::LeaseRef>> heartbeat(std::vector<model::LeaseRef> leases, Micros lease, const std::string& tenant = {});

    // Leases that go to whoever is at the other end of a connection. Those that were held.
    [[nodiscard]] Result<std::vector<model::LeaseRef>> pass_on(const std::vector<store::PassedOn>& leases);

    // The end of attempts, by those who hold their leases, or what those that go on have used (status `running`): then the plan is
    // empty, unless the attempt went beyond a limit. Per ending, what was done or why not (conflict: the lease is lost).
    struct Ending {
        model::LeaseRef lease;
        decide::AttemptEnd end;
    };
    // Whoever ends what waits for approval is refused, and that goes into the audit.
    [[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> complete(const std::string& tenant, const std::vector<Ending>& endings,
                                                                            const Context& context = {});

    // The end of a run by somebody without a lease: whoever else runs it tells how it went. With `attempt`, as complete().
    // Without, a conflict while a worker holds it.
    [[nodiscard]] Result<model::Run> finish(const std::string& tenant, const std::string& run_id, std::optional<int> attempt,
                                            const decide::AttemptEnd& end, const std::string& node = {}, const Context& context = {});

    // Cancelled, whoever is at it: a worker's lease is void.
    [[nodiscard]] Result<model::Run> cancel(const std::string& tenant, const std::string& run_id, const std::string& reason);
    // The same, told apart: its worker was not asked to come to an end.
    [[nodiscard]] Result<model::Run> terminate(const std::string& tenant, const std::string& run_id, const std::string& reason);
    [[nodiscard]] Result<model::Run> approve(const std::string& tenant, const std::string& run_id, const decide::ApprovalDecision& decision,
                                             const Context& context);

    // Somebody tried to do without an approval: into the audit of the schedule, once for each of them, run and way.
    [[nodiscard]] Result<void> record_bypass(const store::ScheduleRef& schedule, const decide::BypassAttempt& attempt, const Context& context);

private:
    using Decide = std::function<Result<decide::Plan>(const decide::Facts&, Instant now)>;
    // `stand_in`: also when its schedule cannot be read.
    [[nodiscard]] Result<model::Run> change(const std::string& tenant, const std::string& run_id, const Decide& decide, bool stand_in = false);
    [[nodiscard]] Result<model::Run> stop(const std::string& tenant, const std::string& run_id, const Decide& decide);
    [[nodiscard]] Result<void> record_bypass_of(const std::string& tenant, const model::Approval& pending, const Context& context);
    [[nodiscard]] Result<void> look_for_bypass(const std::string& tenant, const std::vector<model::LeaseRef>& refused, const Context& context);

    store::Store& store_;
    Observer& observer_;
};

}  // namespace belfry::engine
