// The server as a worker sees it: claim tasks, keep their leases, tell how they ended. Thread-safe.
#pragma once

#include <atomic>
#include <compare>
#include <optional>
#include <vector>

#include "app/api_client.hpp"

namespace belfry::app {

// Names a claim; the attempt is the fencing token.
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

// How an attempt ended, in the API's words.
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
    std::string assignee = {};  // empty: tasks that are for everybody
    std::string name;
    std::chrono::milliseconds lease{30'000};
};

class WorkerApi {
public:
    WorkerApi(ApiClient& client, WorkerIdentity identity) : client_(client), identity_(std::move(identity)) {}
    [[nodiscard]] const WorkerIdentity& identity() const { return identity_; }

    // Waits up to `wait` while there is none; an older server does not know how, and answers at once.
    [[nodiscard]] Result<std::vector<ClaimedTask>> claim(std::size_t limit, std::chrono::milliseconds wait, const std::stop_token& stop);

    // Those that are still held.
    [[nodiscard]] Result<std::vector<TaskLease>> heartbeat(const std::vector<TaskLease>& leases, std::chrono::milliseconds timeout,
                                                           const std::stop_token& stop);

    // When the next attempt may begin; nothing: the task is over. `conflict`: the lease was lost, and nothing was changed.
    struct Taken {
        std::optional<std::string> retry_at;
    };
    [[nodiscard]] Result<Taken> complete(const TaskLease& lease, const AttemptReport& report, const std::stop_token& stop);

private:
    [[nodiscard]] std::string path(const std::string& verb) const;

    ApiClient& client_;
    const WorkerIdentity identity_;
    std::atomic<bool> can_wait_{true};
};

}  // namespace belfry::app
