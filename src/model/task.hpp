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
    Instant ready_at = {};        // since when it could have been claimed
    std::string queue = {};       // as people named it: where a connection is asked to put it
    std::string created_by = {};  // of its schedule
    bool immediate = false;       // its run is an immediate start (model/cause.hpp)
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
    Instant renewed = {};                  // when it was given or prolonged last
    friend bool operator==(const Lease&, const Lease&) = default;
};

// Queues of the server itself begin with this; nobody else can name or claim them.
inline constexpr char kOwnQueueMark = '@';
inline constexpr const char* kHttpQueue = "@http";
inline constexpr const char* kCommandQueue = "@command";

// Tasks that are handed over to a connection wait for it here, followed by its name.
inline constexpr std::string_view kHandOverQueues = "@to:";
// The name of no connection: what says it stays, whatever the others say.
inline constexpr std::string_view kBuiltIn = "builtin";

// Workers of the server itself begin with this, too. One that only carries tasks to a connection is known by its name: when its lease
// runs out, nobody has tried anything.
inline constexpr std::string_view kCourierMark = "@courier:";
inline constexpr std::string_view kConnectionMark = "connection:";  // whoever is at the other end of one
[[nodiscard]] inline bool is_handed_over(std::string_view worker) { return worker.starts_with(kCourierMark) || worker.starts_with(kConnectionMark); }
[[nodiscard]] inline bool is_courier(std::string_view worker) { return worker.starts_with(kCourierMark); }

// Kinds of tasks that the server does itself.
[[nodiscard]] NodeKind kind_of_task(std::string_view task_kind);

// The first of them that says where tasks go, and the server's default: node, schedule, workflow. Empty: to nobody, they stay in the built-in queue.
struct Routing {
    const WorkflowNode* node = nullptr;
    const Target& target;
    const Workflow* workflow = nullptr;
};
[[nodiscard]] std::string connection_for(const Routing& routing, const std::string& default_connection);
// The queue that people named.
[[nodiscard]] std::string named_queue(const Routing& routing);
// Where the task stands: a queue of the server's own, or the named one.
[[nodiscard]] std::string queue_for(const Routing& routing, const std::string& default_connection);
// The connection that the tasks of a queue leave for; empty: none.
[[nodiscard]] std::string connection_of(std::string_view queue);

}  // namespace belfry::model
