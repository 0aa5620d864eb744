// Knows which tenants may have ready tasks in the server's own queues, for the executor and the publishers.
//
// Notifications name the queue, the tenant and the time of new tasks. To make up for lost ones, tenants that had tasks
// recently are checked regularly. Less often, a sweep reads which queues of all tenants have tasks.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time/clock.hpp"
#include "store/notification.hpp"
#include "store/task_store.hpp"

namespace belfry::engine {

class QueueWatcher {
public:
    struct Options {
        Micros look_every = Seconds{5};    // for tasks of recently active tenants, even without a notification
        Micros sweep_every = Seconds{30};  // for tasks of all tenants
    };
    // REQUIRES: the store and the clock outlive it.
    QueueWatcher(store::TaskStore& store, const SteadyClock& steady, std::vector<std::string> queues, Options options);

    // From any thread. Ignores other queues. After look_again() everything is checked: notifications may have been
    // lost.
    void on_notification(const store::TasksReady& ready);
    void look_again();

    // The others are only for the thread that claims.

    // Takes the notifications over.
    void take_news();
    // Reads one page of tenants if a sweep is due or not yet complete.
    [[nodiscard]] Result<void> sweep();

    // Tenants that may have ready tasks, once around, beginning after `last`.
    [[nodiscard]] std::vector<std::string> due(const std::string& queue, const std::string& last, Instant now) const;
    // Records a claim: whether it found tasks, and whether more may be ready.
    struct Claimed {
        bool any = false;
        bool more = false;
    };
    void claimed(const std::string& queue, const std::string& tenant, Claimed claimed, Instant now);
    // Holds a tenant back until a notification names it, it is unblocked or it is checked again.
    void block(const std::string& queue, const std::string& tenant);
    void unblock(const std::string& queue, const std::string& tenant);

    // The time until a tenant becomes due or the next sweep begins. Tenants that are due now do not count.
    using Counts = std::function<bool(const std::string& tenant)>;
    [[nodiscard]] Micros until_next(Instant now, const Counts& counts) const;

private:
    struct Line {                        // the tasks of one tenant in one queue
        std::set<Instant> ready = {};    // times at which tasks may be ready
        Micros next_look = Micros{0};    // the latest time of the next claim, while the line is known
        Micros known_until = Micros{0};  // extended while tasks arrive
        bool blocked = false;
    };
    using LineKey = std::pair<std::string, std::string>;  // queue, tenant

    [[nodiscard]] bool is_due(const Line& line, Instant now) const;
    void forget_idle();

    store::TaskStore& store_;
    const SteadyClock& steady_;
    const std::vector<std::string> queues_;
    const Options options_;

    std::map<LineKey, Line> lines_;
    std::optional<Micros> last_sweep_ = {};
    Micros next_sweep_{0};
    std::string sweep_after_ = {};  // the last tenant that the sweep has read
    bool sweep_again_ = false;      // a notification was lost during the sweep

    // For any thread, under the lock.
    std::mutex mutex_;
    std::vector<store::TasksReady> heard_;
    bool missed_some_ = true;
};

}  // namespace belfry::engine
