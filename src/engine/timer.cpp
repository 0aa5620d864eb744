#include "engine/timer.hpp"

#include <algorithm>
#include <limits>

namespace belfry::engine {

namespace {

constexpr std::size_t kVoidMax = 10'000;  // void items that the heap may hold beside as many as there are true ones
constexpr std::int64_t kTakenOut = std::numeric_limits<std::int64_t>::min();

}  // namespace

void Timer::set(std::int64_t key, std::int64_t tenant, std::optional<Instant> at) {
    if (!at) {
        entries_.erase(key);
        return;
    }
    const auto at_us = epoch_us(*at);
    const auto [found, added] = entries_.try_emplace(key);
    auto& entry = found->second;
    if (tenant != 0) entry.tenant = tenant;
    if (!added && entry.at_us == at_us) return;
    entry.at_us = at_us;
    heap_.push_back({at_us, key});
    std::push_heap(heap_.begin(), heap_.end());
    if (heap_.size() > 2 * entries_.size() + kVoidMax) drop_void();
}

bool Timer::stands(const Item& item) const {
    const auto found = entries_.find(item.key);
    return found != entries_.end() && found->second.at_us == item.at_us;
}

void Timer::drop_void() {
    std::erase_if(heap_, [this](const Item& item) { return !stands(item); });
    std::make_heap(heap_.begin(), heap_.end());
}

void Timer::gather_due(Instant now) {
    const auto now_us = epoch_us(now);
    while (!heap_.empty() && heap_.front().at_us <= now_us) {
        std::pop_heap(heap_.begin(), heap_.end());
        const auto item = heap_.back();
        heap_.pop_back();
        if (!stands(item)) continue;
        const auto tenant = tenant_of(item.key);
        const auto [found, first] = due_.try_emplace(tenant);
        if (first) turns_.push_back(tenant);
        found->second.push_back(item);
    }
}

std::vector<std::int64_t> Timer::take(Instant now, std::size_t limit) {
    gather_due(now);
    std::vector<std::int64_t> keys;
    while (keys.size() < limit && !turns_.empty()) {
        const auto tenant = turns_.front();
        turns_.pop_front();
        auto& items = due_[tenant];
        while (!items.empty() && !stands(items.front())) items.pop_front();
        if (!items.empty()) {
            const auto key = items.front().key;
            items.pop_front();
            keys.push_back(key);
            // What is taken out stands nowhere, so that setting it to the same time counts.
            entries_[key].at_us = kTakenOut;
        }
        if (items.empty()) {
            due_.erase(tenant);
        } else {
            turns_.push_back(tenant);
        }
    }
    return keys;
}

std::optional<Instant> Timer::next() {
    if (!turns_.empty()) return Instant{Micros{due_[turns_.front()].front().at_us}};
    while (!heap_.empty() && !stands(heap_.front())) {
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
    }
    if (heap_.empty()) return std::nullopt;
    return Instant{Micros{heap_.front().at_us}};
}

std::vector<Timer::Taken> Timer::take_all() {
    std::vector<Taken> all;
    all.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) {
        if (entry.at_us != kTakenOut) all.push_back({key, entry.tenant, Instant{Micros{entry.at_us}}});
    }
    *this = Timer();
    return all;
}

std::optional<Instant> Timer::at(std::int64_t key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.at_us == kTakenOut) return std::nullopt;
    return Instant{Micros{found->second.at_us}};
}

std::int64_t Timer::tenant_of(std::int64_t key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? 0 : found->second.tenant;
}

}  // namespace belfry::engine
