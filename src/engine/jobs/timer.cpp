#include "engine/jobs/timer.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr std::size_t kVoidMax = 10'000;  // void items that the heap may hold in addition to twice the valid ones

}  // namespace

void Timer::set(std::int64_t key, std::int64_t tenant, std::optional<Instant> at) {
    if (!at) {
        size_ -= entries_of(key).erase(key);
        return;
    }
    const auto at_us = epoch_us(*at);
    const auto [found, added] = entries_of(key).try_emplace(key);
    auto& entry = found->second;
    if (added) ++size_;
    if (tenant != 0) entry.tenant = tenant;
    if (!added && !entry.taken_out && entry.at_us == at_us) return;
    entry.at_us = at_us;
    entry.taken_out = false;
    heap_.push_back({at_us, key});
    std::push_heap(heap_.begin(), heap_.end());
    if (heap_.size() > 2 * size_ + kVoidMax) drop_void();
}

bool Timer::stands(const Item& item) const {
    const auto* const entry = find(item.key);
    return entry != nullptr && !entry->taken_out && entry->at_us == item.at_us;
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
            entries_of(key)[key].taken_out = true;
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
    all.reserve(size_);
    for (const auto& entries : parts_) {
        for (const auto& [key, entry] : entries) {
            if (!entry.taken_out) all.push_back({key, entry.tenant, Instant{Micros{entry.at_us}}});
        }
    }
    *this = Timer();
    return all;
}

std::optional<Instant> Timer::at(std::int64_t key) const {
    const auto* const entry = find(key);
    if (entry == nullptr || entry->taken_out) return std::nullopt;
    return Instant{Micros{entry->at_us}};
}

std::int64_t Timer::tenant_of(std::int64_t key) const {
    const auto* const entry = find(key);
    return entry == nullptr ? 0 : entry->tenant;
}

const Timer::Entry* Timer::find(std::int64_t key) const {
    const auto& entries = parts_[static_cast<std::uint64_t>(key) % kParts];
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
}

}  // namespace belfry::engine
