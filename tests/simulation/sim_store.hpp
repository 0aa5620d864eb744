// A server's way to the one database that all share. Every call is a boundary: virtual time passes while it goes on,
// others take their turns, and it may fail in every way that a database can:
//
//   it is done; it is refused as a conflict; it is unavailable and not done; nobody knows, and it was done; nobody
//   knows, and it was not; the server dies before the commit; the server dies after it and before the answer
//
// Every commit is shown to the oracle the moment it happens.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>

#include "simulation/forwarding_store.hpp"
#include "simulation/sim_context.hpp"

namespace belfry::sim {

// Thrown through the server's code when its process dies: nothing of it is left.
struct Crash {};

class SimStore final : public ForwardingStore {
public:
    // `database` is the shared one, or what a planted bug puts before it. `server` is for the trace.
    // REQUIRES: both and the guard outlive it.
    SimStore(SimContext& context, store::Store& database, std::string server, ClockGuard* guard)
        : ForwardingStore(database),
          context_(context),
          server_(std::move(server)),
          guard_(guard),
          began_at_(context.loop.time()) {}

    Result<Instant> now() override;
    Result<store::ClusterView> renew_membership(const store::MembershipRequest& request) override;
    Result<void> leave(const std::string& server) override;
    Result<store::CalendarRecord> calendar(const std::string& tenant, const std::string& name) override;
    Result<void> create(std::span<const decide::Plan> plans) override;
    Result<decide::Plan> change(const store::ScheduleRef& schedule, const store::FactsRequest& needs,
                                const store::Planner& planner) override;
    Result<store::TickOutcome> tick(const store::TickRequest& request, const store::Planner& planner) override;
    Result<std::vector<model::Task>> claim(const store::ClaimRequest& request) override;
    Result<std::vector<model::LeaseRef>> heartbeat(std::span<const model::LeaseRef> leases, Instant now, Instant until,
                                                   const ClockGuard::Move& step) override;
    Result<std::vector<model::LeaseRef>> transfer_lease(std::span<const store::LeaseTransfer> leases,
                                                        Instant now) override;
    Result<std::vector<model::Lease>> expired(Instant now, std::size_t limit) override;
    Result<void> redate(std::span<const store::Redated> leases, Instant now) override;
    Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const store::AttemptReport> reports,
                                                              Instant now,
                                                              const store::AttemptPlanner& planner) override;
    Result<std::vector<Result<decide::AttemptPlan>>> report_usage(std::span<const store::UsageReport> reports,
                                                                  Instant now,
                                                                  const store::UsagePlanner& planner) override;
    Result<void> create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                 const std::optional<model::RequestKey>& request) override;
    Result<std::vector<std::pair<std::string, model::Backfill>>> running_backfills(std::size_t limit) override;
    Result<store::BackfillStep> step_backfill(const std::string& tenant, const std::string& id,
                                              const store::FactsRequest& needs,
                                              const store::BackfillPlanner& planner) override;
    Result<std::int64_t> put_workflow(const model::Workflow& workflow, const store::WorkflowCheck& check = {}) override;
    Result<void> remove_workflow(const std::string& tenant, const std::string& name, Instant now) override;
    Result<model::WorkflowPtr> workflow(const std::string& tenant, const std::string& name,
                                        std::optional<std::int64_t> version) override;
    Result<std::vector<store::OverdueRun>> overdue(Instant now, std::size_t limit) override;
    Result<store::Listing<model::Approval>> approvals(const store::ApprovalFilter& filter,
                                                      const store::Page& page) override;
    Result<std::vector<model::Approval>> approvals_of(const std::string& tenant,
                                                      std::span<const std::string> run_ids) override;
    Result<std::vector<store::OverdueApproval>> overdue_approvals(Instant now, std::size_t limit) override;
    Result<store::ScheduleRecord> schedule(const store::ScheduleRef& schedule) override;
    Result<model::Run> run(const std::string& tenant, const std::string& run_id) override;
    Result<store::Listing<model::Run>> runs(const store::RunFilter& filter, const store::Page& page) override;
    Result<std::vector<store::Upcoming>> upcoming(std::int64_t after_key, std::size_t limit) override;
    Result<std::vector<store::Upcoming>> peek_next_fires(std::span<const std::int64_t> keys) override;
    Result<store::PruneOutcome> prune_some(const store::PruneRequest& request) override;
    Result<store::RemovalOutcome> remove_ended(const store::RemovalRequest& request) override;

private:
    enum class Kind : std::uint8_t { reads, writes, decides };  // what decides may also conflict

    // Runs `effect` at some moment of the call, or not. The answer, or the lack of one.
    template <typename T>
    Result<T> call(std::string_view verb, Kind kind, const std::function<Result<T>()>& effect);
    using AttemptPlans = std::vector<Result<decide::AttemptPlan>>;
    Result<AttemptPlans> take(std::string_view verb, std::span<const store::AttemptReport> reports,
                              const std::function<Result<AttemptPlans>(std::size_t)>& one);
    // Time that passes; may end the process.
    void wait(bool before_commit);
    [[nodiscard]] bool faulty() const { return !context_.healed; }
    void tell(std::string_view verb, std::string_view outcome, const std::string& what = {});
    void show(const decide::Plan& plan, Commit commit = {});

    // When the server asked for the time that was told as `now`; nothing when that is too long ago.
    [[nodiscard]] std::optional<Micros> asked_at(Instant now) const;
    [[nodiscard]] LeaseTime lease_time(Instant now) const;

    static constexpr std::size_t kTimesKept = 200;

    SimContext& context_;
    std::string server_;
    ClockGuard* const guard_;
    const Micros began_at_;
    std::deque<std::pair<Instant, Micros>> times_;  // that were told, and when they were asked for
    [[nodiscard]] std::optional<Error> unreadable(const decide::Facts& facts, const store::FactsRequest& needs);
    void look_at_hand_over(const store::AttemptReport& report);

    std::set<std::int64_t> helped_;  // keys of others that the last look found due
};

}  // namespace belfry::sim
