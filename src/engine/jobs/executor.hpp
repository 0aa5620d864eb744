// Does the server tasks: those of the queues @http and @command, of all tenants. Every server has an executor; leases
// keep two servers from doing the same task.
//
// One thread steps it. A step claims as many tasks as there are free places, renews the leases of all running tasks
// in one call, and completes the finished ones in a batch. Pool threads do the work itself. When the process dies at
// any point, the lease runs out and the reaper lets the task be retried. So every counted attempt makes its call at
// least once, and the receiver recognizes a repeat by the idempotency key.
//
// Fairness: tenants with tasks take turns and share the places of a queue (base/concurrency/grouped_share.hpp), so that
// a place stays free for the next tenant. Within a tenant the receivers of `http` tasks do the same. Their tasks wait
// in queues of their own (model/run/task.hpp), so the executor claims no task before its receiver has a place.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/concurrency/grouped_share.hpp"
#include "base/time/clock.hpp"
#include "engine/jobs/background_job.hpp"
#include "engine/jobs/executor_options.hpp"
#include "engine/jobs/failure_tracker.hpp"
#include "engine/jobs/task_pool.hpp"
#include "engine/outgoing/queue_watcher.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::engine {

class Executor final : public BackgroundJob {
public:
    // The work ends the attempt, or transfers its lease to an external system.
    using Done = std::variant<decide::AttemptEnd, store::LeaseTransfer>;
    // Does one task, on any thread. Returns nothing when it was stopped before the end.
    using Work = std::function<std::optional<Done>(const model::Task& task, Instant now, const std::stop_token& stop)>;
    struct Queue {
        std::string name;
        std::size_t places = 1;
        Work work;
    };
    struct Collaborators {
        store::TaskStore& store;
        Runs& runs;
        Observer& observer;
        const SteadyClock& steady;
    };
    // `worker` is the name that holds the leases. `wake` requests an early step() and may be called from any thread.
    // REQUIRES: the collaborators outlive it.
    Executor(const Collaborators& with, std::string worker, std::vector<Queue> queues, ExecutorOptions options,
             Backoff::Random random, std::function<void()> wake);
    ~Executor() override;

    [[nodiscard]] std::string_view name() const override { return "executor"; }
    Micros step() override;

    // From any thread.
    void on_notification(const store::TasksReady& ready) { watcher_.on_notification(ready); }
    void look_again() { watcher_.look_again(); }

    // Call after the last step. Running tasks may finish within the drain time. The executor stops the rest and
    // releases their leases, so that another server need not wait for them.
    void finish();

private:
    struct Running {
        model::Task task;
        std::size_t queue = 0;
        std::string claimed_from = {};  // the queue, or that of the receiver
        std::stop_source stop = {};
        bool lost = false;             // the lease is lost; only for the stepping thread
        std::optional<Done> end = {};  // the pool writes it before it adds the task to `ended_`
        [[nodiscard]] model::LeaseRef lease() const { return {task.run_id, task.attempt, task.node}; }
    };
    using RunningPtr = std::shared_ptr<Running>;

    // Each does as much as it can and returns the first error.
    [[nodiscard]] Result<void> settle();
    [[nodiscard]] Result<void> settle_ends(const std::string& tenant, const std::vector<RunningPtr>& done);
    [[nodiscard]] Result<void> settle_passed_on(const std::vector<RunningPtr>& done);
    [[nodiscard]] Result<void> renew();
    [[nodiscard]] Result<bool> claim(std::size_t queue, Instant now);  // whether more can be claimed at once
    // Claims at most `limit` tasks of a tenant. Returns whether more can be claimed.
    [[nodiscard]] Result<bool> claim_for(std::size_t queue, const std::string& tenant, std::size_t limit, Instant now);
    [[nodiscard]] Result<bool> claim_by_receiver(std::size_t queue, const std::string& tenant, std::size_t limit,
                                                 Instant now);
    // Returns the number of claimed tasks.
    [[nodiscard]] Result<std::size_t> claim_from(const std::string& from, std::size_t queue, const std::string& tenant,
                                                 std::size_t limit, Instant now);

    void take_ended();
    void begin(const std::shared_ptr<Running>& running, Instant now);
    void forget(const RunningPtr& running);
    [[nodiscard]] Micros until_next(Instant now) const;
    [[nodiscard]] std::vector<model::LeaseRef> leases() const;

    const Collaborators with_;
    const std::string worker_;
    const std::vector<Queue> queues_;
    const ExecutorOptions options_;
    const std::function<void()> wake_;
    FailureTracker failures_;

    // Only for the stepping thread.
    QueueWatcher watcher_;
    std::map<std::size_t, std::string> last_served_;  // tenant, by queue
    // The queue of the receiver that was served last, by queue and tenant that has calls.
    std::map<std::pair<std::size_t, std::string>, std::string> last_receivers_;
    std::vector<GroupedShare> places_;  // by queue, tenant and receiver
    std::vector<RunningPtr> running_;
    std::vector<RunningPtr> unsettled_;  // ended, but not yet recorded in the store
    Micros next_beat_{0};
    bool finished_ = false;

    // For any thread, under the lock.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<RunningPtr> ended_;

    TaskPool pool_;  // last member: its threads use the others
};

}  // namespace belfry::engine
