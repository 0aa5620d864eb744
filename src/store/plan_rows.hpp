// How a plan translates to rows: the rules that every store shares. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.hpp"

namespace belfry::store {

// The ledger row of a new or released run.
[[nodiscard]] model::Run run_row(const decide::Plan& plan, const decide::PlannedRun& planned, std::int64_t version);

// The input that a run takes from the definition. The ledger row does not repeat it.
[[nodiscard]] const Json& own_input(const model::Schedule& definition,
                                    const std::optional<std::int64_t>& rotation_index);

// Whether the schedule's assignee is a team.
[[nodiscard]] bool is_of_team(const model::Schedule& definition);

// The number of runs that the plan dispatches. It counts toward the tenant's daily limit.
[[nodiscard]] std::int64_t dispatched_in(const decide::Plan& plan);

// What the plan takes from the budgets of assignees, by assignee and day: dispatched runs, and reservations for those
// that stay in flight.
using BudgetKey = std::pair<std::string, model::Day>;
[[nodiscard]] std::map<BudgetKey, model::BudgetDay> taken_by(const decide::Plan& plan);
// The change of the budget when a run with this reservation ends.
[[nodiscard]] model::BudgetDay settlement(const model::Reservation& reservation, model::Credits used);
void add(model::BudgetDay& day, const model::BudgetDay& more);

// The assignee that the attempt's usage counts for; empty: none.
[[nodiscard]] std::string assignee_of_attempt(const decide::Facts& facts, const std::string& node);

// Usage of the attempts of a run, by node and attempt number.
using UsageByAttempt = std::map<std::pair<std::string, int>, model::Usage>;
[[nodiscard]] std::optional<model::Usage> used_by_all(const UsageByAttempt& attempts);
[[nodiscard]] std::optional<model::Usage> used_by_node(const UsageByAttempt& attempts, const std::string& node);
// Completes the facts with usage, whether or not the attempt reports any.
void tell_of_usage(decide::Facts& facts, const UsageByAttempt& attempts, const model::LeaseRef& lease,
                   const std::optional<model::Usage>& report);

// The span and the maximum number of the target's newest results that `last_24h_stats` counts.
inline constexpr Micros kStatsSpan = std::chrono::hours{24};
inline constexpr std::int64_t kStatsRunsMax = 10'000;

// Whether the decision may need the runs in flight.
[[nodiscard]] bool wants_in_flight(const model::Schedule& definition, const FactsRequest& needs);

// Whether a run with this result becomes a dead letter.
[[nodiscard]] bool is_dead_letter(model::ExecutionStatus status);

// Whether a run may be removed: it was skipped, or it has ended.
[[nodiscard]] bool is_history(const model::Run& run);

// When the schedule ended, after this plan; it may be removed some time later. The epoch: it may still fire. Empty:
// it is completed and stays until a user deletes it. A skipped immediate start has no user who would delete it, so it
// has ended.
[[nodiscard]] std::optional<Instant> ended_since(const decide::Plan& plan, const model::Schedule& definition);

// Returns an error for a plan that must not be written: an event's payload does not match the registry, or the
// sequence has a gap. `before` is the sequence of the newest stored event.
[[nodiscard]] std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before);
// A schedule that is created as deleted, because it was rejected, does not take its name and does not count.
[[nodiscard]] inline bool takes_name(const decide::Plan& plan) {
    return plan.state.status != model::ScheduleStatus::deleted;
}

// Returns an error for a plan that must not be written: it starts work that needs an approval, or it lets work wait
// without requesting one. `approval` is the schedule's policy. `workflow` finds the workflow of a run, which may
// require more; null if it does not exist.
using WalkedBy = std::function<model::WorkflowPtr(const decide::WorkflowStart& walk)>;
[[nodiscard]] std::optional<Error> check_asks(const decide::Plan& plan, const model::ApprovalPolicy& approval,
                                              const WalkedBy& workflow);

// The assignment that the schedule newly uses; null: none, or the same as before. `before` is null for a new
// schedule.
[[nodiscard]] const std::string* newly_assigned(const decide::Plan& plan, const model::Schedule* before);
// The error for a run or a node that must not start.
[[nodiscard]] Error not_approved(const std::string& run_id, const std::string& node);

// By run, then by age.
void sort_by_run(std::vector<model::Approval>& approvals);

// What the notifications about an applied plan depend on.
struct NewsOf {
    bool moved = false;     // its schedule's next fire time has changed
    bool followed = false;  // it wrote to the tenant's feed
    std::string default_connection = {};
    model::DefinitionPtr run_definition = {};  // the definition of a run that it starts; null: the current one
};
// Whether a tick must visit the schedule at another time than `fired_at`: the next fire time has changed, or buffered
// runs that the plan did not release wait for a tick.
[[nodiscard]] bool is_moved(const decide::Plan& plan, const std::optional<Instant>& fired_at);
[[nodiscard]] std::vector<Notification> notifications_of(const decide::Plan& plan, const model::Schedule& definition,
                                                         const NewsOf& news);

// Whether buffered runs of the tenant may be released from now on.
[[nodiscard]] inline bool switches_on(const std::optional<model::Tenant>& before, const model::Tenant& after) {
    return before && !before->dispatch_enabled && after.dispatch_enabled;
}

