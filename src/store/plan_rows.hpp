// What a plan means for rows, whatever keeps them: the rules that every store shares. Pure.
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

// The input that the definition itself gives to a run: not worth a copy in every row.
[[nodiscard]] const Json& own_input(const model::Schedule& definition, const std::optional<std::int64_t>& rotation_index);

// Whether a team has to do its runs.
[[nodiscard]] bool is_of_team(const model::Schedule& definition);

// How many runs the plan dispatched: what counts against the tenant's day.
[[nodiscard]] std::int64_t dispatched_in(const decide::Plan& plan);

// What the plan takes of the budgets of assignees, by assignee and day: runs that it dispatches, and what is reserved for those
// that it leaves in flight.
using BudgetKey = std::pair<std::string, model::Day>;
[[nodiscard]] std::map<BudgetKey, model::BudgetDay> taken_by(const decide::Plan& plan);
// The end of a run with the reservation that has used so much.
[[nodiscard]] model::BudgetDay settlement(const model::Reservation& reservation, model::Credits used);
void add(model::BudgetDay& day, const model::BudgetDay& more);

// Who has the attempt at the node, in whose name it uses what it uses; empty: nobody.
[[nodiscard]] std::string assignee_of_attempt(const decide::Facts& facts, const std::string& node);

// What the attempts at a run have used, by node and number.
using UsageByAttempt = std::map<std::pair<std::string, int>, model::Usage>;
[[nodiscard]] std::optional<model::Usage> used_by_all(const UsageByAttempt& attempts);
[[nodiscard]] std::optional<model::Usage> used_by_node(const UsageByAttempt& attempts, const std::string& node);
// The facts of an attempt that reports, and of one that does not.
void tell_of_usage(decide::Facts& facts, const UsageByAttempt& attempts, const model::LeaseRef& lease, const std::optional<model::Usage>& report);

// What `last_24h_stats` counts: the newest ends of runs of the target, in this span, and no more of them than this.
inline constexpr Micros kStatsSpan = std::chrono::hours{24};
inline constexpr std::int64_t kStatsRunsMax = 10'000;

// Whether the decision may look at the runs in flight.
[[nodiscard]] bool wants_in_flight(const model::Schedule& definition, const Needs& needs);

// Whether a run that ends so waits for somebody to look at it.
[[nodiscard]] bool is_dead_letter(model::ExecutionStatus status);

// Whether a run may be forgotten: it was skipped, or it has ended.
[[nodiscard]] bool is_history(const model::Run& run);

// Since when a schedule may be removed that a plan leaves so: the epoch while it may fire, and never (nothing) when it is completed and
// stays until somebody deletes it. A start without a schedule that was skipped is nobody's to delete.
[[nodiscard]] std::optional<Instant> ended_since(const decide::Plan& plan, const model::Schedule& definition);

// A plan that must not be written: an event's payload does not match the registry, or the sequence has a gap. `before` is
// the sequence of the newest event so far.
[[nodiscard]] std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before);
// A new schedule that is deleted from the start, as one that was refused is, neither takes its name nor counts.
[[nodiscard]] inline bool takes_name(const decide::Plan& plan) { return plan.state.status != model::ScheduleStatus::deleted; }

// A plan that must not be written: it lets something begin that it asks for, or that is to be approved first, or lets something
// wait for which nobody is asked.
[[nodiscard]] std::optional<Error> check_asks(const decide::Plan& plan, const model::ApprovalPolicy& approval);

// The assignment that the plan's schedule begins to name; null: it names the same as before, or none. `before` is null for a new one.
[[nodiscard]] const std::string* newly_assigned(const decide::Plan& plan, const model::Schedule* before);
// Why a run or a node may not begin.
[[nodiscard]] Error not_approved(const std::string& run_id, const std::string& node);

// By run, then by age.
void sort_by_run(std::vector<model::Approval>& approvals);

// What others want to know about a plan that was applied.
struct NewsOf {
    bool moved = false;     // its schedule's next fire time is news to them
    bool followed = false;  // it went into the feed of its tenant
    std::string default_connection = {};
    model::DefinitionPtr run_definition = {};  // by which a run that it starts was decided; null: by the one in force
};
// Whether somebody has to look at the schedule at another time than at `fired_at`: its next fire time has changed, or what is buffered could
// not be released by the plan and waits for a tick.
[[nodiscard]] bool is_moved(const decide::Plan& plan, const std::optional<Instant>& fired_at);
[[nodiscard]] std::vector<Announcement> announcements_of(const decide::Plan& plan, const model::Schedule& definition, const NewsOf& news);

// Whether what is buffered in the tenant may be released from now on.
[[nodiscard]] inline bool switches_on(const std::optional<model::Tenant>& before, const model::Tenant& after) {
    return before && !before->dispatch_enabled && after.dispatch_enabled;
}

