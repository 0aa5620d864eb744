// The columns of a run with the lease of its single task, and their reader, which keeps this order.
#pragma once

#include <optional>
#include <string>

#include "model/run/run.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

// Defined in the header, so that statements in other files can use them during static initialization.
inline const std::string kOwnRunColumns =
    "r_.schedule_key, r_.slot, r_.version, r_.fire_us, r_.decided_us, r_.dispatch, r_.execution, r_.reason, r_.detail, "
    "r_.input, "
    "r_.trigger_number, r_.rotation_index, r_.overlap, r_.range_last_us, r_.range_count, r_.range_at_least, "
    "r_.completed_us, r_.started_us, "
    "r_.attempts, r_.result, r_.error, ";
inline const std::string kRunColumns = kOwnRunColumns + "l.attempt, l.since_us, r_.tenant_key";
// Without the lease: for runs that have none, or whose lease is known.
inline const std::string kRunColumnsAlone =
    kOwnRunColumns + "CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), r_.tenant_key";
inline const std::string kLeaseOfRun =
    " LEFT JOIN leases l ON l.schedule_key = r_.schedule_key AND l.slot = r_.slot AND l.node = '' ";

// A run's row, without the parts that come from its schedule's definition.
struct RunRow {
    model::RunKey key;
    model::Run run = {};
    bool own_input = false;   // the input comes from the definition, not from the row
    bool unreadable = false;  // input or result is not JSON: it is null, and the run's error explains it
    std::int64_t tenant = 0;
};
// Columns kRunColumns.
[[nodiscard]] RunRow read_run(Columns& row);

// The run's value in the index by state; empty for queued, running and succeeded runs.
[[nodiscard]] std::optional<std::int64_t> standing_of(model::DispatchStatus dispatch, model::ExecutionStatus execution);

}  // namespace belfry::store::sql
