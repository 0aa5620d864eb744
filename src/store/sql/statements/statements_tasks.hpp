// Statements for tasks and leases.
#pragma once

#include <optional>
#include <string>

#include "model/run/task.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

// A task in a queue, ready or delayed.
struct QueuedTask {
    std::int64_t rank = 0;
    std::int64_t ready_us = 0;
    model::RunKey run;
    std::string node;
    std::int64_t attempt = 0;  // until now
    std::optional<std::int64_t> timeout_us;
};
struct TaskBytes {
    model::RunKey run;
    std::optional<std::int64_t> input;  // empty: that of the definition
    std::int64_t definition = 0;
};
struct NodeBytes {
    model::RunKey run;
    std::string node;
    std::int64_t input = 0;
};
struct HeldLease {
    model::RunKey run;
    std::int64_t attempt = 0;
    std::string node;
};
struct LeaseRow {
    model::RunKey run;
    model::Lease lease;
    std::int64_t queue = 0;  // that the task was claimed from
};

extern const Query<std::int64_t> kWaitingLines;
extern const Query<std::int64_t> kReadyQueues;
extern const Query<std::int64_t> kDueQueues;
extern const Query<QueuedTask> kPickDelayed;
extern const Statement kDeleteDelayed;
extern const Query<QueuedTask> kPickReady;
extern const Query<TaskBytes> kTaskBytes;
extern const Query<NodeBytes> kNodeBytes;
extern const Statement kLockReady;  // after a commit whose outcome is unknown
extern const Statement kLockDelayed;
extern const Statement kInsertLease;
extern const Query<HeldLease> kHeartbeat;
extern const Query<LeaseRow> kExpiredLeases;
extern const Query<LeaseRow> kLockLeases;
extern const Query<LeaseRow> kTakeLeases;
extern const Statement kRestoreLease;  // one that was taken
extern const Statement kPassOn;
extern const Statement kRedate;
extern const Statement kDeleteLease;
extern const Statement kDeleteLeasesOfRun;

}  // namespace belfry::store::sql
