// Schedules as they were compiled, so that a fire parses nothing. Thread-safe.
//
// An entry is known by the schedule's stamp, a random number that changes in the same transaction as anything that the
// compiled form is made from: what does not match is simply not found, on whichever server the change was made.
#pragma once

#include <memory>
#include <unordered_map>

#include "base/mutex.hpp"
#include "decide/compiled_schedule.hpp"

namespace belfry::store::sql {

// A compiled schedule with the numbers that its rows need.
struct CachedSchedule {
    decide::CompiledPtr compiled;
    std::int64_t key = 0;
    std::int64_t tenant_key = 0;
    std::int64_t queue_key = 0;     // where its single tasks stand
    std::int64_t workflow_key = 0;  // 0: its target is a task
    std::int64_t stamp = 0;

    // Whether a run of it may walk a workflow: one that was decided before its target was changed goes on walking.
    [[nodiscard]] bool may_walk() const { return workflow_key != 0 || compiled->definition.version > 1; }
    // Whether a run of it may hold a part of a budget; its assignee may have been another one once.
    [[nodiscard]] bool may_reserve() const { return compiled->definition.assignee || compiled->definition.version > 1; }
    // Or its only task may have been handed to a fallback, put back, or handed out again because its worker was lost: an attempt has ended before.
    [[nodiscard]] bool may_have_nodes(int attempts_before) const { return may_walk() || attempts_before > 0; }
};
using CachedPtr = std::shared_ptr<const CachedSchedule>;

// The queue of a tenant: two tenants' queues of one name are different, and so are those of two assignees.
[[nodiscard]] std::int64_t queue_key(const std::string& tenant, const std::string& queue, const std::string& assignee);

[[nodiscard]] CachedPtr with_keys(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled, const std::string& default_connection);

class ScheduleCache {
public:
    // Null when it is not there or has another stamp.
    [[nodiscard]] CachedPtr find(std::int64_t key, std::int64_t stamp) const;
    CachedPtr keep(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled, const std::string& default_connection);

private:
    static constexpr std::size_t kMax = 1'000'000;

    mutable Mutex mutex_;
    std::unordered_map<std::int64_t, CachedPtr> entries_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::store::sql
