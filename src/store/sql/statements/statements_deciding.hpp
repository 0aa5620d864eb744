// Statements that decide and apply plans.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/schedule/schedule.hpp"
#include "store/sql/row.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

// The current definition of a schedule.
struct DefinitionRow {
    std::int64_t key = 0;
    std::string id;
    std::string_view body;
};
// A version of a definition, by the key of its schedule and its number.
struct DefinitionVersion {
    std::pair<std::int64_t, std::int64_t> version;
    std::string_view body;
};
// What is known of a schedule without its definition.
struct KnownSchedule {
    std::int64_t key = 0;
    std::string id;
    std::string tenant;
    std::string name;
    std::int64_t version = 0;
    model::TargetType target_type = {};
    std::string target_kind;
};
struct NamedSchedule {
    std::int64_t key = 0;
    std::string tenant;
    std::string name;
};
struct CalendarOfSchedule {
    std::int64_t schedule = 0;
    std::string_view body;
};
struct TakenSlot {
    model::RunKey run;
    model::DispatchStatus dispatch = {};
    model::ExecutionStatus execution = {};
    friend auto operator<=>(const TakenSlot&, const TakenSlot&) = default;
};
struct BufferedInput {
    model::RunKey run;
    std::string_view input;
};
struct TenantFacts {
    std::int64_t key = 0;
    bool dispatch_enabled = true;
    std::optional<std::int64_t> runs_per_day;
    Followed followed;
    bool watched = false;  // conditions use the results of some of its targets
};
struct ScheduleTotal {
    std::int64_t tenant = 0;
    std::int64_t schedules = 0;
};
struct RunProgress {
    model::RunKey run;
    model::ExecutionStatus execution = {};
    std::optional<Instant> completed_at;
    int attempts = 0;
};

extern const Query<StateRow> kLockStates;      // by key, skipping locked rows
extern const Query<StateRow> kLockStatesWait;  // by key, waiting for locks
extern const Query<StateRow> kLockForPlans;    // by key, waiting; only the columns that a finished plan needs
extern const Query<StateRow> kLockDueStates;   // every due schedule
extern const Query<std::int64_t> kFindByName;
extern const Query<std::int64_t> kFindById;
extern const Query<NamedSchedule> kFindNames;  // by the tenant's key and the name
extern const Query<std::int64_t> kUsedKeys;    // of existing and removed schedules
extern const Query<DefinitionRow> kDefinitions;
extern const Query<DefinitionVersion> kDefinitionVersions;
extern const Query<KnownSchedule> kKnownOfSchedules;
extern const Query<CalendarOfSchedule> kCalendarsOf;  // calendars that schedules use, to compile them
extern const Query<TakenSlot> kTakenSlots;
extern const Query<BufferedInput> kBufferedRuns;
extern const Query<std::int64_t> kInFlightRuns;
extern const Query<TenantFacts> kTenantFacts;
extern const Query<std::int64_t> kTenantDay;
extern const Statement kAddTenantDay;
extern const Statement kUpdateState;
extern const Statement kUpdateStateAtEnd;
extern const Statement kInsertRun;
extern const Statement kReleaseRun;
extern const Statement kStartRun;
extern const Statement kEndRun;
extern const Statement kEndAttempt;
extern const Statement kRetryRun;
extern const Statement kInsertEvent;
extern const Statement kInsertReady;
extern const Statement kInsertDelayed;
extern const Statement kInsertSchedule;
extern const Statement kInsertState;
extern const Statement kUpdateSchedule;
extern const Statement kInsertDefinition;
extern const Statement kDeleteLabels;
extern const Statement kInsertLabel;
extern const Statement kDeleteCalendarUses;
extern const Statement kInsertCalendarUse;
extern const Statement kStamp;
extern const Statement kStampUsers;
extern const Query<ScheduleTotal> kScheduleTotals;
extern const Query<ScheduleTotal> kAddSchedules;
extern const Statement kSubtractSchedules;
extern const Statement kInsertRequest;
extern const Query<std::string_view> kEventHash;
extern const Query<RunProgress> kRunEnd;

}  // namespace belfry::store::sql
