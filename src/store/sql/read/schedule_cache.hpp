// Compiled schedules, so that firing parses nothing. Thread-safe.
//
// An entry is valid for one stamp of its schedule: a random number that changes in the same transaction as any data
// that the compiled form depends on. So an outdated entry is not found, whichever server made the change.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "base/concurrency/mutex.hpp"
#include "decide/schedule/compiled_schedule.hpp"

namespace belfry::store::sql {

// A compiled schedule with the keys for its rows.
struct CachedSchedule {
    decide::CompiledPtr compiled;
    std::int64_t key = 0;
    std::int64_t tenant_key = 0;
    std::int64_t queue_key = 0;     // the queue of its single tasks
    std::int64_t workflow_key = 0;  // 0: its target is a task
    std::int64_t stamp = 0;

    // Whether a run of it may follow a workflow. A run that was decided before a change of the target still follows
    // the old one.
    [[nodiscard]] bool may_run_workflow() const { return workflow_key != 0 || compiled->definition.version > 1; }
    // Whether a run of it may hold a reservation. Its assignee may have been another one before.
    [[nodiscard]] bool may_reserve() const { return compiled->definition.assignee || compiled->definition.version > 1; }
    // Whether a run of it may have node records. A single task has one if an earlier attempt ended in a fallback, a
    // put-back or a redelivery.
    [[nodiscard]] bool may_have_nodes(int attempts_before) const { return may_run_workflow() || attempts_before > 0; }
};
using CachedPtr = std::shared_ptr<const CachedSchedule>;

// The key of a tenant's queue. Queues of different tenants or assignees are different, even with the same name.
[[nodiscard]] std::int64_t queue_key(const std::string& tenant, const std::string& queue, const std::string& assignee);

// The keys of a queue: one, or those of all receivers. Both ends are inclusive.
struct KeyRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};
[[nodiscard]] KeyRange queue_keys(const std::string& tenant, const std::string& queue);

[[nodiscard]] CachedPtr with_keys(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled,
                                  const std::string& default_connection);

class ScheduleCache {
public:
    // Null if it is not cached or has another stamp.
    [[nodiscard]] CachedPtr find(std::int64_t key, std::int64_t stamp) const;
    // The schedule's tenant, which never changes; empty if it is not cached.
    [[nodiscard]] std::optional<std::int64_t> tenant_of(std::int64_t key) const;
    CachedPtr keep(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled,
                   const std::string& default_connection);

private:
    static constexpr std::size_t kMax = 1'000'000;

    mutable Mutex mutex_;
    std::unordered_map<std::int64_t, CachedPtr> entries_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::store::sql
