#include "engine/jobs/usage_meter.hpp"

namespace belfry::engine {

namespace {

// A clock that was set back must not stop the meter.
bool is_due(const std::optional<Instant>& last, Micros every, Instant now) {
    return !last || now < *last || now - *last >= every;
}

}  // namespace

Micros UsageMeter::step() {
    const auto now = store_.now();
    if (!now) return options_.settle_every;
    bool more = false;
    if (!leading_()) {
        measuring_ = false;
    } else if (measuring_ || is_due(measured_at_, options_.measure_every, *now)) {
        const auto measured = measure(*now);
        more = measured && *measured;
        if (!measured) measuring_ = false;
    }
    if (is_due(settled_at_, options_.settle_every, *now) && settle(*now)) settled_at_ = *now;
    return more ? options_.between : options_.settle_every;
}

Result<bool> UsageMeter::measure(Instant now) {
    if (!measuring_) {
        place_ = {};
        bytes_.clear();
        measuring_ = true;
    }
    const auto page = store_.measure(place_, options_.rows);
    if (!page) return page.error();
    for (const auto& [tenant, bytes] : page->bytes) bytes_[tenant] += bytes;
    if (page->next) {
        place_ = *page->next;
        return true;
    }
    measuring_ = false;
    if (auto put = store_.put_measured(bytes_, now); !put) return put.error();
    measured_at_ = now;
    settled_at_.reset();  // settle at once, because the measurement shows which tenants exceed their limit
    return false;
}

Result<void> UsageMeter::settle(Instant now) {
    auto over = store_.settle_usage(now);
    if (!over) return over.error();
    const MutexLock lock(mutex_);
    over_.clear();
    for (auto& each : *over) over_.emplace(each.tenant, each);
    return {};
}

std::optional<Error> UsageMeter::check_room(const std::string& tenant) const {
    const MutexLock lock(mutex_);
    const auto found = over_.find(tenant);
    if (found == over_.end()) return std::nullopt;
    const auto& [name, bytes, most] = found->second;
    const auto minutes =
        std::chrono::ceil<std::chrono::minutes>(options_.measure_every + options_.settle_every).count();
    Error full{ErrorCode::exhausted,
               "the tenant stores " + std::to_string(bytes) + " bytes of at most " + std::to_string(most) +
                   ": delete schedules together with their runs (DELETE /api/tenants/" + tenant +
                   "/schedules/{schedule}?purge=true, also for one that is deleted already, by its id), which counts "
                   "from the next "
                   "measurement on, about " +
                   std::to_string(minutes) +
                   " minutes later; or let the operator raise storedBytesMax of the tenant or stored_bytes_per_tenant"};
    full.retry_after_s = 0;
    return full;
}

}  // namespace belfry::engine
