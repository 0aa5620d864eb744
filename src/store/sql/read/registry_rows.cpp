#include "store/sql/read/registry_rows.hpp"

#include "model/identity.hpp"
#include "store/errors.hpp"

namespace belfry::store::sql {

namespace {

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

}  // namespace

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

Result<model::ApiKey> read_key(const Row& row) {
    model::ApiKey key;
    key.id = text_at(row, 0);
    key.name = text_at(row, 1);
    key.hash = text_at(row, 2);
    auto roles = read_roles(row.text(3));
    if (!roles) return unreadable("API key " + key.id, roles.error().message);
    key.roles = std::move(*roles);
    key.created_by = text_at(row, 4);
    key.created_at = instant_at(row, 5);
    key.expires_at = optional_instant(row, 6);
    key.revoked_at = optional_instant(row, 7);
    return key;
}

Result<WebhookRow> read_webhook(const Row& row) {
    WebhookRow read;
    auto& webhook = read.webhook;
    webhook.id = text_at(row, 0);
    webhook.url = text_at(row, 1);
    webhook.description = text_at(row, 2);
    auto events = read_list(row.text(3));
    auto secrets = read_list(row.text(4));
    if (!events || !secrets)
        return unreadable("webhook " + webhook.id, (events ? secrets.error() : events.error()).message);
    webhook.events = std::move(*events);
    webhook.secrets = std::move(*secrets);
    webhook.enabled = row.integer(5) != 0;
    webhook.created_by = text_at(row, 6);
    webhook.created_at = instant_at(row, 7);
    webhook.version = row.integer(8);
    read.taken = row.integer(9);
    return read;
}

Result<model::FeedItem> read_feed_item(const Row& row) {
    model::FeedItem item;
    item.position = row.integer(0);
    item.type = text_at(row, 1);
    item.at = instant_at(row, 2);
    item.schedule_id = text_at(row, 3);
    if (!row.is_null(5)) item.run_id = model::run_id(row.integer(4), row.integer(5));
    auto body = parse_stored(row.text(6));
    if (!body) return body.error();
    item.body = std::move(*body);
    return item;
}

Result<model::Delivery> read_delivery(const Row& row) {
    auto item = read_feed_item(row);
    if (!item) return item.error();
    model::Delivery delivery;
    delivery.item = std::move(*item);
    delivery.webhook_id = text_at(row, 7);
    delivery.status = static_cast<model::DeliveryStatus>(row.integer(8));
    delivery.attempts = static_cast<int>(row.integer(9));
    delivery.next_try = optional_instant(row, 10);
    delivery.last_try = optional_instant(row, 11);
    if (!row.is_null(12)) delivery.last_http_status = static_cast<int>(row.integer(12));
    delivery.last_error = text_at(row, 13);
    return delivery;
}

Result<void> require_tenant(Session& session, const std::string& tenant, const Statement& statement) {
    bool found = false;
    auto read = session.run(statement, tenant_place(tenant), [&found](const Row&) { found = true; });
    if (!read) return read.error();
    if (!found) return tenant_not_found(tenant);
    return {};
}

}  // namespace belfry::store::sql
