// The tasks that a worker is at, a thread each, and how long their leases last at least. Thread-safe, but for `start` and the
// two waits, which one thread calls.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "app/worker_api.hpp"
#include "base/clock.hpp"

namespace belfry::app {

class RunningTasks {
public:
    // Asked to stop when the lease is lost, or when all are to be stopped.
    using Work = std::function<void(const ClaimedTask& task, const std::stop_token& stop)>;

    ~RunningTasks() { wait_for_all(); }

    void start(ClaimedTask task, Micros held_until, Work work);

    // How many more than now there may be, waiting until it is one at least; 0 when a stop was asked for.
    [[nodiscard]] std::size_t wait_for_room(std::size_t most, const std::stop_token& stop);
    void wait_for_all();

    [[nodiscard]] std::vector<TaskLease> leases() const;

    // After a heartbeat: those of `asked` that are in `held` last longer, the others are stopped. Answers those that were not
    // stopped before.
    std::vector<TaskLease> keep(const std::vector<TaskLease>& asked, std::vector<TaskLease> held, Micros held_until);
    // As far as this worker knows, on the clock that `held_until` is on.
    [[nodiscard]] bool may_be_held(const TaskLease& lease, Micros now) const;

    void stop_all();

private:
    struct Running {
        TaskLease lease;
        Micros held_until;
        std::stop_source stop = {};
        bool over = false;
        std::jthread thread = {};
    };
    // Takes those out that are over, and waits for their threads.
    void sweep(std::unique_lock<std::mutex>& lock);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::list<Running> running_;  // stays where it is: its threads know their own
};

}  // namespace belfry::app
