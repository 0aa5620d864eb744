// Carries tasks to one broker: those of the queue @to:NAME, of all tenants. Every server has one for each connection.
//
// A step claims a batch of one tenant, publishes it in order, and settles what was acknowledged, which ends the tasks or passes their
// leases on to whoever is at the other end. Nothing is settled before it is acknowledged, so every task arrives at least once, and always
// under the same key. While the broker is away the batch stays claimed, and its first message is tried again now and then: so the order is
// kept, and no task pays for it with an attempt. A task that has waited for longer than the connection allows has failed.
//
// The tasks of one tenant are carried by one server at a time, that of its share, so that the tasks of a schedule arrive in their order.
// A server whose share it becomes waits until no other courier of the connection holds any: one that died gives them back when its leases
// run out. Order is a promise as far as the broker keeps it: docs/adr/0019-hand-over.md says when it can break.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/sealing.hpp"
#include "engine/connection_book.hpp"
#include "engine/executor.hpp"
#include "engine/runs.hpp"
#include "engine/shares.hpp"
#include "engine/trouble.hpp"
#include "engine/worker.hpp"

namespace belfry::engine {

struct CourierOptions {
    std::size_t batch = 100;
    Micros lease = Seconds{10};        // at least, and twice the broker's longest call
    Micros look_every = Seconds{5};    // for tasks of tenants that had some lately, whatever was announced
    Micros sweep_every = Seconds{30};  // for those of all tenants
    BackoffLimits pauses = {.first = std::chrono::milliseconds{200}, .longest = Seconds{15}};
};

class Courier final : public Worker {
public:
    struct Collaborators {
        store::Store& store;
        Runs& runs;
        Observer& observer;
        const SteadyClock& steady;
        ConnectionBook& book;
        Sealer* sealer = nullptr;
    };
    // REQUIRES: the connection has a broker; it and the collaborators outlive it.
    Courier(const Collaborators& with, const Connection& connection, const std::string& server, CourierOptions options, Backoff::Random random);

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] bool carries_to(const std::string& connection) const { return connection_.name == connection; }
    Micros step() override;

    // From any thread.
    void hear(const store::TasksReady& ready);
    void look_again();
    void share(const Shares& shares);
    void interrupt() { stop_.request_stop(); }

    // After the last step: what was not handed over goes back, so that another server need not wait for the leases.
    void finish();

private:
    struct Line {                        // the tasks of one tenant
        std::set<Instant> ready = {};    // when there may be some
        Micros next_look = Micros{0};    // at the latest, while it is known
        Micros known_until = Micros{0};  // unless there are more
    };
    struct Item {
        model::Task task;
        std::optional<Executor::Done> done = {};
        [[nodiscard]] model::LeaseRef lease() const { return {task.run_id, task.attempt, task.node}; }
    };

    void take_news();
    [[nodiscard]] bool is_mine(const std::string& tenant) const;
    [[nodiscard]] Result<void> find_lines();
    [[nodiscard]] Result<bool> others_hold_some(Instant now);
    [[nodiscard]] Result<bool> claim(Instant now);  // whether it got some
    [[nodiscard]] Result<void> prolong();
    void publish(Instant now);
    void ask(Instant now);  // whether it is back, while there is nothing to publish
    void meet_success();
    void meet_failure(const std::string& error, Instant now);
    [[nodiscard]] Result<void> settle();
    void give_back();
    [[nodiscard]] Micros until_next(Instant now) const;

    const Collaborators with_;
    const Connection& connection_;
    const std::string name_;
    const std::string queue_;
    const std::string others_;  // what the names of its couriers begin with
    const std::string worker_;
    const CourierOptions options_;
    const Micros lease_;
    Trouble trouble_;
    Backoff pauses_;
    std::stop_source stop_;

    // Of the stepping thread.
    std::map<std::string, Line> lines_;  // by tenant
    std::string last_served_;
    std::vector<Item> batch_;  // of one tenant, in order: what is done, and what is still to be published
    Micros next_beat_{0};
    Micros paused_until_{0};
    bool away_ = false;     // the broker, when it was last asked
    Micros wary_until_{0};  // until then somebody else may hold tasks that come first
    Micros next_sweep_{0};
    std::string sweep_after_ = {};  // the tenant that the sweep has come to
    bool sweep_again_ = false;      // something was missed meanwhile
    Shares shares_;

    // Of everybody, with the lock.
    std::mutex mutex_;
    std::vector<store::TasksReady> heard_;
    bool missed_some_ = true;
    Shares new_shares_;
};

}  // namespace belfry::engine
