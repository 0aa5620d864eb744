#include "store/memory/memory_registry.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "model/identity.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/registry_rules.hpp"

namespace belfry::store {

using model::DeliveryStatus;

namespace {

template <typename T>
void cut(std::vector<T>& all, std::size_t limit) {
    if (all.size() > limit) all.erase(all.begin() + static_cast<std::ptrdiff_t>(limit), all.end());
}

bool is_pending(const model::Delivery& delivery) { return delivery.status == DeliveryStatus::pending; }

}  // namespace

MemoryTenant* MemoryRegistry::find_tenant(const std::string& name) {
    const auto found = tables_.tenants.find(name);
    return found == tables_.tenants.end() ? nullptr : &found->second;
}

MemoryWebhook* MemoryRegistry::find_webhook(const std::string& tenant, const std::string& id) {
    auto* const owner = find_tenant(tenant);
    if (owner == nullptr) return nullptr;
    const auto found = owner->webhooks.find(id);
    return found == owner->webhooks.end() ? nullptr : &found->second;
}

// --- API keys

Result<void> MemoryRegistry::add_key(const model::ApiKey& key) {
    const MutexLock lock(mutex_);
    if (tables_.keys.contains(key.id)) return key_id_taken(key.id);
    for (const auto& [id, other] : tables_.keys) {
        if (!key.revoked_at && !other.revoked_at && other.name == key.name) return key_name_taken(key.name);
    }
    tables_.keys.emplace(key.id, key);
    return {};
}

Result<model::ApiKey> MemoryRegistry::key(const std::string& id) {
    const MutexLock lock(mutex_);
    const auto found = tables_.keys.find(id);
    if (found == tables_.keys.end()) return key_not_found(id);
    return found->second;
}

// Never removes the newest key: a server that requires authentication because keys exist must continue to require it.
Result<std::int64_t> MemoryRegistry::prune_keys(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    Instant newest = {};
    for (const auto& [id, key] : tables_.keys) newest = std::max(newest, key.created_at);
    const auto is_old = [&](const model::ApiKey& key) {
        const bool over = (key.revoked_at && *key.revoked_at < before) || (key.expires_at && *key.expires_at < before);
        return over && key.created_at < newest;
    };
    std::vector<std::pair<Instant, std::string>> old;
    for (const auto& [id, key] : tables_.keys) {
        if (is_old(key)) old.emplace_back(key.created_at, id);
    }
    std::ranges::sort(old);
    cut(old, limit);
    for (const auto& [created_at, id] : old) tables_.keys.erase(id);
    return static_cast<std::int64_t>(old.size());
}

Result<std::vector<model::ApiKey>> MemoryRegistry::keys() {
    const MutexLock lock(mutex_);
    std::vector<model::ApiKey> all;
    for (const auto& [id, key] : tables_.keys) all.push_back(key);
    std::ranges::stable_sort(all, {}, &model::ApiKey::created_at);
    return all;
}

Result<model::ApiKey> MemoryRegistry::revoke_key(const std::string& id, Instant now) {
    const MutexLock lock(mutex_);
    const auto found = tables_.keys.find(id);
    if (found == tables_.keys.end()) return key_not_found(id);
    if (!found->second.revoked_at) found->second.revoked_at = now;
    return found->second;
}

// --- webhooks

Result<void> MemoryRegistry::put_webhook(const std::string& tenant, const model::Webhook& webhook) {
    const MutexLock lock(mutex_);
    auto* const owner = find_tenant(tenant);
    if (owner == nullptr) return tenant_not_found(tenant);
    const auto stored = owner->webhooks.find(webhook.id);
    const bool is_new = stored == owner->webhooks.end();
    const auto next = is_new ? 1 : stored->second.webhook.version + 1;
    if (webhook.version != next) return version_conflict("webhook " + webhook.id, next);
    for (const auto& [name, other] : tables_.tenants) {
        if (is_new && other.webhooks.contains(webhook.id)) return webhook_id_taken(webhook.id);
    }
    auto& row = owner->webhooks[webhook.id];
    const auto before = std::exchange(row.webhook, webhook);
    if (!is_new) {
        row.webhook.created_by = before.created_by;
        row.webhook.created_at = before.created_at;
    }
    if ((is_new || !before.enabled) && webhook.enabled)
        row.taken = owner->feed.empty() ? row.taken : owner->feed.rbegin()->first;
    return {};
}

Result<void> MemoryRegistry::remove_webhook(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    if (find_webhook(tenant, id) == nullptr) return webhook_not_found(id);
    find_tenant(tenant)->webhooks.erase(id);
    return {};
}

Result<model::Webhook> MemoryRegistry::webhook(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    const auto* const found = find_webhook(tenant, id);
    if (found == nullptr) return webhook_not_found(id);
    return found->webhook;
}

Result<std::vector<model::Webhook>> MemoryRegistry::webhooks(const std::string& tenant) {
    const MutexLock lock(mutex_);
    const auto* const owner = find_tenant(tenant);
    if (owner == nullptr) return tenant_not_found(tenant);
    std::vector<model::Webhook> all;
    for (const auto& [id, row] : owner->webhooks) all.push_back(row.webhook);
    std::ranges::stable_sort(all, {}, &model::Webhook::created_at);
    return all;
}

Result<WebhooksWithWork> MemoryRegistry::webhooks_with_work(Instant now, std::optional<std::int64_t> after,
                                                            std::size_t limit) {
    const MutexLock lock(mutex_);
    std::map<std::int64_t, std::pair<std::string, const MemoryWebhook*>> all;  // by key
    for (const auto& [name, tenant] : tables_.tenants) {
        for (const auto& [id, row] : tenant.webhooks) all.emplace(model::key_of(id), std::pair(name, &row));
    }
    WebhooksWithWork page;
    std::size_t seen = 0;
    for (auto each = after ? all.upper_bound(*after) : all.begin(); each != all.end() && seen < limit; ++each) {
        const auto& [name, row] = each->second;
        if (++seen == limit) page.next_after = each->first;
        if (!row->webhook.enabled) continue;
        const auto& feed = tables_.tenants.at(name).feed;
        const auto is_due = [now](const auto& delivery) {
            return is_pending(delivery.second) && delivery.second.next_try <= now;
        };
        if (feed.upper_bound(row->taken) != feed.end()) page.behind.emplace_back(name, row->webhook.id);
        if (std::ranges::any_of(row->deliveries, is_due)) page.due.emplace_back(name, row->webhook.id);
    }
    return page;
}

// --- the feed

Result<void> MemoryRegistry::follow(const std::string& tenant, Instant until) {
    const MutexLock lock(mutex_);
    auto* const owner = find_tenant(tenant);
    if (owner == nullptr) return tenant_not_found(tenant);
    owner->followed_until = std::max(owner->followed_until, until);
    return {};
}

Result<std::vector<model::FeedItem>> MemoryRegistry::feed(const std::string& tenant, std::int64_t after,
                                                          std::size_t limit) {
    const MutexLock lock(mutex_);
    const auto* const owner = find_tenant(tenant);
    if (owner == nullptr) return tenant_not_found(tenant);
    std::vector<model::FeedItem> items;
    PageBudget budget(std::min(limit, kFeedPageMax), kPageBytesMax);
    for (auto item = owner->feed.upper_bound(after); item != owner->feed.end() && !budget.is_full(); ++item) {
        items.push_back(item->second);
        budget.add(bytes_of(item->second));
    }
    return items;
}

Result<std::int64_t> MemoryRegistry::feed_end() {
    const MutexLock lock(mutex_);
    return tables_.feed_position;
}

Result<FeedNews> MemoryRegistry::feed_news(std::int64_t after, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::map<std::int64_t, std::string> items;  // names of tenants
    for (const auto& [name, tenant] : tables_.tenants) {
        for (auto item = tenant.feed.upper_bound(after); item != tenant.feed.end(); ++item)
            items.emplace(item->first, name);
    }
    FeedNews news{.up_to = after};
    std::set<std::string> tenants;
    std::size_t seen = 0;
    for (auto item = items.begin(); item != items.end() && seen < std::min(limit, kFeedPageMax); ++item, ++seen) {
        news.up_to = item->first;
        tenants.insert(item->second);
    }
    news.tenants.assign(tenants.begin(), tenants.end());
    news.more = seen == std::min(limit, kFeedPageMax);
    return news;
}

Result<std::pair<std::int64_t, std::int64_t>> MemoryRegistry::feed_bounds(const std::string& tenant) {
    const MutexLock lock(mutex_);
    const auto* const owner = find_tenant(tenant);
    if (owner == nullptr) return tenant_not_found(tenant);
    if (owner->feed.empty()) return std::pair<std::int64_t, std::int64_t>{};
    return std::pair{owner->feed.rbegin()->first, owner->feed.begin()->first};
}

namespace {

// The items up to this position are not needed by the tenant's webhooks.
std::int64_t taken_by_all(const MemoryTenant& tenant) {
    auto taken = std::numeric_limits<std::int64_t>::max();
    for (const auto& [id, row] : tenant.webhooks) {
        if (row.webhook.enabled) taken = std::min(taken, row.taken);
    }
    return taken;
}

}  // namespace

Result<std::int64_t> MemoryRegistry::prune_feed(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<std::tuple<Instant, std::int64_t, MemoryTenant*>> old;
    for (auto& [name, tenant] : tables_.tenants) {
        const auto taken = taken_by_all(tenant);
        for (const auto& [position, item] : tenant.feed) {
            if (item.at < before && position <= taken) old.emplace_back(item.at, position, &tenant);
        }
    }
    std::ranges::sort(old);
    cut(old, limit);
    for (const auto& [at, position, tenant] : old) tenant->feed.erase(position);
    return static_cast<std::int64_t>(old.size());
}

Result<FeedSizes> MemoryRegistry::feed_sizes(std::int64_t after, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> items;  // tenant and bytes, by position
    for (const auto& [name, tenant] : tables_.tenants) {
        for (auto each = tenant.feed.upper_bound(after); each != tenant.feed.end(); ++each) {
            const auto bytes = static_cast<std::int64_t>(to_text(each->second.body).size());
            items[each->first] = {model::tenant_key(name), bytes};
        }
    }
    std::map<std::int64_t, FeedPart> parts;
    FeedSizes sizes;
    std::size_t seen = 0;
    for (const auto& [position, item] : items) {
        if (seen++ == limit) break;
        auto& part = parts[item.first];
        part = {item.first, part.bytes + item.second, position};
        if (seen == limit) sizes.next_after = position;
    }
    for (const auto& [tenant, part] : parts) sizes.parts.push_back(part);
    return sizes;
}

Result<std::int64_t> MemoryRegistry::prune_feed_to(std::int64_t tenant_key, std::int64_t position, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::int64_t removed = 0;
    for (auto& [name, tenant] : tables_.tenants) {
        if (model::tenant_key(name) != tenant_key) continue;
        const auto last = std::min(position, taken_by_all(tenant));
        while (!tenant.feed.empty() && tenant.feed.begin()->first <= last && std::cmp_less(removed, limit)) {
            tenant.feed.erase(tenant.feed.begin());
            ++removed;
        }
    }
    return removed;
}

// --- deliveries

Result<std::int64_t> MemoryRegistry::take_deliveries(const std::string& tenant, const std::string& webhook_id,
                                                     Instant now, std::size_t limit) {
    const MutexLock lock(mutex_);
    auto* const row = find_webhook(tenant, webhook_id);
    if (row == nullptr) return webhook_not_found(webhook_id);
    if (!row->webhook.enabled) return 0;
    const auto& feed = find_tenant(tenant)->feed;
    std::int64_t passed = 0;
    for (auto item = feed.upper_bound(row->taken);
         item != feed.end() && std::cmp_less(passed, std::min(limit, kFeedPageMax)); ++item) {
        ++passed;
        row->taken = item->first;
        if (!lets_through(row->webhook.events, item->second.type)) continue;
        model::Delivery delivery;
        delivery.webhook_id = webhook_id;
        delivery.item = item->second;
        delivery.next_try = now;
        row->deliveries.emplace(item->first, std::move(delivery));
    }
    return passed;
}

Result<std::vector<model::Delivery>> MemoryRegistry::due_deliveries(const std::string& tenant,
                                                                    const std::string& webhook_id, Instant now,
                                                                    std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<model::Delivery> due;
    const auto* const row = find_webhook(tenant, webhook_id);
    if (row == nullptr || !row->webhook.enabled) return due;
    for (const auto& [position, delivery] : row->deliveries) {
        if (is_pending(delivery) && delivery.next_try <= now) due.push_back(delivery);
    }
    std::ranges::sort(due, {}, [](const auto& each) { return std::pair(each.next_try, each.item.position); });
    cut(due, std::min(limit, kFeedPageMax));
    return due;
}

bool MemoryRegistry::replace_delivery(const std::string& tenant, const model::Delivery& delivery) {
    auto* const row = find_webhook(tenant, delivery.webhook_id);
    if (row == nullptr || !row->deliveries.contains(delivery.item.position)) return false;
    auto& stored = row->deliveries.at(delivery.item.position);
    auto item = std::move(stored.item);
    stored = delivery;
    stored.item = std::move(item);
    return true;
}

Result<void> MemoryRegistry::put_delivery(const std::string& tenant, const model::Delivery& delivery) {
    if (auto error = check_delivery(delivery)) return *error;
    const MutexLock lock(mutex_);
    if (!replace_delivery(tenant, delivery)) return delivery_not_found(delivery);
    return {};
}

Result<void> MemoryRegistry::put_deliveries(std::span<const OwnedDelivery> deliveries) {
    for (const auto& each : deliveries) {
        if (auto error = check_delivery(each.second)) return *error;
    }
    const MutexLock lock(mutex_);
    for (const auto& [tenant, delivery] : deliveries) replace_delivery(tenant, delivery);
    return {};
}

Result<DeliveryPage> MemoryRegistry::deliveries(const std::string& tenant, const std::string& webhook_id,
                                                std::int64_t before, std::size_t limit) {
    const MutexLock lock(mutex_);
    const auto* const row = find_webhook(tenant, webhook_id);
    if (row == nullptr) return webhook_not_found(webhook_id);
    DeliveryPage page;
    PageBudget budget(std::clamp(limit, std::size_t{1}, kFeedPageMax), kPageBytesMax);
    auto end = before > 0 ? row->deliveries.lower_bound(before) : row->deliveries.end();
    while (end != row->deliveries.begin()) {
        if (budget.is_full()) {
            page.next_before = page.items.back().item.position;
            return page;
        }
        page.items.push_back((--end)->second);
        budget.add(bytes_of(page.items.back()));
    }
    return page;
}

Result<std::int64_t> MemoryRegistry::prune_deliveries(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<std::tuple<Instant, std::int64_t, MemoryWebhook*>> over;
    for (auto& [name, tenant] : tables_.tenants) {
        for (auto& [id, row] : tenant.webhooks) {
            for (const auto& [position, delivery] : row.deliveries) {
                const bool given_up = is_pending(delivery) && !row.webhook.enabled && delivery.next_try < before;
                if (given_up || (!is_pending(delivery) && delivery.item.at < before))
                    over.emplace_back(delivery.item.at, position, &row);
            }
        }
    }
    std::ranges::sort(over);
    cut(over, limit);
    for (const auto& [at, position, row] : over) row->deliveries.erase(position);
    return static_cast<std::int64_t>(over.size());
}

}  // namespace belfry::store
