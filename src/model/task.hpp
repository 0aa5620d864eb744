// A task: the unit of work that one worker claims under a lease. Plain data.
//
// A run has one, with an empty node, or one for every node of its workflow. Its attempts are numbered from 1; the number is
// the fencing token of the lease, because a later claim always has a higher one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/identity.hpp"
#include "model/node.hpp"
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
    Target target;          // as it was when the run was decided
    std::string node = {};  // of a workflow; empty: the run's only task
    NodeKind kind = NodeKind::task;
    std::string task_kind = {};  // what is to be done
    std::string action = {};     // of the node, as its workflow says
    std::string assignee = {};
    std::optional<std::int64_t> workflow_version = {};
    Json input = nullptr;
    RunSlot slot;
    int attempt = 0;  // the fencing token
    Instant lease_until = {};
    std::optional<std::chrono::milliseconds> timeout = {};
    friend bool operator==(const Task&, const Task&) = default;
};

// A claim as its worker names it: which run, by which attempt, and of which node.
struct LeaseRef {
    std::string run_id;
    int attempt = 0;
    std::string node = {};
    friend bool operator==(const LeaseRef&, const LeaseRef&) = default;
};

struct Lease {
    LeaseRef ref;
    std::string worker;
    Instant since = {};
    Instant until = {};
    std::optional<Instant> deadline = {};  // no heartbeat prolongs it beyond this
    friend bool operator==(const Lease&, const Lease&) = default;
};

// Queues of the server itself begin with this; nobody else can name or claim them.
inline constexpr char kOwnQueueMark = '@';
inline constexpr const char* kHttpQueue = "@http";
inline constexpr const char* kCommandQueue = "@command";

// Kinds of tasks that the server does itself.
[[nodiscard]] NodeKind kind_of_task(std::string_view task_kind);
// Where the only task of a run stands.
[[nodiscard]] std::string queue_of(const Target& target);

}  // namespace belfry::model
