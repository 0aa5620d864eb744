#include "store/sql/statements/statements_registry.hpp"

#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

const std::string kKeyColumns = "s.id, s.name, s.hash, s.roles, s.created_by, s.created_us, s.expires_us, s.revoked_us";
const std::string kWebhookColumns =
    "s.id, s.url, s.description, s.events, s.secrets, s.enabled, s.created_by, s.created_us, s.version, "
    "s.taken_position";
const std::string kDeliveryColumns =
    "d.position, d.type, d.at_us, COALESCE(c.id, x.id), d.schedule_key, d.slot, d.body, w.id, d.status, d.attempts, "
    "d.next_us, d.last_us, "
    "d.http_status, d.error";
const std::string kDeliveryTables =
    " FROM deliveries d JOIN webhooks w ON w.webhook_key = d.webhook_key LEFT JOIN schedules c ON c.schedule_key = "
    "d.schedule_key "
    "LEFT JOIN removed_schedules x ON x.schedule_key = d.schedule_key ";

Error unreadable(const std::string& what, const std::string& why) {
    return {ErrorCode::corrupt, "the stored " + what + " cannot be read" + (why.empty() ? "" : ": " + why)};
}

Result<std::vector<std::string>> read_list(std::string_view text) {
    const auto json = parse_stored(text);
    if (!json) return json.error();
    std::vector<std::string> list;
    if (!json->is_array()) return unreadable("list", {});
    for (const auto& each : json->get_array()) {
        if (!each.is_string()) return unreadable("list", {});
        list.emplace_back(each.get_string());
    }
    return list;
}

Result<model::Roles> read_roles(std::string_view text) {
    const auto json = parse_stored(text);
    if (!json) return json.error();
    model::Roles roles;
    if (!json->is_object()) return unreadable("roles", {});
    for (const auto& member : json->get_object()) {
        auto& own = roles[std::string(member.key())];
        if (!member.value().is_array()) return unreadable("roles", {});
        for (const auto& each : member.value().get_array()) {
            auto role = model::parse_role(each.is_string() ? std::string_view(each.get_string()) : std::string_view());
            if (!role) return unreadable("roles", role.error().message);
            own.insert(*role);
        }
    }
    return roles;
}

Result<model::ApiKey> read_key(Columns& row) {
    model::ApiKey key;
    key.id = row.text();
    key.name = row.text();
    key.hash = row.text();
    auto roles = read_roles(row.view());
    if (!roles) return unreadable("API key " + key.id, roles.error().message);
    key.roles = std::move(*roles);
    key.created_by = row.text();
    key.created_at = row.instant();
    key.expires_at = row.optional_instant();
    key.revoked_at = row.optional_instant();
    return key;
}

Result<WebhookRow> read_webhook(Columns& row) {
    WebhookRow read;
    auto& webhook = read.webhook;
    webhook.id = row.text();
    webhook.url = row.text();
    webhook.description = row.text();
    auto events = read_list(row.view());
    auto secrets = read_list(row.view());
    if (!events || !secrets)
        return unreadable("webhook " + webhook.id, (events ? secrets.error() : events.error()).message);
    webhook.events = std::move(*events);
    webhook.secrets = std::move(*secrets);
    webhook.enabled = row.flag();
    webhook.created_by = row.text();
    webhook.created_at = row.instant();
    webhook.version = row.integer();
    read.taken = row.integer();
    return read;
}

FeedRow read_feed_row(Columns& row) {
    return {row.integer(), row.text(), row.instant(), row.text(), row.integer(), row.optional_integer(), row.view()};
}

Result<model::Delivery> read_delivery(Columns& row) {
    auto item = feed_item(read_feed_row(row));
    if (!item) return item.error();
    model::Delivery delivery;
    delivery.item = std::move(*item);
    delivery.webhook_id = row.text();
    delivery.status = row.as<model::DeliveryStatus>();
    delivery.attempts = row.small();
    delivery.next_try = row.optional_instant();
    delivery.last_try = row.optional_instant();
    delivery.last_http_status = row.optional_small();
    delivery.last_error = row.text();
    return delivery;
}
DeliveryPlace read_delivery_place(Columns& row) { return {row.integer(), row.integer()}; }

}  // namespace

