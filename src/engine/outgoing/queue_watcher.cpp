#include "engine/outgoing/queue_watcher.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr std::size_t kHeardMax = 10'000;    // notifications between two steps; more cause a sweep
constexpr std::size_t kReadyTimesMax = 100;  // that a line remembers; regular checks find later ones
constexpr Micros kKnownFor = Seconds{150};   // after a line's last task: enough for one task per minute
constexpr Micros kSweepLeast = Seconds{2};   // between two sweeps, however many notifications were lost

}  // namespace

QueueWatcher::QueueWatcher(store::TaskStore& store, const SteadyClock& steady, std::vector<std::string> queues,
                           Options options)
    : store_(store), steady_(steady), queues_(std::move(queues)), options_(options) {}

void QueueWatcher::on_notification(const store::TasksReady& ready) {
    if (std::ranges::find(queues_, model::without_receiver(ready.queue)) == queues_.end()) return;
    const std::scoped_lock lock(mutex_);
    if (heard_.size() < kHeardMax) {
        heard_.push_back(ready);
    } else {
        missed_some_ = true;
    }
}

void QueueWatcher::look_again() {
    const std::scoped_lock lock(mutex_);
    missed_some_ = true;
}

void QueueWatcher::take_news() {
    std::vector<store::TasksReady> heard;
    bool missed_some = false;
    {
        const std::scoped_lock lock(mutex_);
        heard.swap(heard_);
        missed_some = std::exchange(missed_some_, false);
    }
    if (missed_some) {
        sweep_again_ = !sweep_after_.empty();
        next_sweep_ = std::min(next_sweep_, last_sweep_ ? *last_sweep_ + kSweepLeast : Micros{0});
        for (auto& [key, line] : lines_) line.next_look = Micros{0};
    }
    for (const auto& ready : heard) {
        auto& line = lines_[{std::string(model::without_receiver(ready.queue)), ready.tenant}];
        line.blocked = false;
        line.ready.insert(ready.ready_at.value_or(Instant::min()));
        if (line.ready.size() > kReadyTimesMax) line.ready.erase(std::prev(line.ready.end()));
    }
}

// Reads one page with every step, until it has read all of them.
Result<void> QueueWatcher::sweep() {
    forget_idle();
    const auto steady = steady_.now();
    if (steady < next_sweep_) return {};
    const auto found = store_.waiting_lines(queues_, {.after = sweep_after_, .limit = store::kPageMax});
    if (!found) return found.error();
    sweep_after_ = found->next;
    last_sweep_ = steady;
    if (!found->next.empty()) {
        next_sweep_ = steady;
    } else {
        next_sweep_ = steady + (std::exchange(sweep_again_, false) ? kSweepLeast : options_.sweep_every);
    }
    for (const auto& each : found->items) {
        auto& line = lines_[{each.queue, each.tenant}];
        line.known_until = steady + kKnownFor;  // a delayed task may be ready before the next sweep
        line.blocked = false;
        line.ready.insert(Instant::min());
    }
    return {};
}

bool QueueWatcher::is_due(const Line& line, Instant now) const {
    if (!line.blocked && !line.ready.empty() && *line.ready.begin() <= now) return true;
    const auto steady = steady_.now();
    return line.known_until > steady && line.next_look <= steady;
}

std::vector<std::string> QueueWatcher::due(const std::string& queue, const std::string& last, Instant now) const {
    std::vector<std::string> tenants;
    const auto from = lines_.upper_bound({queue, last});
    const auto add = [&](auto first, auto end) {
        for (auto line = first; line != end && line->first.first == queue; ++line) {
            if (is_due(line->second, now)) tenants.push_back(line->first.second);
        }
    };
    add(from, lines_.end());
    add(lines_.lower_bound({queue, {}}), from);
    return tenants;
}

void QueueWatcher::claimed(const std::string& queue, const std::string& tenant, Claimed claimed, Instant now) {
    const auto steady = steady_.now();
    auto& line = lines_[{queue, tenant}];
    line.blocked = false;
    line.next_look = steady + options_.look_every;
    if (claimed.any) line.known_until = steady + kKnownFor;
    // Later times stay known.
    line.ready.erase(line.ready.begin(), line.ready.upper_bound(now));
    if (claimed.more) line.ready.insert(Instant::min());
}

void QueueWatcher::block(const std::string& queue, const std::string& tenant) {
    lines_[{queue, tenant}].blocked = true;
}

void QueueWatcher::unblock(const std::string& queue, const std::string& tenant) {
    const auto line = lines_.find({queue, tenant});
    if (line != lines_.end()) line->second.blocked = false;
}

void QueueWatcher::forget_idle() {
    const auto steady = steady_.now();
    std::erase_if(
        lines_, [steady](const auto& each) { return each.second.ready.empty() && each.second.known_until <= steady; });
}

Micros QueueWatcher::until_next(Instant now, const Counts& counts) const {
    const auto steady = steady_.now();
    auto wait = next_sweep_ - steady;
    for (const auto& [key, line] : lines_) {
        if (!counts(key.second)) continue;
        const auto next = line.ready.upper_bound(now);
        if (next != line.ready.end()) wait = std::min(wait, *next - now);
        if (line.known_until > steady && line.next_look > steady) wait = std::min(wait, line.next_look - steady);
    }
    return wait;
}

}  // namespace belfry::engine
