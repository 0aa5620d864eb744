// The tasks that a worker runs, one thread each, and the earliest end of their leases. Thread-safe, except that one
// thread must make all calls of `start` and the two waits.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "app/worker/worker_api.hpp"
#include "base/time/clock.hpp"

namespace belfry::app {

class RunningTasks {
public:
    // `stop` is requested when the lease is lost, or by stop_all().
    using Work = std::function<void(const ClaimedTask& task, const std::stop_token& stop)>;

    ~RunningTasks() { wait_for_all(); }

    void start(ClaimedTask task, Micros held_until, Work work);

    // Waits until fewer than `most` tasks run. Returns how many more may start; 0 if a stop is requested.
    [[nodiscard]] std::size_t wait_for_room(std::size_t most, const std::stop_token& stop);
    void wait_for_all();

    [[nodiscard]] std::vector<TaskLease> leases() const;

    // After a heartbeat for `asked`: extends the leases in `held` and stops the other tasks. Returns the newly stopped
    // tasks.
    std::vector<TaskLease> keep(const std::vector<TaskLease>& asked, std::vector<TaskLease> held, Micros held_until);
    // Whether the lease may still be valid, by the clock of `held_until`.
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
    // Removes the tasks that have ended, and joins their threads.
    void sweep(std::unique_lock<std::mutex>& lock);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::list<Running> running_;  // a list, because its threads hold references to their elements
};

}  // namespace belfry::app