Result<model::FeedItem> feed_item(FeedRow row) {
    auto body = parse_stored(row.body);
    if (!body) return body.error();
    return model::FeedItem{.position = row.position,
                           .type = std::move(row.type),
                           .at = row.at,
                           .schedule_id = std::move(row.schedule_id),
                           .run_id = row.slot ? model::run_id(row.schedule, *row.slot) : std::string(),
                           .body = std::move(*body)};
}

std::string roles_text(const model::Roles& roles) {
    boost::json::object object;
    for (const auto& [tenant, own] : roles) {
        auto& names = object[tenant].emplace_array();
        for (const auto role : own) names.emplace_back(name_of(role));
    }
    return to_text(Json(std::move(object)));
}

std::string list_text(const std::vector<std::string>& list) {
    return to_text(Json(boost::json::array(list.begin(), list.end())));
}

const Query<Result<model::ApiKey>> kKey("API key", "SELECT " + kKeyColumns + " FROM api_keys s WHERE s.id = :id::text",
                                        read_key);
const Query<Result<model::ApiKey>> kLockKey(
    "lock API key", "SELECT " + kKeyColumns + " FROM api_keys s WHERE s.id = :id::text {for update}", read_key);
const Query<Result<model::ApiKey>> kKeys("API keys",
                                         "SELECT " + kKeyColumns + " FROM api_keys s ORDER BY s.created_us, s.id",
                                         read_key);
const Statement kKeyNamed("API key of a name",
                          "SELECT id FROM api_keys WHERE name = :name::text AND revoked_us IS NULL");
const Statement kInsertKey(
    "insert API key",
    "INSERT INTO api_keys (id, name, hash, roles, created_by, created_us, expires_us, revoked_us) "
    "VALUES (:id::text, :name::text, :hash::text, :roles::text, :by::text, :created, :expires, :revoked)");
const Statement kRevokeKey("revoke API key",
                           "UPDATE api_keys SET revoked_us = :now WHERE id = :id::text AND revoked_us IS NULL");

// Never removes the newest key: a server that requires authentication because keys exist must continue to require it.
const Statement kPruneKeys(
    "prune API keys",
    "DELETE FROM api_keys WHERE id IN (SELECT k.id FROM api_keys k WHERE (k.revoked_us < :before OR k.expires_us < "
    ":before) "
    "AND k.created_us < (SELECT max(n.created_us) FROM api_keys n) ORDER BY k.created_us, k.id LIMIT :limit)");
const Statement kFollow("follow",
                        "UPDATE tenants SET followed_us = CASE WHEN followed_us < :until THEN :until ELSE followed_us "
                        "END WHERE tenant_key = :tenant");
const Statement kNoteDecider("note decider", "SELECT {note decider}");
const Statement kAwaitDeciders("await deciders", "SELECT {await deciders}");
const Statement kHoldFeed("hold feed", "SELECT {hold feed}");
const Statement kInsertFeed(
    "insert feed item",
    "INSERT INTO feed (position, tenant_key, type, at_us, schedule_key, slot, body) "
    "{values} {feed position}, :tenant, :type::text, :at, :key, :slot, :body::text {end values, rows}");
const Query<std::int64_t> kFeedEnd("end of the feed", "SELECT {feed end}", read_integer);
const Statement kHealFeed("heal feed", "SELECT {heal feed}");
const Query<FeedRow> kFeed(
    "feed",
    "SELECT f.position, f.type, f.at_us, COALESCE(c.id, x.id), f.schedule_key, f.slot, f.body FROM feed f "
    "LEFT JOIN schedules c ON c.schedule_key = f.schedule_key LEFT JOIN removed_schedules x ON x.schedule_key = "
    "f.schedule_key "
    "WHERE f.tenant_key = :tenant AND f.position > :after AND f.position <= :end ORDER BY f.position LIMIT :limit",
    read_feed_row);
const Statement kFeedGrown(
    "feed has grown",
    "SELECT 1 FROM feed f WHERE f.tenant_key = :tenant AND f.position > :after ORDER BY f.position LIMIT 1");
const Query<FeedNewsRow> kFeedNews(
    "news of the feed",
    "SELECT f.position, t.name FROM feed f JOIN tenants t ON t.tenant_key = f.tenant_key "
    "WHERE f.position > :after AND f.position <= :end ORDER BY f.position LIMIT :limit",
    [](Columns& row) {
        return FeedNewsRow{row.integer(), row.text()};
    });
