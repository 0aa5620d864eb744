// What the engine does with a store, in few words: the store's verbs with the planners of the decision layer. For tests
// of stores; every function says in its name what is asked, and answers what the store answered.
#pragma once

#include <string>
#include <vector>

#include "decide/approval/approval.hpp"
#include "decide/run/attempt.hpp"
#include "decide/schedule/backfill.hpp"
#include "decide/schedule/lifecycle.hpp"
#include "decide/schedule/trigger.hpp"
#include "store/store.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::test {

// A new id, as the engine makes them: later ones are greater.
[[nodiscard]] std::string new_id();

// "report" of the tenant "default", every hour in UTC, whose runs are tasks; with an id of its own, then as `edit` has
// it.
[[nodiscard]] model::Schedule task_schedule(const Edit& edit = {});
// "steps" of the tenant "default", not yet written: a, then b and c, then d, whose inputs refer to what came before.
[[nodiscard]] model::Workflow diamond();
// A schedule that walks it, then as `edit` has it.
[[nodiscard]] model::Schedule workflow_schedule(const Edit& edit = {});
[[nodiscard]] store::ScheduleRef ref_of(const model::Schedule& schedule);

// The verbs. `now` is when the engine asks.
[[nodiscard]] Result<void> create(store::Store& store, const std::vector<model::Schedule>& schedules, Instant now);
[[nodiscard]] Result<store::TickOutcome> tick(store::Store& store, Instant now, std::vector<std::int64_t> keys = {},
                                              const decide::Limits& limits = {});
[[nodiscard]] Result<decide::Plan> trigger(store::Store& store, const store::ScheduleRef& schedule, Instant now,
                                           const decide::TriggerRequest& request = {});
[[nodiscard]] Result<decide::Plan> pause(store::Store& store, const store::ScheduleRef& schedule, Instant now,
                                         const decide::PauseRequest& request = {"asked", {}});
[[nodiscard]] Result<decide::Plan> resume(store::Store& store, const store::ScheduleRef& schedule, Instant now);
[[nodiscard]] Result<decide::Plan> update(store::Store& store, const store::ScheduleRef& schedule, Instant now,
                                          const Edit& edit);
[[nodiscard]] Result<decide::Plan> remove(store::Store& store, const store::ScheduleRef& schedule, Instant now);
// The word of a person on a run that waits for it.
[[nodiscard]] Result<decide::Plan> judge(store::Store& store, const store::ScheduleRef& schedule,
                                         const std::string& run, const decide::ApprovalDecision& decision, Instant now);
// Nobody gave it in time.
[[nodiscard]] Result<decide::Plan> expire_approval(store::Store& store, const store::ScheduleRef& schedule,
                                                   const std::string& run, const std::string& node, Instant now);
// Does a run that failed in the end again, now.
[[nodiscard]] Result<decide::Plan> replay(store::Store& store, const store::ScheduleRef& schedule,
                                          const std::string& run, Instant now);
// Ends a run from outside, whatever it is doing.
[[nodiscard]] Result<decide::Plan> cancel(store::Store& store, const store::ScheduleRef& schedule,
                                          const std::string& run, Instant now);

[[nodiscard]] model::LeaseRef lease_of(const model::Task& task);
[[nodiscard]] decide::AttemptEnd succeeded(Json result = nullptr);
[[nodiscard]] decide::AttemptEnd failed(const std::string& error = "broken");
// What the reaper says of a lease that ran out at `now`.
[[nodiscard]] store::AttemptReport reaped(const model::LeaseRef& lease, Instant now);
// Its worker was lost: it stopped sending heartbeats before the attempt had taken too long.
[[nodiscard]] store::AttemptReport lost(const model::LeaseRef& lease, Instant now);
[[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> complete(
    store::Store& store, const std::vector<store::AttemptReport>& reports, Instant now);
// One report; the error of the whole or of this one.
[[nodiscard]] Result<decide::AttemptPlan> complete(store::Store& store, const store::AttemptReport& report,
                                                   Instant now);
// Usage of an attempt that continues.
[[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> report_usage(
    store::Store& store, const std::vector<store::UsageReport>& reports, Instant now);

[[nodiscard]] model::Backfill new_backfill(const model::Schedule& schedule, Instant from, Instant to, Instant now);
// The next page of at most `page` occurrences, or the end of the backfill; one that cannot go on fails.
[[nodiscard]] Result<store::BackfillStep> step(store::Store& store, const std::string& tenant,
                                               const model::Backfill& backfill, Instant now, int page);
[[nodiscard]] Result<store::BackfillStep> set_status(store::Store& store, const std::string& tenant,
                                                     const std::string& id, model::BackfillStatus status, Instant now);

// All pages, one after the other. What is refused is a failure of the test.
[[nodiscard]] std::vector<store::ScheduleRecord> all_schedules(store::Store& store, const store::ScheduleFilter& filter,
                                                               std::size_t page = 100);
[[nodiscard]] std::vector<model::Run> all_runs(store::Store& store, const store::RunFilter& filter,
                                               std::size_t page = 100);
[[nodiscard]] std::vector<store::EventRecord> all_events(store::Store& store, const store::ScheduleRef& schedule,
                                                         std::size_t page = 100);
[[nodiscard]] std::vector<store::Upcoming> all_upcoming(store::Store& store, std::size_t page = 100);

[[nodiscard]] std::vector<model::Run> all_dead_letters(store::Store& store, const std::string& tenant,
                                                       std::size_t page = 100);
[[nodiscard]] std::vector<store::WorkflowHead> all_workflows(store::Store& store, const std::string& tenant,
                                                             std::size_t page = 100);

// The stream is 1, 2, 3… up to the state's count, and every hash follows from the one before.
void expect_chain(const store::ScheduleRecord& schedule, const std::vector<store::EventRecord>& events);

}  // namespace belfry::test