// A task to insert into a queue.
struct NewTask {
    model::RunKey run;
    std::string node = {};
    std::string queue = {};
    std::string assignee = {};
    int priority = 0;
    Instant ready_at = {};
    int attempts = 0;  // until now
    std::optional<std::chrono::milliseconds> timeout = {};
};
// The single task of a run, from the definition that decided the run and the run's input.
[[nodiscard]] NewTask single_task(const model::Schedule& definition, const Json& input, const model::RunKey& run,
                                  Instant ready_at, int attempts, const std::string& default_connection);
// `input` is that of the run: the record of a run's single task has none of its own.
[[nodiscard]] NewTask node_task(const model::NodeRun& node, const Json& input, const model::RunKey& run, int priority);
// The notification for waiting workers. It does not name the receiver of an `http` task.
[[nodiscard]] TasksReady news_of(const NewTask& task, const std::string& tenant, Instant now);

// A claim, as input for the worker's view of its task. `node` is empty for the single task of a run.
struct Claimed {
    const model::Run& run;
    const model::Schedule& definition;  // of the run's version
    const model::WorkflowRun* walk = nullptr;
    std::string node = {};
    int attempt = 0;
    Instant lease_until = {};
    std::string assignee = {};
    Instant ready_at = {};
};
[[nodiscard]] model::Task task_of(const Claimed& claimed);

// The key of a tenant's workflow.
[[nodiscard]] std::int64_t workflow_key(const std::string& tenant, const std::string& name);

// The time limit of an attempt that is claimed now: the task's, or else the server's. The single task of a run is
// also bound by the run's own limit; a workflow run has a deadline instead.
struct AttemptOf {
    std::optional<Micros> timeout = {};
    bool alone = false;
    bool again = false;    // it is not the first attempt
    Instant fire_at = {};  // of its run
};
[[nodiscard]] std::optional<Micros> attempt_time(const AttemptOf& attempt, const decide::RunCaps& caps, Instant now);

// The end of a requested lease: its length or the deadline, whichever comes first.
[[nodiscard]] Instant lease_end(Instant now, Micros lease, const std::optional<Instant>& deadline);

// Completes the facts with the attempt that has ended: its number and its start.
void tell_of_attempt(decide::Facts& facts, const model::Lease& lease);
// Sets a node's visible status: `running` if it has a lease, and the final status if its run has ended.
void show_progress(model::NodeRun& node, const model::Run& run, const std::optional<model::Lease>& lease);
// The event for a failed attempt of a run's single task, if a retry follows.
[[nodiscard]] model::RunEvent retry_event(const model::Lease& lease, const decide::AttemptEnd& end,
                                          const decide::Retry& retry, Instant now);
// The event for a transferred lease. A run without a workflow has no event counter: every delivered attempt has three
// numbers, for its start, for a report about it, and for its end.
[[nodiscard]] model::RunEvent passing_event(const LeaseTransfer& passed, bool again, Instant now);
// Whether the target can be dispatched. `known`: its workflow is, or once was, in the store.
[[nodiscard]] decide::TargetCheck check_target(const model::Target& target, bool known,
                                               const model::WorkflowPtr& found);
// The same for a run that waited for an approval: it uses the version that it waited with.
[[nodiscard]] decide::TargetCheck check_waiting(model::Target target, std::int64_t version,
                                                const model::WorkflowPtr& found);

// The run events for claimed nodes, including run.started if they are the run's first.
[[nodiscard]] std::vector<model::RunEvent> claim_events(bool first,
                                                        const std::vector<std::pair<std::string, int>>& nodes,
                                                        const std::string& worker, Instant now);

// Why a run cannot be replayed.
inline constexpr const char* kNoDeadLetter = "is no longer a dead letter: it was already replayed or dismissed";

// The slot of the requested run, if the plan has one. It comes last: released runs precede it.
[[nodiscard]] std::optional<std::int64_t> requested_slot(const decide::Plan& plan);

// Sorted without duplicates: the order in which schedules are locked.
[[nodiscard]] std::vector<std::int64_t> ascending(std::span<const std::int64_t> keys);

// Errors with the same text in every store.
[[nodiscard]] Error too_many_keys();
[[nodiscard]] Error schedule_not_found(const ScheduleRef& schedule);
[[nodiscard]] Error run_not_found(const std::string& run_id);
[[nodiscard]] Error tenant_not_found(const std::string& tenant);
[[nodiscard]] Error workflow_not_found(const std::string& name, const std::optional<std::int64_t>& version);
[[nodiscard]] Error dead_letter_not_found(const std::string& run_id);
[[nodiscard]] Error assignee_not_found(const std::string& id);
[[nodiscard]] Error assignment_not_found(const std::string& id);
[[nodiscard]] Error assignment_not_there(const std::string& id);  // for a schedule that tries to use it
[[nodiscard]] Error assignment_in_use(const std::string& id, const std::string& schedule);
[[nodiscard]] Error calendar_not_found(const std::string& name);
[[nodiscard]] Error backfill_not_found(const std::string& id);
[[nodiscard]] Error name_taken(const std::string& name);
[[nodiscard]] Error id_taken(const std::string& id);
[[nodiscard]] Error tenant_full(const std::string& tenant, std::int64_t most);
[[nodiscard]] Error moved_on(const decide::Plan& plan, std::int64_t revision);
[[nodiscard]] Error version_conflict(const std::string& what, std::int64_t expected);
[[nodiscard]] Error lease_lost(const model::LeaseRef& lease);
[[nodiscard]] Error lease_renewed(const model::LeaseRef& lease);
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
