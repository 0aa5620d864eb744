#include "engine/outbox.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

constexpr std::ptrdiff_t kIdleMax = 64;  // webhooks

// From the one after `last` round to `last` itself; ends with the first for which `visit` says so.
template <typename Map, typename Visit>
void go_round(Map& map, const std::string& last, const Visit& visit) {
    auto next = map.upper_bound(last);
    for (std::size_t i = 0; i < map.size(); ++i, ++next) {
        if (next == map.end()) next = map.begin();
        if (visit(*next)) return;
    }
}

}  // namespace

template <typename Tenants>
auto* Outbox::find(Tenants& tenants, const WebhookRef& ref) {
    const auto tenant = tenants.find(ref.first);
    using Found = decltype(&tenant->second.lines.begin()->second);
    if (tenant == tenants.end()) return Found{};
    const auto line = tenant->second.lines.find(ref.second);
    return line == tenant->second.lines.end() ? Found{} : &line->second;
}

void Outbox::fill(const WebhookRef& ref, const std::shared_ptr<const model::Webhook>& webhook, std::vector<model::Delivery> deliveries) {
    if (deliveries.empty()) return;
    const std::lock_guard lock(mutex_);
    auto& line = tenants_[ref.first].lines[ref.second];
    line.webhook = webhook;
    for (auto& delivery : deliveries) {
        if (!line.held.insert(delivery.item.position).second) continue;
        line.waiting.push_back(std::move(delivery));
        ++waiting_;
    }
    filled_.notify_all();
}

void Outbox::drop(Line& line) {
    for (const auto& delivery : line.waiting) line.held.erase(delivery.item.position);
    waiting_ -= line.waiting.size();
    line.waiting.clear();
}

// A few that answered well are kept without anything in them, so that more of the same backlog goes on as fast.
void Outbox::remove_idle(const WebhookRef& ref) {
    const auto* const line = find(tenants_, ref);
    if (line == nullptr || !line->held.empty()) return;
    const auto is_idle = [](const auto& each) { return each.second.held.empty(); };
    std::ptrdiff_t idle = 0;
    for (const auto& [name, tenant] : tenants_) idle += std::ranges::count_if(tenant.lines, is_idle);
    if (line->window > 1 && idle <= kIdleMax) return;
    for (auto& [name, tenant] : tenants_) std::erase_if(tenant.lines, is_idle);
    std::erase_if(tenants_, [](const auto& each) { return each.second.lines.empty(); });
}

void Outbox::drop(const WebhookRef& ref) {
    const std::lock_guard lock(mutex_);
    if (auto* const line = find(tenants_, ref)) drop(*line);
    remove_idle(ref);
}

std::vector<WebhookRef> Outbox::drop_all() {
    const std::lock_guard lock(mutex_);
    std::vector<WebhookRef> dropped;
    for (auto& [name, tenant] : tenants_) {
        for (auto& [id, line] : tenant.lines) {
            if (line.waiting.empty()) continue;
            drop(line);
            dropped.emplace_back(name, id);
        }
    }
    for (const auto& ref : dropped) remove_idle(ref);
    return dropped;
}

std::optional<Outbox::Sending> Outbox::next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    std::optional<Sending> picked;
    filled_.wait(lock, stop, [&] { return (picked = pick()).has_value(); });
    return picked;
}

std::optional<Outbox::Sending> Outbox::pick() {
    std::optional<Sending> picked;
    if (waiting_ == 0) return picked;
    go_round(tenants_, served_, [&](auto& each) {
        if (each.second.calls < limits_.per_tenant) picked = pick_of(each.first, each.second);
        return picked.has_value();
    });
    if (picked) served_ = picked->ref.first;
    return picked;
}

std::optional<Outbox::Sending> Outbox::pick_of(const std::string& name, Tenant& tenant) {
    std::optional<Sending> picked;
    go_round(tenant.lines, tenant.served, [&](auto& each) {
        auto& [id, line] = each;
        if (line.waiting.empty() || line.calls >= line.window) return false;
        picked = Sending{{name, id}, line.webhook, std::move(line.waiting.front())};
        line.waiting.pop_front();
        --waiting_;
        ++line.calls;
        ++tenant.calls;
        return true;
    });
    if (picked) tenant.served = picked->ref.second;
    return picked;
}

void Outbox::sent(Sent sent) {
    const std::lock_guard lock(mutex_);
    auto& tenant = tenants_.at(sent.sending.ref.first);
    auto& line = tenant.lines.at(sent.sending.ref.second);
    --tenant.calls;
    --line.calls;
    const bool arrived = sent.attempt && decide::succeeded(*sent.attempt);
    line.window = arrived ? std::min(line.window + 1, limits_.per_webhook) : 1;
    if (!arrived) drop(line);  // one that fails would fail the others as well
    sent_.push_back(std::move(sent));
    if (waiting_ > 0) filled_.notify_one();  // beside the lane that comes back itself
    done_.notify_all();
}

void Outbox::wait(Micros time) {
    std::unique_lock lock(mutex_);
    done_.wait_for(lock, time, [this] { return !sent_.empty(); });
}

std::vector<Outbox::Sent> Outbox::take_sent() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sent_, {});
}

void Outbox::forget(const WebhookRef& ref, std::int64_t position) {
    const std::lock_guard lock(mutex_);
    if (auto* const line = find(tenants_, ref)) line->held.erase(position);
    remove_idle(ref);
}

bool Outbox::empty() const {
    const std::lock_guard lock(mutex_);
    const auto is_idle = [](const auto& line) { return line.second.held.empty(); };
    return std::ranges::all_of(tenants_, [&](const auto& tenant) { return std::ranges::all_of(tenant.second.lines, is_idle); });
}

std::size_t Outbox::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

std::size_t Outbox::waiting_of(const WebhookRef& ref) const {
    const std::lock_guard lock(mutex_);
    const auto* const line = find(tenants_, ref);
    return line == nullptr ? 0 : line->waiting.size();
}

std::size_t Outbox::held_of(const WebhookRef& ref) const {
    const std::lock_guard lock(mutex_);
    const auto* const line = find(tenants_, ref);
    return line == nullptr ? 0 : line->held.size();
}

std::size_t Outbox::window_of(const WebhookRef& ref) const {
    const std::lock_guard lock(mutex_);
    const auto* const line = find(tenants_, ref);
    return line == nullptr ? 1 : line->window;
}

}  // namespace belfry::engine
