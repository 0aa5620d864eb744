#include "store/sql/read/schedule_cache.hpp"

#include "model/identity.hpp"
#include "store/rules/new_task.hpp"
#include "store/rules/workflow_targets.hpp"

namespace belfry::store::sql {

namespace {

// The length distinguishes ("a", "b c") from ("a b", "c").
std::string measured(const std::string& text) { return std::to_string(text.size()) + " " + text + " "; }

}  // namespace

// The number of a receiver takes the last bits of the key of @http, so the keys of all receivers are neighbours. Tasks
// without a receiver have the unchanged key. It is one of these, and so were those of earlier versions.
KeyRange queue_keys(const std::string& tenant, const std::string& queue) {
    const auto key = queue_key(tenant, queue, {});
    if (queue != model::kHttpQueue) return {key, key};
    constexpr auto kNumbers = (std::int64_t{1} << model::kReceiverBits) - 1;
    return {key & ~kNumbers, key | kNumbers};
}

std::int64_t queue_key(const std::string& tenant, const std::string& queue, const std::string& assignee) {
    if (const auto receiver = model::receiver_in(queue)) return queue_keys(tenant, model::kHttpQueue).first + *receiver;
    if (assignee.empty()) return model::key_of("queue " + measured(tenant) + queue);
    return model::key_of("lane " + measured(tenant) + measured(queue) + assignee);
}

CachedPtr ScheduleCache::find(std::int64_t key, std::int64_t stamp) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second->stamp == stamp ? found->second : nullptr;
}

std::optional<std::int64_t> ScheduleCache::tenant_of(std::int64_t key) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() ? std::optional(found->second->tenant_key) : std::nullopt;
}

CachedPtr with_keys(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled,
                    const std::string& default_connection) {
    const auto& definition = compiled->definition;
    const auto tenant_key = model::tenant_key(definition.tenant);
    const auto task = single_task(definition, {}, {}, {}, 0, default_connection);
    const auto queue = queue_key(definition.tenant, task.queue, task.assignee);
    const bool walks = definition.target.type == model::TargetType::workflow;
    const auto workflow = walks ? workflow_key(definition.tenant, definition.target.kind) : 0;
    return std::make_shared<const CachedSchedule>(
        CachedSchedule{std::move(compiled), key, tenant_key, queue, workflow, stamp});
}

CachedPtr ScheduleCache::keep(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled,
                              const std::string& default_connection) {
    auto entry = with_keys(key, stamp, std::move(compiled), default_connection);
    const MutexLock lock(mutex_);
    // If the cache is full, it drops any entry; a dropped schedule is compiled again when needed.
    if (entries_.size() >= kMax && !entries_.contains(key)) entries_.erase(entries_.begin());
    entries_[key] = entry;
    return entry;
}

}  // namespace belfry::store::sql