// A task as it is put into a queue.
struct NewTask {
    model::RunKey run;
    std::string node = {};
    std::string queue = {};
    std::string assignee = {};
    int priority = 0;
    Instant ready_at = {};
    int attempts = 0;  // so far
    std::optional<std::chrono::milliseconds> timeout = {};
};
// The only task of a run, in the words of the definition that the run was decided by.
[[nodiscard]] NewTask single_task(const model::Schedule& definition, const model::RunKey& run, Instant ready_at, int attempts,
                                  const std::string& default_connection);
[[nodiscard]] NewTask node_task(const model::NodeRun& node, const model::RunKey& run, int priority);
// What waiting workers are told.
[[nodiscard]] TasksReady news_of(const NewTask& task, const std::string& tenant, Instant now);

// What a worker gets to see of a claim. `node` is null for the only task of a run.
struct Claimed {
    const model::Run& run;
    const model::Schedule& definition;  // of the run's version
    const model::Walk* walk = nullptr;
    std::string node = {};
    int attempt = 0;
    Instant lease_until = {};
    std::string assignee = {};
    Instant ready_at = {};
};
[[nodiscard]] model::Task task_of(const Claimed& claimed);

// The key of a tenant's workflow.
[[nodiscard]] std::int64_t workflow_key(const std::string& tenant, const std::string& name);

// How long an attempt that is claimed now may take: as its task says, or else the server. The only task of a run is bounded by the run's own
// time as well; a run that walks a workflow has a deadline for that.
struct AttemptOf {
    std::optional<Micros> timeout = {};
    bool alone = false;
    bool again = false;    // it was tried before
    Instant fire_at = {};  // of its run
};
[[nodiscard]] std::optional<Micros> attempt_time(const AttemptOf& attempt, const decide::RunCaps& caps, Instant now);

// When a lease that is asked for ends: the timeout may come first.
[[nodiscard]] Instant lease_end(Instant now, Micros lease, const std::optional<Instant>& deadline);

// Completes the facts by the attempt that has ended: how often it was tried, and since when.
void tell_of_attempt(decide::Facts& facts, const model::Lease& lease);
// A node as people see it: its lease says that it is running, the end of its run that it never will.
void show_progress(model::NodeRun& node, const model::Run& run, const std::optional<model::Lease>& lease);
// The failure of an attempt at a run's only task that is followed by another one.
[[nodiscard]] model::RunEvent retry_event(const model::Lease& lease, const decide::AttemptEnd& end, const decide::Retry& retry, Instant now);
// What is noted when a lease is passed on. A run that walks no workflow has no counter: every attempt that was handed over has three
// numbers, for its beginning, for what is told of it, and for its end.
[[nodiscard]] model::RunEvent passing_event(const PassedOn& passed, bool again, Instant now);
// What a target's workflow allows, when it is, or was, in the store.
[[nodiscard]] decide::TargetCheck check_target(const model::Target& target, bool known, const model::WorkflowPtr& found);
// The same for a run that waited for approval: it walks the version that it waited for.
[[nodiscard]] decide::TargetCheck check_waiting(model::Target target, std::int64_t version, const model::WorkflowPtr& found);

// What is added to the events of a run whose nodes were claimed: that it has started, when these are the first.
[[nodiscard]] std::vector<model::RunEvent> claim_events(bool first, const std::vector<std::pair<std::string, int>>& nodes, const std::string& worker,
                                                        Instant now);

// Why a run cannot be replayed.
inline constexpr const char* kNoDeadLetter = "is no dead letter any more: somebody has replayed or dismissed it";

// The slot of the run that was asked for, when the plan has one: what leaves the buffer comes before it.
[[nodiscard]] std::optional<std::int64_t> requested_slot(const decide::Plan& plan);

// Each once, in the order in which schedules are locked.
[[nodiscard]] std::vector<std::int64_t> ascending(std::span<const std::int64_t> keys);

// Errors that read the same from every store.
[[nodiscard]] Error too_many_keys();
[[nodiscard]] Error schedule_not_found(const ScheduleRef& schedule);
[[nodiscard]] Error run_not_found(const std::string& run_id);
[[nodiscard]] Error tenant_not_found(const std::string& tenant);
[[nodiscard]] Error workflow_not_found(const std::string& name, const std::optional<std::int64_t>& version);
[[nodiscard]] Error dead_letter_not_found(const std::string& run_id);
[[nodiscard]] Error assignee_not_found(const std::string& id);
[[nodiscard]] Error assignment_not_found(const std::string& id);
[[nodiscard]] Error assignment_not_there(const std::string& id);  // that a schedule is to name
[[nodiscard]] Error assignment_in_use(const std::string& id, const std::string& schedule);
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
