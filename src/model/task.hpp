// A task: the unit of work that one worker claims under a lease. Plain data.
//
// A run whose target is a task has one, with an empty node. Its attempts are numbered from 1; the number is the fencing
// token of the lease, because a later claim always has a higher one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/identity.hpp"
#include "model/run.hpp"
#include "model/schedule.hpp"

namespace belfry::model {

// What a worker gets to see when it has claimed a task.
struct Task {
    std::string run_id;
    std::string schedule_id;
    std::string tenant;
    std::string schedule_name;
    std::string idempotency_key;
    std::string instance_id;
    Target target;  // as it was when the run was decided
    Json input = nullptr;
    RunSlot slot;
    int attempt = 0;  // the fencing token
    Instant lease_until = {};
    std::optional<std::chrono::milliseconds> timeout = {};
    friend bool operator==(const Task&, const Task&) = default;
};

// A claim as its worker names it: which run, and by which attempt.
struct LeaseRef {
    std::string run_id;
    int attempt = 0;
    friend bool operator==(const LeaseRef&, const LeaseRef&) = default;
};

struct Lease {
    LeaseRef ref;
    std::string worker;
    Instant since = {};
    Instant until = {};
    friend bool operator==(const Lease&, const Lease&) = default;
};

}  // namespace belfry::model
