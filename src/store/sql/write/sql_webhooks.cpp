// Webhooks and their deliveries.
#include <limits>
#include <map>

#include "model/identity.hpp"
#include "store/errors.hpp"
#include "store/registry_rules.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/statements/statements_registry.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/sql_registry.hpp"

namespace belfry::store::sql {

using model::key_of;

namespace {

// Empty if the tenant has no webhook with this id.
Result<std::optional<WebhookRow>> find_webhook(Session& session, const std::string& tenant, const std::string& id,
                                               const Query<Result<WebhookRow>>& query) {
    auto row = read_one(session, query, {key_of(id), model::tenant_key(tenant)});
    if (row && *row && (*row)->webhook.id != id) row->reset();
    return row;
}

// The newest settled position of the tenant; 0 if there is none.
Result<std::int64_t> newest_position(Session& session, const std::string& tenant) {
    const auto end = read_feed_end(session);
    if (!end) return end;
    const auto bounds = read_one(session, kFeedBounds, {model::tenant_key(tenant), *end});
    if (!bounds) return bounds.error();
    return *bounds ? (*bounds)->newest : 0;
}

Result<void> write_webhook(Session& session, const std::string& tenant, const model::Webhook& webhook,
                           std::optional<WebhookRow> stored) {
    auto taken = stored ? stored->taken : 0;
    if (webhook.enabled && !(stored && stored->webhook.enabled)) {
        auto newest = newest_position(session, tenant);
        if (!newest) return newest.error();
        taken = std::max(taken, *newest);
    }
    const auto key = key_of(webhook.id);
    const Value enabled = std::int64_t{webhook.enabled};
    auto done = stored ? session.run(kUpdateWebhook, {webhook.url, webhook.description, list_text(webhook.events),
                                                      list_text(webhook.secrets), enabled, webhook.version, taken, key})
                       : session.run(kInsertWebhook,
                                     {key, webhook.id, model::tenant_key(tenant), webhook.url, webhook.description,
                                      list_text(webhook.events), list_text(webhook.secrets), enabled,
                                      webhook.created_by, epoch_us(webhook.created_at), webhook.version, taken});
    if (!done) return done.error();
    done = session.run(kCountWebhooks, {model::tenant_key(tenant)});
    if (!done) return done.error();
    return {};
}

}  // namespace

Result<void> SqlRegistry::put_webhook(const std::string& tenant, const model::Webhook& webhook) {
    const auto work = [&](Session& session) -> Result<void> {
        if (auto locked = require_tenant(session, tenant, kLockTenant); !locked) return locked;
        auto stored = find_webhook(session, tenant, webhook.id, kLockWebhook);
        if (!stored) return stored.error();
        const auto next = *stored ? (*stored)->webhook.version + 1 : 1;
        if (webhook.version != next) return version_conflict("webhook " + webhook.id, next);
        bool taken = false;
        if (!*stored) {
            auto read = session.run(kWebhookExists, {key_of(webhook.id)}, [&taken](const Row&) { taken = true; });
            if (!read) return read.error();
        }
        if (taken) return webhook_id_taken(webhook.id);
        return write_webhook(session, tenant, webhook, std::move(*stored));
    };
    auto done = commit(database_, work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = require_tenant(session, tenant, kLockTenant); !locked) return locked.error();
        auto stored = find_webhook(session, tenant, webhook.id, kWebhook);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->webhook.version < webhook.version) return CommitOutcome::no;
        if ((*stored)->webhook.version > webhook.version) return CommitOutcome::unclear;
        auto same = webhook;
        same.created_by = (*stored)->webhook.created_by;  // an update does not change them
        same.created_at = (*stored)->webhook.created_at;
        return (*stored)->webhook == same ? CommitOutcome::yes : CommitOutcome::no;
    });
    // Waits for decisions that checked for followers before the webhook existed.
    return done && webhook.enabled ? await_deciders() : done;
}

Result<void> SqlRegistry::remove_webhook(const std::string& tenant, const std::string& id) {
    const auto work = [&](Session& session) -> Result<void> {
        if (auto locked = require_tenant(session, tenant, kLockTenant); !locked) return webhook_not_found(id);
        auto stored = find_webhook(session, tenant, id, kLockWebhook);
        if (!stored) return stored.error();
        if (!*stored) return webhook_not_found(id);
        for (const auto* statement : {&kDeleteWebhook, &kDeleteDeliveries}) {
            if (auto done = session.run(*statement, {key_of(id)}); !done) return done.error();
        }
        if (auto done = session.run(kCountWebhooks, {model::tenant_key(tenant)}); !done) return done.error();
        return {};
    };
    return commit(database_, work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = require_tenant(session, tenant, kLockTenant); !locked) return locked.error();
        auto stored = find_webhook(session, tenant, id, kWebhook);
        if (!stored) return stored.error();
        return *stored ? CommitOutcome::no : CommitOutcome::yes;
    });
}

