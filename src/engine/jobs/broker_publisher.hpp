// Publishes tasks to one broker: the tasks of the queue @to:NAME, of all tenants. Every server has one publisher for
// each connection.
//
// A step claims a batch of one tenant's tasks, publishes it in order, and settles the acknowledged messages: it ends
// their tasks or transfers their leases to the receiver. The publisher settles nothing before the broker acknowledges
// it, so every task arrives at least once, always under the same key. While the broker is unavailable, the publisher
// keeps the batch claimed and retries its first message with backoff. This keeps the order and costs no task an
// attempt. A task that waits longer than the connection allows fails.
//
// One server at a time publishes the tasks of a tenant: the one whose shard the tenant is in. So the tasks of a
// schedule arrive in order. A server that takes a tenant over waits until no other publisher of the connection holds
// any of its tasks; the leases of a dead publisher run out. The order is only as strong as the broker's:
// docs/adr/0019-hand-over.md lists when it can break.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/crypto/sealing.hpp"
#include "base/time/clock.hpp"
#include "engine/jobs/background_job.hpp"
#include "engine/jobs/executor.hpp"
#include "engine/jobs/failure_tracker.hpp"
#include "engine/jobs/shard_assignment.hpp"
#include "engine/outgoing/connection_stats.hpp"
#include "engine/outgoing/queue_watcher.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::engine {

struct BrokerPublisherOptions {
    std::size_t batch = 100;
    Micros lease = Seconds{10};        // at least this, and at least twice the broker's longest call
    Micros look_every = Seconds{5};    // for tasks of recently active tenants, even without a notification
    Micros sweep_every = Seconds{30};  // for tasks of all tenants
    BackoffLimits pauses = {.first = std::chrono::milliseconds{200}, .longest = Seconds{15}};
};

class BrokerPublisher final : public BackgroundJob {
public:
    struct Collaborators {
        store::TaskStore& store;
        Runs& runs;
        Observer& observer;
        const SteadyClock& steady;
        ConnectionStats& stats;
        Sealer* sealer = nullptr;
    };
    // REQUIRES: the connection has a broker; the connection and the collaborators outlive this object.
    BrokerPublisher(const Collaborators& with, const Connection& connection, const std::string& server,
                    BrokerPublisherOptions options, Backoff::Random random);

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] bool carries_to(const std::string& connection) const { return connection_.name == connection; }
    Micros step() override;

    // From any thread.
    void on_notification(const store::TasksReady& ready) { watcher_.on_notification(ready); }
    void look_again() { watcher_.look_again(); }
    void share(const ShardAssignment& shares);
    void interrupt() { stop_.request_stop(); }

    // Call after the last step. Puts undelivered tasks back, so that another server need not wait for their leases.
    void finish();

private:
    struct Item {
        model::Task task;
        std::optional<Executor::Done> done = {};
        [[nodiscard]] model::LeaseRef lease() const { return {task.run_id, task.attempt, task.node}; }
    };

    void take_news();
    [[nodiscard]] bool is_mine(const std::string& tenant) const;
    [[nodiscard]] Result<bool> others_hold_some(Instant now);
    [[nodiscard]] Result<bool> claim(Instant now);  // whether it claimed any, or another line may be due
    [[nodiscard]] Result<void> renew();
    void publish(Instant now);
    void ask(Instant now);  // checks whether the broker is back while there is nothing to publish
    void meet_success();
    void meet_failure(const std::string& error, Instant now);
    [[nodiscard]] Result<void> settle();
    void give_back();
    [[nodiscard]] Micros until_next(Instant now) const;

    const Collaborators with_;
    const Connection& connection_;
    const std::string name_;
    const std::string queue_;
    const std::string others_;  // the common prefix of the worker names of this connection's publishers
    const std::string worker_;
    const BrokerPublisherOptions options_;
    const Micros lease_;
    FailureTracker failures_;
    Backoff pauses_;
    std::stop_source stop_;

    // Only for the stepping thread.
    QueueWatcher watcher_;
    std::string last_served_;
    std::vector<Item> batch_;  // of one tenant, in order: settled or waiting to be published
    Micros next_beat_{0};
    Micros paused_until_{0};
    bool away_ = false;     // the last call to the broker failed
    Micros wary_until_{0};  // until then another publisher may hold tasks that come first
    ShardAssignment shares_;

    // For any thread, under the lock.
    std::mutex mutex_;
    ShardAssignment new_shares_;
};

}  // namespace belfry::engine
