// Statements that read lists and single records.
#pragma once

#include "base/result.hpp"
#include "store/sql/row.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

extern const Query<RunRow> kRunsByKey;
extern const Query<RunRow> kRunsAlone;  // queued, even if a worker holds the task
extern const Query<RunRow> kRunsOfSchedule;
extern const Query<RunRow> kRunsOfScheduleStanding;
extern const Query<RunRow> kRunsOfScheduleSucceeded;
extern const Query<RunRow> kRunsOfTenant;
extern const Query<RunRow> kRunsOfTenantStanding;
extern const Query<RunRow> kRunsOfTenantSucceeded;
extern const Query<RunRow> kRunsRunning;
extern const Query<RunRow> kRunsQueued;
extern const Query<Result<EventRecord>> kEvents;
extern const Query<Upcoming> kUpcoming;
extern const Query<Upcoming> kLook;

}  // namespace belfry::store::sql
