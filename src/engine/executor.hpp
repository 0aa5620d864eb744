// Does the tasks that are the server's own: those of the queues @http and @command, of all tenants. Every server has one; claims
// exclude each other.
//
// One thread steps it: it claims as many as there are free places, prolongs the leases of all that goes on in one call, and
// ends what is done, together. The calls themselves go on on threads of a pool. When the process dies between any two lines,
// the lease runs out and the reaper has the task tried again: so a call is made at least once for every attempt that is
// counted, and its receiver knows a repeat by the idempotency key.
//
// Where to look it is told by announcements, exactly when; lost ones are made up for by looking now and then at tenants that
// had tasks lately, and, more rarely, at the counts of all queues.
//
// Fair: tenants with tasks take turns. As soon as two are known to use a queue, none gets all of its places: with n at
// it, each gets one part of n + 1, at least one place, and so there is room for the next who comes.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "engine/executor_options.hpp"
#include "engine/runs.hpp"
#include "engine/task_pool.hpp"
#include "engine/trouble.hpp"
#include "engine/worker.hpp"

namespace belfry::engine {

class Executor final : public Worker {
public:
    // An attempt ends, or goes on in somebody else's hands.
    using Done = std::variant<decide::AttemptEnd, store::PassedOn>;
    // Does one task, on any thread; nothing when it was stopped before it came to an end.
    using Work = std::function<std::optional<Done>(const model::Task& task, Instant now, const std::stop_token& stop)>;
    struct Queue {
        std::string name;
        std::size_t places = 1;
        Work work;
    };
    struct Collaborators {
        store::Store& store;
        Runs& runs;
        Observer& observer;
        const SteadyClock& steady;
    };
    // `worker` is who holds the leases; `wake` has step() called soon, from any thread. REQUIRES: the collaborators outlive it.
    Executor(const Collaborators& with, std::string worker, std::vector<Queue> queues, ExecutorOptions options, Backoff::Random random,
             std::function<void()> wake);
    ~Executor() override;

    [[nodiscard]] std::string_view name() const override { return "executor"; }
    Micros step() override;

    // From any thread.
    void hear(const store::TasksReady& ready);
    void look_again();  // some may not have been told

    // After the last step. What goes on may end within the drain time; the rest is stopped, and its leases are given up, so
    // that another server need not wait for them.
    void finish();

private:
    struct Line {                        // the tasks of one tenant in one queue
        std::set<Instant> ready = {};    // when there may be some
        Micros next_look = Micros{0};    // at the latest, while it is known
        Micros known_until = Micros{0};  // unless there are more
        std::size_t running = 0;
    };
    using LineKey = std::pair<std::size_t, std::string>;  // queue, tenant
    struct Running {
        model::Task task;
        std::size_t queue = 0;
        std::stop_source stop = {};
        bool lost = false;             // the lease; of the stepping thread
        std::optional<Done> end = {};  // written by the pool before it is among the ended
        [[nodiscard]] model::LeaseRef lease() const { return {task.run_id, task.attempt, task.node}; }
    };
    using RunningPtr = std::shared_ptr<Running>;

    // Each does what it can, and says why not more.
    [[nodiscard]] Result<void> settle();
    [[nodiscard]] Result<void> settle_ends(const std::string& tenant, const std::vector<RunningPtr>& done);
    [[nodiscard]] Result<void> settle_passed_on(const std::vector<RunningPtr>& done);
    [[nodiscard]] Result<void> prolong();
    [[nodiscard]] Result<void> find_lines();
    [[nodiscard]] Result<bool> claim(std::size_t queue, Instant now);  // whether there is more to claim at once
    // How many it got.
    [[nodiscard]] Result<std::size_t> claim_for(const LineKey& key, Line& line, std::size_t limit, Instant now);

    void take_news();
    void begin(std::size_t queue, model::Task task, Instant now);
    void forget(const RunningPtr& running);
    void forget_idle_lines();
    [[nodiscard]] bool is_due(const Line& line, Instant now) const;
    [[nodiscard]] std::size_t free_places(std::size_t queue) const;
    [[nodiscard]] std::size_t share_of(std::size_t queue, Instant now) const;
    [[nodiscard]] Micros until_next(Instant now) const;
    [[nodiscard]] std::vector<model::LeaseRef> leases() const;

    const Collaborators with_;
    const std::string worker_;
    const std::vector<Queue> queues_;
    const ExecutorOptions options_;
    const std::function<void()> wake_;
    Trouble trouble_;

    // Of the stepping thread.
    std::map<LineKey, Line> lines_;
    std::map<std::size_t, std::string> last_served_;  // tenant, by queue
    std::vector<RunningPtr> running_;
    std::vector<RunningPtr> unsettled_;  // ended, and the store does not know it yet
    Micros next_beat_{0};
    std::optional<Micros> last_sweep_ = {};
    Micros next_sweep_{0};
    std::string sweep_after_ = {};  // the tenant that the sweep has come to
    bool sweep_again_ = false;      // something was missed meanwhile
    bool finished_ = false;

    // Of everybody, with the lock.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<store::TasksReady> heard_;
    bool missed_some_ = true;
    std::vector<RunningPtr> ended_;

    TaskPool pool_;  // last: its threads use the others
};

}  // namespace belfry::engine
