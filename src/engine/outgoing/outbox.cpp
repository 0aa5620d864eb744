#include "engine/outgoing/outbox.hpp"

#include <algorithm>

#include "base/net/url.hpp"
#include "engine/jobs/round_robin.hpp"

namespace belfry::engine {

namespace {

constexpr std::ptrdiff_t kIdleMax = 64;  // webhooks
constexpr std::size_t kWaitingPart = 4;  // one tenant gets at most this fraction of the room

}  // namespace

template <typename Tenants>
auto* Outbox::find(Tenants& tenants, const WebhookRef& ref) {
    const auto tenant = tenants.find(ref.first);
    using Found = decltype(&tenant->second.lines.begin()->second);
    if (tenant == tenants.end()) return Found{};
    const auto line = tenant->second.lines.find(ref.second);
    return line == tenant->second.lines.end() ? Found{} : &line->second;
}

bool Outbox::fill(const WebhookRef& ref, const std::shared_ptr<const model::Webhook>& webhook,
                  std::vector<model::Delivery> deliveries) {
    if (deliveries.empty()) return true;
    const std::lock_guard lock(mutex_);
    auto& line = tenants_[ref.first].lines[ref.second];
    line.webhook = webhook;
    line.receiver = receiver_of(webhook->url);
    bool all = true;
    for (auto& delivery : deliveries) {
        if (line.held.contains(delivery.item.position)) continue;
        all = may_wait(ref.first);
        if (!all) break;
        waiting_.take(ref.first);
        line.held.insert(delivery.item.position);
        line.waiting.push_back(std::move(delivery));
    }
    filled_.notify_all();
    return all;
}

void Outbox::drop(const std::string& tenant, Line& line) {
    for (const auto& delivery : line.waiting) {
        line.held.erase(delivery.item.position);
        waiting_.give_back(tenant);
    }
    line.waiting.clear();
}

// Keeps a few empty lines of webhooks that responded well, so that the rest of a backlog is sent as fast.
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
    if (auto* const line = find(tenants_, ref)) drop(ref.first, *line);
    remove_idle(ref);
}

std::vector<WebhookRef> Outbox::drop_all() {
    const std::lock_guard lock(mutex_);
    std::vector<WebhookRef> dropped;
    for (auto& [name, tenant] : tenants_) {
        for (auto& [id, line] : tenant.lines) {
            if (line.waiting.empty()) continue;
            drop(name, line);
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
    if (waiting_.in_use() == 0) return picked;
    go_round(tenants_, served_, [&](auto& each) {
        if (calls_.has_room(each.first)) picked = pick_of(each.first, each.second);
        return picked.has_value();
    });
    if (picked) served_ = picked->ref.first;
    return picked;
}

std::optional<Outbox::Sending> Outbox::pick_of(const std::string& name, Tenant& tenant) {
    std::optional<Sending> picked;
    go_round(tenant.lines, tenant.served, [&](auto& each) {
        auto& [id, line] = each;
        if (line.waiting.empty() || line.calls >= line.window || !calls_.has_room(name, line.receiver)) return false;
        picked = Sending{{name, id}, line.webhook, std::move(line.waiting.front())};
        line.waiting.pop_front();
        waiting_.give_back(name);
        calls_.take(name, line.receiver);
        ++line.calls;
        return true;
    });
    if (picked) tenant.served = picked->ref.second;
    return picked;
}

void Outbox::sent(Sent sent) {
    const std::lock_guard lock(mutex_);
    const auto& [tenant, id] = sent.sending.ref;
    auto& line = tenants_.at(tenant).lines.at(id);
    calls_.give_back(tenant, receiver_of(sent.sending.webhook->url));
    --line.calls;
    const bool arrived = sent.attempt && decide::succeeded(*sent.attempt);
    line.window = arrived ? std::min(line.window + 1, limits_.per_webhook) : 1;
    if (!arrived) drop(tenant, line);  // after one failure, the others would fail as well
    sent_.push_back(std::move(sent));
    if (waiting_.in_use() > 0) filled_.notify_one();  // in addition to the sender that returns by itself
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
    return std::ranges::all_of(tenants_,
                               [&](const auto& tenant) { return std::ranges::all_of(tenant.second.lines, is_idle); });
}

std::size_t Outbox::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.in_use();
}

bool Outbox::has_room(const std::string& tenant) const {
    const std::lock_guard lock(mutex_);
    return may_wait(tenant);
}

// Less than its fair share: that is enough for all senders, and a new tenant can load more than one delivery at a time.
bool Outbox::may_wait(const std::string& tenant) const {
    return waiting_.room_for(tenant) > 0 && waiting_.held_by(tenant) < waiting_.places() / kWaitingPart;
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
