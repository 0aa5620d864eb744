// A task: the unit of work that one worker claims under a lease. Plain data.
//
// A run has one task with an empty node, or one task for every node of its workflow. Attempts are numbered from 1.
// The number is the fencing token of the lease, because a later claim always has a higher one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/identity.hpp"
#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::model {

// A claimed task as the worker receives it.
struct Task {
    std::string run_id;
    std::string schedule_id;
    std::string tenant;
    std::string schedule_name;
    std::string idempotency_key;
    std::string instance_id;
    Target target;          // as of the run's decision
    std::string node = {};  // of a workflow; empty: the run's only task
    NodeKind kind = NodeKind::task;
    std::string task_kind = {};  // the kind of work
    std::string action = {};     // of the node, from its workflow
    std::string assignee = {};
    std::optional<std::int64_t> workflow_version = {};
    WorkflowPtr workflow = {};  // that the node belongs to; null: the run's only task
    Json input = nullptr;
    RunSlot slot;
    int attempt = 0;  // the fencing token
    Instant lease_until = {};
    std::optional<std::chrono::milliseconds> timeout = {};
    Instant ready_at = {};        // when it became claimable
    std::string queue = {};       // as the user named it: the destination at a connection
    std::string created_by = {};  // of its schedule
    bool immediate = false;       // its run is an immediate start (model/schedule/cause.hpp)

    // The key of the run: the task's own without its node.
    [[nodiscard]] std::string run_key() const { return idempotency_key.substr(0, idempotency_key.find(':')); }
    friend bool operator==(const Task&, const Task&) = default;
};

// A worker's reference to its claim: run, attempt and node.
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
    std::optional<Instant> deadline = {};  // heartbeats cannot renew the lease beyond this
    Instant renewed = {};                  // the time of the claim or of the latest renewal
    friend bool operator==(const Lease&, const Lease&) = default;
};

// Prefix of the server's own queues. Clients cannot name or claim from them.
inline constexpr char kOwnQueueMark = '@';
inline constexpr const char* kHttpQueue = "@http";
inline constexpr const char* kCommandQueue = "@command";

// A tenant's `http` tasks wait apart by receiver, so that a slow receiver delays only its own tasks. The queue of a
// receiver is @http: and a number, which is a hash of the receiver. Receivers with the same number share a queue.
inline constexpr int kReceiverBits = 16;
[[nodiscard]] std::string receiver_queue(std::int64_t number);
// The queue for a task with this input. An input without a URL belongs to @http itself.
[[nodiscard]] std::string receiver_queue(const Json& input);
// The receiver's number; empty for other queues.
[[nodiscard]] std::optional<std::int64_t> receiver_in(std::string_view queue);
// The queue without its receiver, as users see it.
[[nodiscard]] std::string_view without_receiver(std::string_view queue);

// Prefix of the queues whose tasks wait for delivery to a connection; the connection's name follows.
inline constexpr std::string_view kHandOverQueues = "@to:";
// The reserved connection name for "no connection": the task stays in Belfry's own queue, even if a connection is set
// at a more general level.
inline constexpr std::string_view kBuiltIn = "builtin";

// Prefix of workers that only deliver tasks to a connection. If the lease of such a worker expires, no attempt was
// made.
inline constexpr std::string_view kPublisherMark = "@courier:";
inline constexpr std::string_view kConnectionMark = "connection:";  // prefix of workers behind a connection
[[nodiscard]] inline bool is_handed_over(std::string_view worker) {
    return worker.starts_with(kPublisherMark) || worker.starts_with(kConnectionMark);
}
[[nodiscard]] inline bool is_publisher(std::string_view worker) { return worker.starts_with(kPublisherMark); }

// The node kind of a task kind: `http` and `command` are tasks that the server does itself.
[[nodiscard]] NodeKind kind_of_task(std::string_view task_kind);

// Where a task goes: the first of node, schedule, workflow and the server's default that is set decides. Empty:
// Belfry's own queue.
struct Routing {
    const WorkflowNode* node = nullptr;
    const Target& target;
    const Workflow* workflow = nullptr;
};
[[nodiscard]] std::string connection_for(const Routing& routing, const std::string& default_connection);
// The queue as the user named it.
[[nodiscard]] std::string named_queue(const Routing& routing);
// The queue that holds the task: one of the server's own queues, or the named one.
[[nodiscard]] std::string queue_for(const Routing& routing, const std::string& default_connection);
// The connection that takes the tasks of a queue; empty: none.
[[nodiscard]] std::string connection_of(std::string_view queue);

}  // namespace belfry::model