const Query<FeedBounds> kFeedBounds(
    "bounds of the feed",
    "SELECT (SELECT max(f.position) FROM feed f WHERE f.tenant_key = :tenant AND f.position <= :end), "
    "(SELECT min(f.position) FROM feed f WHERE f.tenant_key = :tenant AND f.position <= :end)",
    [](Columns& row) {
        return FeedBounds{row.integer(), row.integer()};
    });
const std::string kTaken =
    "AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.tenant_key = f.tenant_key AND w.enabled = 1 "
    "AND w.taken_position < f.position) ";
const Query<std::int64_t> kPruneFeed(
    "prune feed",
    "DELETE FROM feed WHERE position IN (SELECT f.position FROM feed f WHERE f.at_us < :before " + kTaken +
        "ORDER BY f.at_us, f.position LIMIT :limit) RETURNING position",
    read_integer);
const Query<std::int64_t> kPruneFeedTo(
    "prune feed of a tenant",
    "DELETE FROM feed WHERE position IN (SELECT f.position FROM feed f WHERE f.tenant_key = :tenant "
    "AND f.position <= :last " +
        kTaken + "ORDER BY f.position LIMIT :limit) RETURNING position",
    read_integer);
const Query<FeedSizeRow> kFeedSizes(
    "sizes of the feed",
    "SELECT q.tenant_key, CAST(sum(q.bytes) AS BIGINT), max(q.position), count(*) FROM (SELECT f.tenant_key, "
    "f.position, {octets}f.body{end octets} AS bytes FROM feed f WHERE f.position > :after ORDER BY f.position "
    "LIMIT :limit) q GROUP BY q.tenant_key ORDER BY q.tenant_key",
    [](Columns& row) {
        return FeedSizeRow{{row.integer(), row.integer(), row.integer()}, row.integer()};
    });
const Statement kLockFeedItem("lock feed item",
                              "SELECT s.position FROM feed s WHERE s.position = :position {for update}");

const Query<Result<WebhookRow>> kWebhook("webhook",
                                         "SELECT " + kWebhookColumns +
                                             " FROM webhooks s WHERE s.webhook_key = :key AND s.tenant_key = :tenant",
                                         read_webhook);
const Query<Result<WebhookRow>> kLockWebhook(
    "lock webhook",
    "SELECT " + kWebhookColumns + " FROM webhooks s WHERE s.webhook_key = :key AND s.tenant_key = :tenant {for update}",
    read_webhook);
const Query<Result<WebhookRow>> kWebhooks(
    "webhooks",
    "SELECT " + kWebhookColumns + " FROM webhooks s WHERE s.tenant_key = :tenant ORDER BY s.created_us, s.id",
    read_webhook);
const Query<WebhookPage> kWebhookPage(
    "page of webhooks",
    "SELECT max(p.webhook_key), count(*) FROM (SELECT w.webhook_key FROM webhooks w WHERE w.webhook_key > :after "
    "ORDER BY w.webhook_key LIMIT :limit) p",
    [](Columns& row) {
        return WebhookPage{row.optional_integer(), row.integer()};
    });
const Query<WebhookWork> kWebhooksWithWork(
    "webhooks with work",
    "SELECT p.name, p.id, p.behind, p.due FROM (SELECT t.name, w.id, w.webhook_key, "
    "CASE WHEN EXISTS (SELECT 1 FROM feed f WHERE f.tenant_key = w.tenant_key AND "
    "f.position > w.taken_position) THEN 1 ELSE 0 END AS behind, "
    "CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_key = w.webhook_key "
    "AND d.status = 0 AND d.next_us <= :now) THEN 1 ELSE 0 END "
    "AS due FROM webhooks w JOIN tenants t ON t.tenant_key = w.tenant_key "
    "WHERE w.webhook_key > :after AND w.webhook_key <= :last AND w.enabled = 1) p WHERE "
    "p.behind + p.due > 0 ORDER BY p.webhook_key",
    [](Columns& row) {
        return WebhookWork{row.text(), row.text(), row.flag(), row.flag()};
    });
