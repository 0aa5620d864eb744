// The server's API for a worker: claim tasks, renew their leases, complete them. Thread-safe.
#pragma once

#include <atomic>
#include <compare>
#include <optional>
#include <vector>

#include "app/client/api_client.hpp"

namespace belfry::app {

// Identifies a claim; the attempt is the fencing token.
struct TaskLease {
    std::string run_id;
    std::string node;  // of a workflow; empty: the run's only task
    std::int64_t attempt = 0;
    friend auto operator<=>(const TaskLease&, const TaskLease&) = default;
};

struct ClaimedTask {
    TaskLease lease;
    std::string kind;
    std::string idempotency_key;
    std::string schedule;
    std::string scheduled_at;
    Json input = nullptr;
    std::optional<std::chrono::milliseconds> timeout = {};
};

// How an attempt ended, with the API's names.
struct AttemptReport {
    std::string status;  // succeeded, failed, timed_out
    std::string category = {};
    Json result = nullptr;
    std::string error = {};
    friend bool operator==(const AttemptReport&, const AttemptReport&) = default;
};

struct WorkerIdentity {
    std::string tenant = "default";
    std::string queue = "default";
    std::string assignee = {};  // empty: tasks without an assignee
    std::string name;
    std::chrono::milliseconds lease{30'000};
};

class WorkerApi {
public:
    WorkerApi(ApiClient& client, WorkerIdentity identity) : client_(client), identity_(std::move(identity)) {}
    [[nodiscard]] const WorkerIdentity& identity() const { return identity_; }

    // Waits up to `wait` for a task. An older server does not support waiting and responds at once.
    [[nodiscard]] Result<std::vector<ClaimedTask>> claim(std::size_t limit, std::chrono::milliseconds wait,
                                                         const std::stop_token& stop);

    // Returns the leases that the worker still holds.
    [[nodiscard]] Result<std::vector<TaskLease>> heartbeat(const std::vector<TaskLease>& leases,
                                                           std::chrono::milliseconds timeout,
                                                           const std::stop_token& stop);

    // The time of the next attempt; empty if the task has ended. `conflict`: the lease was lost, and nothing was
    // changed.
    struct Taken {
        std::optional<std::string> retry_at;
    };
    [[nodiscard]] Result<Taken> complete(const TaskLease& lease, const AttemptReport& report,
                                         const std::stop_token& stop);

private:
    [[nodiscard]] std::string path(const std::string& verb) const;

    ApiClient& client_;
    const WorkerIdentity identity_;
    std::atomic<bool> can_wait_{true};
};

}  // namespace belfry::app
