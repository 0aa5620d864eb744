// Everything that can be read of some tenants, to compare two stores with each other and one store with what must hold.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/tenant/access.hpp"
#include "model/tenant/webhook.hpp"
#include "support/oracles/store_verbs.hpp"

namespace belfry::test {

// What is known of a run beside its row: the nodes and what happened. Two stores have definitions of their own, so that
// these are compared by what they say.
struct WalkOfRun {
    std::string run_id;
    std::optional<model::Workflow> workflow = {};
    std::vector<model::NodeRun> nodes = {};
    std::optional<Instant> deadline = {};
    std::int64_t count = 0;  // of events
    std::vector<model::RunEvent> events = {};
    friend bool operator==(const WalkOfRun&, const WalkOfRun&) = default;
};

struct Snapshot {
    std::vector<store::ScheduleRecord> schedules;                   // deleted ones, too
    std::vector<model::Run> runs;                                   // in the order of the lists
    std::map<std::string, std::vector<store::EventRecord>> events;  // by schedule
    std::vector<model::Lease> leases;
    std::vector<WalkOfRun> walks;                                    // of the runs that may have one
    std::vector<std::pair<std::string, model::Workflow>> workflows;  // the newest versions, with their tenants
    std::vector<std::string> dead_letters;                           // in the order of the list
    std::vector<store::OverdueRun> deadlines;                        // of all runs that have one
    std::vector<model::Approval> approvals;                          // decided ones, too
    std::vector<store::OverdueApproval> pending_approvals;
    std::vector<model::Backfill> backfills;
    std::vector<std::string> running_backfills;  // with their tenants
    std::vector<store::CalendarRecord> calendars;
    std::vector<std::pair<std::string, model::AssigneeRecord>> assignees;  // with their tenants
    std::vector<std::pair<std::string, model::WorkflowAssignment>> assignments;
    std::map<std::string, model::BudgetDay> budgets;  // by tenant, assignee and day, of the days that had runs
    std::vector<model::Tenant> tenants;
    std::vector<store::Upcoming> upcoming;
    std::vector<model::ApiKey> keys;
    std::vector<std::pair<std::string, model::Webhook>> webhooks;  // with their tenants
    std::vector<model::FeedItem> feed;        // without positions, which are the store's own affair
    std::vector<model::Delivery> deliveries;  // neither
    friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

[[nodiscard]] Snapshot read_everything(store::Store& store, const std::vector<std::string>& tenants);

// Where two of them differ, in words; empty when they are equal.
[[nodiscard]] std::string difference(const Snapshot& one, const Snapshot& other);

// Whether it records that a backfill met a slot that has its row already: then it tells of no skip.
[[nodiscard]] bool tells_of_taken_slot(const model::Event& event);

[[nodiscard]] std::string text_of(const model::Run& run);
[[nodiscard]] std::string text_of(const model::ScheduleState& state);
[[nodiscard]] std::string text_of(const decide::Plan& plan);

// Watches one store through its snapshots. The numbers are those of docs/internals/invariants.md.
class StoreLedger {
public:
    void created(const model::Schedule& schedule, Instant now);
    // From now on its rows may be fewer than its occurrences: it was paused, or given another spec.
    void interrupted(const std::string& schedule_id) { created_.erase(schedule_id); }
    // Rows were removed on purpose.
    void forgot_runs(const std::string& schedule_id) { forgotten_.insert(schedule_id); }

    // What has run may run again: somebody asked for that.
    void reruns(const std::string& schedule_id) { rerun_.insert(schedule_id); }

    void check(const Snapshot& now);

private:
    void check_rows(const store::ScheduleRecord& schedule, const std::vector<model::Run>& rows);
    void check_occurrences(const store::ScheduleRecord& schedule, const std::vector<model::Run>& rows) const;
    void check_counters(const store::ScheduleRecord& schedule, const std::vector<model::Run>& rows,
                        const std::vector<store::EventRecord>& events) const;
    void check_cursor(const store::ScheduleRecord& schedule, const std::vector<store::EventRecord>& events);
    void check_leases(const Snapshot& now) const;
    static void check_workflow_run(const model::Run& run, const WalkOfRun& walk,
                                   std::map<std::pair<std::string, std::string>, int>& held);

    struct Cursor {
        std::optional<Instant> next_occurrence = {};
        std::int64_t version = 0;
        std::int64_t revision = 0;
        std::int64_t resumed = 0;
    };
    std::map<std::string, Instant> created_;
    std::set<std::string> forgotten_;
    std::set<std::string> rerun_;
    std::map<std::string, model::Run> ended_;  // as they were when they ended
    std::map<std::string, Cursor> cursors_;
    std::map<std::string, std::vector<store::EventRecord>> events_;
};

}  // namespace belfry::test
