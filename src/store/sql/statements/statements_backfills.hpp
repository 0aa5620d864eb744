// Statements for backfills.
#pragma once

#include <string>

#include "model/schedule/backfill.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

struct RunningBackfill {
    model::Backfill backfill;
    std::string tenant;
};

extern const Query<model::Backfill> kBackfill;
extern const Query<model::Backfill> kLockBackfill;
extern const Query<model::Backfill> kBackfillsOfSchedule;
extern const Statement kBackfillExists;
extern const Query<std::string> kBackfillNotOver;
extern const Query<RunningBackfill> kRunningBackfills;
extern const Statement kInsertBackfill;
extern const Statement kUpdateBackfill;

}  // namespace belfry::store::sql
