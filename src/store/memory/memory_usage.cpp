#include "model/schedule/schedule_json.hpp"
#include "model/workflow/workflow_json.hpp"
#include "store/errors.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

namespace {

std::int64_t texts_of(std::initializer_list<const Json*> values) {
    std::size_t bytes = 0;
    for (const auto* const value : values) bytes += to_text(*value).size();
    return static_cast<std::int64_t>(bytes);
}

std::int64_t bytes_of(const MemorySchedule& schedule) {
    std::int64_t bytes = 0;
    for (const auto& [version, definition] : schedule.versions)
        bytes += static_cast<std::int64_t>(to_text(model::to_json(definition)).size());
    for (const auto& [event, hash] : schedule.events) bytes += texts_of({&event.payload});
    for (const auto& [slot, row] : schedule.runs) {
        bytes += texts_of({&row.run.input, &row.run.result});
        for (const auto& event : row.events) bytes += texts_of({&event.payload});
        for (const auto& node : row.workflow_run().nodes) bytes += texts_of({&node.input, &node.result});
    }
    return bytes;
}

std::int64_t number_of(const std::map<std::chrono::sys_days, std::int64_t>& days, Instant now) {
    const auto today = days.find(std::chrono::floor<std::chrono::days>(now));
    return today == days.end() ? 0 : today->second;
}

}  // namespace

Result<TenantUsage> MemoryStore::usage(const std::string& tenant, Instant now) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    const auto& of = owner->second;
    TenantUsage usage{.schedules = static_cast<std::int64_t>(of.names.size()),
                      .runs_today = number_of(of.dispatched, now) + number_of(of.unsettled, now)};
    if (of.measured) usage.stored_bytes = of.measured->first;
    if (of.measured) usage.measured_at = of.measured->second;
    return usage;
}

// Measures everything at once: in memory there are no tables to scan in steps.
Result<Measured> MemoryStore::measure(const MeasuredPlace& place, std::size_t /*rows*/) {
    const MutexLock lock(mutex_);
    Measured measured;
    if (place.table > 0) return measured;
    for (const auto& [key, schedule] : tables_.schedules) measured.bytes[schedule.tenant_key] += bytes_of(schedule);
    for (const auto& [name, tenant] : tables_.tenants) {
        auto bytes = std::int64_t{0};
        for (const auto& [calendar, record] : tenant.calendars)
            bytes += static_cast<std::int64_t>(to_text(model::to_json(record.calendar)).size());
        for (const auto& [workflow, versions] : tenant.workflows) {
            for (const auto& version : versions)
                bytes += version ? static_cast<std::int64_t>(to_text(model::to_json(*version)).size()) : 0;
        }
        if (bytes > 0) measured.bytes[model::tenant_key(name)] += bytes;
    }
    return measured;
}

Result<void> MemoryStore::put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) {
    const MutexLock lock(mutex_);
    for (auto& [name, tenant] : tables_.tenants) {
        const auto found = bytes.find(model::tenant_key(name));
        if (found != bytes.end() || tenant.measured) tenant.measured = {found == bytes.end() ? 0 : found->second, at};
    }
    return {};
}

Result<std::vector<TenantOverLimit>> MemoryStore::settle_usage(Instant now) {
    const MutexLock lock(mutex_);
    std::vector<TenantOverLimit> over;
    const auto today = std::chrono::floor<std::chrono::days>(now);
    for (auto& [name, tenant] : tables_.tenants) {
        for (const auto& [day, count] : std::exchange(tenant.unsettled, {})) tenant.dispatched[day] += count;
        const bool exhausted = number_of(tenant.dispatched, now) >= tables_.limits.runs_per_day_per_tenant;
        tenant.exhausted_on = exhausted ? std::optional(today) : std::nullopt;
        const auto most = tenant.tenant.stored_bytes_max.value_or(tables_.limits.stored_bytes_per_tenant);
        if (tenant.measured && tenant.measured->first >= most) over.push_back({name, tenant.measured->first, most});
    }
    return over;
}

}  // namespace belfry::store
