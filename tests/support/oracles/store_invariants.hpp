// What must hold in the tables of a store, whatever has happened to it: an independent reader with statements of its
// own. The numbers are those of docs/internals/invariants.md.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "store/sql/database.hpp"

namespace belfry::test {

struct InvariantOptions {
    std::set<std::string> forgotten =
        {};  // ids of schedules whose runs were removed on purpose: their counters tell more
};

// Every breach in words; nothing when all is well. Reads one snapshot.
//
//   1      one row per slot, and no occurrence ran twice, for the tick and for a backfill
//   7      a cursor exactly while something can fire: active, or paused until an instant
//   8      events are 1, 2, 3… up to the state's count, every hash follows from the one before, and the state has the
//   last 10     a run that is over has its instant, and no lease 11     a run that waits for a worker or has one has
//   exactly one task or one lease, of its next attempt 17     counters agree with the rows: runs, trigger numbers, in
//   flight, buffered; status and version agree everywhere 22     whatever waits for approval is asked for and has no
//   task, and what has begun was approved if anybody was asked 23     budgets hold what their runs in flight have
//   reserved, and no other run has a reservation 19     what is in the feed and in deliveries fits its tenant and its
//   webhook; tenants count their enabled webhooks
//
// Tasks of runs that are over may stay where they wait: a claim drops them.
[[nodiscard]] std::vector<std::string> breaches_of_invariants(store::sql::Database& database,
                                                              const InvariantOptions& options = {});

}  // namespace belfry::test