const Statement kWebhookExists("webhook exists", "SELECT id FROM webhooks WHERE webhook_key = :key");
const Statement kInsertWebhook("insert webhook",
                               "INSERT INTO webhooks (webhook_key, id, tenant_key, url, description, events, secrets, "
                               "enabled, created_by, created_us, version, "
                               "taken_position) VALUES (:key, :id::text, :tenant, :url::text, :description::text, "
                               ":events::text, :secrets::text, :enabled, :by::text, "
                               ":created, :version, :taken)");
const Statement kUpdateWebhook(
    "update webhook",
    "UPDATE webhooks SET url = :url::text, description = :description::text, events = :events::text, "
    "secrets = :secrets::text, enabled = :enabled, version = :version, taken_position = :taken "
    "WHERE webhook_key = :key AND version = :version - 1");
const Statement kMoveWebhook("move webhook", "UPDATE webhooks SET taken_position = :position WHERE webhook_key = :key");
const Statement kDeleteWebhook("delete webhook", "DELETE FROM webhooks WHERE webhook_key = :key");
const Statement kCountWebhooks(
    "count webhooks",
    "UPDATE tenants SET webhooks = (SELECT count(*) FROM webhooks w WHERE w.tenant_key = tenants.tenant_key "
    "AND w.enabled = 1) WHERE tenant_key = :tenant");

const Statement kInsertDelivery(
    "insert delivery",
    "INSERT INTO deliveries (webhook_key, position, status, attempts, next_us, error, type, at_us, schedule_key, slot, "
    "body) {values} :webhook, :position, 0, 0, :next, '', :type::text, :at, :key, :slot, :body::text {end values, "
    "rows}");
const Query<Result<model::Delivery>> kDueDeliveries(
    "due deliveries",
    "SELECT " + kDeliveryColumns + kDeliveryTables +
        "WHERE d.webhook_key = :webhook AND d.status = 0 AND d.next_us <= :now AND w.enabled = 1 "
        "AND w.tenant_key = :tenant ORDER BY d.next_us, d.position LIMIT :limit",
    read_delivery);
// Looks up the webhook for each row: a join might start with the webhook and read all its deliveries.
const Statement kPutDelivery(
    "put delivery",
    "UPDATE deliveries SET status = :status, attempts = :attempts, next_us = :next, last_us = :last, "
    "http_status = :http, error = :error::text {rows} WHERE deliveries.webhook_key = :webhook "
    "AND deliveries.position = :position AND (SELECT w.tenant_key FROM webhooks w "
    "WHERE w.webhook_key = deliveries.webhook_key AND w.id = :id::text) = :tenant {any deliveries.position = "
    ":position}");
const Query<Result<model::Delivery>> kDeliveries(
    "deliveries",
    "SELECT " + kDeliveryColumns + kDeliveryTables +
        "WHERE d.webhook_key = :webhook AND d.position < :before ORDER BY d.position DESC LIMIT :limit",
    read_delivery);
const Statement kDeleteDeliveries("delete deliveries", "DELETE FROM deliveries WHERE webhook_key = :webhook");
const Query<DeliveryPlace> kPruneDeliveries(
    "prune deliveries",
    "DELETE FROM deliveries WHERE (webhook_key, position) IN (SELECT d.webhook_key, d.position FROM deliveries d "
    "WHERE d.status <> 0 AND d.at_us < :before ORDER BY d.at_us, d.position LIMIT :limit) "
    "RETURNING webhook_key, position",
    read_delivery_place);
// Deliveries of disabled webhooks: they are never sent and would stay due.
const Query<DeliveryPlace> kGiveUpDeliveries(
    "give up deliveries",
    "DELETE FROM deliveries WHERE (webhook_key, position) IN (SELECT d.webhook_key, d.position FROM deliveries d "
    "JOIN webhooks w ON w.webhook_key = d.webhook_key WHERE d.status = 0 AND d.next_us < :before AND w.enabled = 0 "
    "ORDER BY d.next_us, d.position LIMIT :limit) RETURNING webhook_key, position",
    read_delivery_place);
const Statement kLockDelivery(
    "lock delivery",
    "SELECT s.position FROM deliveries s WHERE s.webhook_key = :webhook AND s.position = :position {for update}");

}  // namespace belfry::store::sql
