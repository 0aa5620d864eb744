// Statements that measure the usage of tenants.
#pragma once

#include <utility>

#include "store/sql/row.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct MeasuredRow {
    std::pair<std::int64_t, std::int64_t> place;
    std::int64_t tenant = 0;
    std::int64_t bytes = 0;
};
struct TenantRuns {
    std::int64_t tenant = 0;
    std::int64_t runs = 0;
};

extern const Query<TenantRuns> kTenantDays;
extern const Query<TenantUsage> kTenantUsage;
extern const Query<TenantOverLimit> kTenantsOverBytes;
extern const Query<MeasuredRow> kMeasureDefinitions;
extern const Query<MeasuredRow> kMeasureRuns;
extern const Query<MeasuredRow> kMeasureEvents;
extern const Query<MeasuredRow> kMeasureNodes;
extern const Query<MeasuredRow> kMeasureRunEvents;
extern const Query<MeasuredRow> kMeasureWorkflows;
extern const Query<MeasuredRow> kMeasureCalendars;
extern const Statement kPutMeasured;
extern const Statement kClearMeasured;

}  // namespace belfry::store::sql