Result<model::Webhook> SqlRegistry::webhook(const std::string& tenant, const std::string& id) {
    std::optional<WebhookRow> found;
    auto done = database_.read([&](Session& session) -> Result<void> {
        auto row = find_webhook(session, tenant, id, kWebhook);
        if (!row) return row.error();
        found = std::move(*row);
        return {};
    });
    if (!done) return done.error();
    if (!found) return webhook_not_found(id);
    return std::move(found->webhook);
}

Result<std::vector<model::Webhook>> SqlRegistry::webhooks(const std::string& tenant) {
    std::vector<model::Webhook> all;
    auto done = database_.read([&](Session& session) -> Result<void> {
        if (auto found = require_tenant(session, tenant, kTenant); !found) return found;
        auto rows = read_all(session, kWebhooks, {model::tenant_key(tenant)});
        if (!rows) return rows.error();
        for (auto& row : *rows) all.push_back(std::move(row.webhook));
        return {};
    });
    if (!done) return done.error();
    return all;
}

Result<WebhooksWithWork> SqlRegistry::webhooks_with_work(Instant now, std::optional<std::int64_t> after,
                                                         std::size_t limit) {
    WebhooksWithWork page;
    const auto from = after.value_or(std::numeric_limits<std::int64_t>::min());
    const auto most = static_cast<std::int64_t>(limit);
    auto done = database_.read([&](Session& session) -> Result<void> {
        const auto scanned = read_one(session, kWebhookPage, {from, most});
        if (!scanned) return scanned.error();
        if (!*scanned || !(*scanned)->last) return {};
        const auto last = *(*scanned)->last;
        if ((*scanned)->count == most) page.next_after = last;
        auto read = session.run(kWebhooksWithWork, {epoch_us(now), from, last}, [&page](const WebhookWork& work) {
            if (work.behind) page.behind.emplace_back(work.tenant, work.id);
            if (work.due) page.due.emplace_back(work.tenant, work.id);
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return page;
}

// Locks the webhook's row first: the second of two concurrent calls continues where the first ended.
Result<std::int64_t> SqlRegistry::take_deliveries(const std::string& tenant, const std::string& webhook_id, Instant now,
                                                  std::size_t limit) {
    const auto key = key_of(webhook_id);
    std::int64_t passed = 0;
    std::int64_t reached = 0;
    const auto work = [&](Session& session) -> Result<void> {
        auto stored = find_webhook(session, tenant, webhook_id, kLockWebhook);
        if (!stored) return stored.error();
        if (!*stored) return webhook_not_found(webhook_id);
        const auto& [webhook, taken] = **stored;
        if (!webhook.enabled) return {};
        reached = taken;
        const auto end = read_feed_end(session);
        if (!end) return end.error();
        Batch deliveries;
        const auto& events = webhook.events;
        const auto most = static_cast<std::int64_t>(std::min(limit, kFeedPageMax));
        auto read = session.run(kFeed, {model::tenant_key(tenant), taken, *end, most}, [&](FeedRow row) {
            ++passed;
            reached = row.position;
            if (!lets_through(events, row.type)) return;
            deliveries.add_row(key, reached, epoch_us(now), std::move(row.type), epoch_us(row.at), row.schedule,
                               null_or(row.slot), std::string(row.body));
        });
        if (!read) return read.error();
        if (passed == 0) return {};
        if (!deliveries.empty()) {
            if (auto done = session.run(kInsertDelivery, deliveries); !done) return done.error();
        }
        if (auto done = session.run(kMoveWebhook, {reached, key}); !done) return done.error();
        return {};
    };
    auto done = commit(database_, work, [&](Session& session) -> Result<CommitOutcome> {
        auto stored = find_webhook(session, tenant, webhook_id, kLockWebhook);
        if (!stored) return stored.error();
        // A call that has reached this position has created the same deliveries.
        if (!*stored) return CommitOutcome::unclear;
        return (*stored)->taken >= reached ? CommitOutcome::yes : CommitOutcome::no;
    });
    if (!done) return done.error();
    return passed;
}

Result<std::vector<model::Delivery>> SqlRegistry::due_deliveries(const std::string& tenant,
                                                                 const std::string& webhook_id, Instant now,
                                                                 std::size_t limit) {
    const auto most = static_cast<std::int64_t>(std::min(limit, kFeedPageMax));
    return read_all(database_, kDueDeliveries, {key_of(webhook_id), epoch_us(now), model::tenant_key(tenant), most});
}

namespace {

void add_delivery(Batch& rows, const std::string& tenant, const model::Delivery& delivery) {
    const auto http = delivery.last_http_status ? Value(std::int64_t{*delivery.last_http_status}) : Value();
    rows.add_row(static_cast<std::int64_t>(delivery.status), std::int64_t{delivery.attempts},
                 null_or(delivery.next_try), null_or(delivery.last_try), http, delivery.last_error,
                 key_of(delivery.webhook_id), delivery.item.position, delivery.webhook_id, model::tenant_key(tenant));
}

}  // namespace

Result<void> SqlRegistry::put_delivery(const std::string& tenant, const model::Delivery& delivery) {
    if (auto error = check_delivery(delivery)) return *error;
    Batch rows;
    add_delivery(rows, tenant, delivery);
    return commit_repeatable(database_, [&](Session& session) -> Result<void> {
        auto done = session.run(kPutDelivery, rows);
        if (!done) return done.error();
        if (*done == 0) return delivery_not_found(delivery);
        return {};
    });
}

// In key order, so that two calls with the same deliveries do not deadlock.
Result<void> SqlRegistry::put_deliveries(std::span<const OwnedDelivery> deliveries) {
    std::map<std::pair<std::int64_t, std::int64_t>, const OwnedDelivery*> ordered;
    for (const auto& each : deliveries) {
        if (auto error = check_delivery(each.second)) return *error;
        ordered[{key_of(each.second.webhook_id), each.second.item.position}] = &each;
    }
    if (ordered.empty()) return {};
    Batch rows;
    rows.reserve(ordered.size());
    for (const auto& [key, each] : ordered) add_delivery(rows, each->first, each->second);
    return commit_repeatable(database_, [&](Session& session) -> Result<void> {
        if (auto done = session.run(kPutDelivery, rows); !done) return done.error();
        return {};
    });
}

Result<DeliveryPage> SqlRegistry::deliveries(const std::string& tenant, const std::string& webhook_id,
                                             std::int64_t before, std::size_t limit) {
    const auto most = std::clamp(limit, std::size_t{1}, kFeedPageMax);
    const auto below = before > 0 ? before : std::numeric_limits<std::int64_t>::max();
    DeliveryPage page;
    auto done = database_.read([&](Session& session) -> Result<void> {
        auto stored = find_webhook(session, tenant, webhook_id, kWebhook);
        if (!stored) return stored.error();
        if (!*stored) return webhook_not_found(webhook_id);
        auto rows = read_page<model::Delivery>(session, kDeliveries,
                                               {key_of(webhook_id), below, static_cast<std::int64_t>(most) + 1},
                                               PageBudget(most, kPageBytesMax));
        if (!rows) return rows.error();
        page.items = std::move(rows->items);
        if (rows->more) page.next_before = page.items.back().item.position;
        return {};
    });
    if (!done) return done.error();
    return page;
}

Result<std::int64_t> SqlRegistry::prune_deliveries(Instant before, std::size_t limit) {
    std::int64_t removed = 0;
    std::optional<DeliveryPlace> one;  // if this delivery is gone, all are
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto* const statement : {&kPruneDeliveries, &kGiveUpDeliveries}) {
            const auto left = static_cast<std::int64_t>(limit) - removed;
            auto done = session.run(*statement, {epoch_us(before), left}, [&](const DeliveryPlace& place) {
                ++removed;
                one = place;
            });
            if (!done) return done.error();
        }
        return {};
    };
    auto done = commit(database_, work, [&](Session& session) -> Result<CommitOutcome> {
        bool exists = false;
        if (!one) return CommitOutcome::yes;
        auto read = session.run(kLockDelivery, {one->webhook, one->position}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        return exists ? CommitOutcome::no : CommitOutcome::yes;
    });
    if (!done) return done.error();
    return removed;
}

}  // namespace belfry::store::sql
