// Webhooks: make, list, read, replace, delete, new secrets, a try, and what was sent. A secret is answered once.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/preferences.hpp"
#include "api/run_dto.hpp"
#include "base/enum_names.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::DeliveryStatus;
using model::Permission;

constexpr std::int64_t kUrlMax = 2'000;  // bytes, what browsers and proxies agree on
constexpr std::int64_t kDeliveriesShown = 50;
constexpr std::int64_t kDeliveriesShownMax = 500;
constexpr std::array<EnumName<DeliveryStatus>, 3> kStatuses{
    {{DeliveryStatus::pending, "pending"}, {DeliveryStatus::delivered, "delivered"}, {DeliveryStatus::failed, "failed"}}};

Result<engine::Webhooks*> webhooks_of(engine::Engine& engine) {
    auto* const webhooks = engine.webhooks();
    if (webhooks == nullptr) return Error{ErrorCode::unavailable, "this server makes no calls of its own: webhooks are switched off"};
    return webhooks;
}

object webhook_json(const model::Webhook& webhook) {
    return {{"id", webhook.id},
            {"url", webhook.url},
            {"description", webhook.description},
            {"events", array_of(webhook.events)},
            {"enabled", webhook.enabled},
            {"secretCount", webhook.secrets.size()},
            {"createdBy", or_null(webhook.created_by)},
            {"createdAt", format_instant(webhook.created_at)},
            {"version", webhook.version}};
}

object delivery_json(const model::Delivery& delivery) {
    return {{"position", delivery.item.position},
            {"type", delivery.item.type},
            {"happenedAt", format_instant(delivery.item.at)},
            {"scheduleId", or_null(delivery.item.schedule_id)},
            {"runId", or_null(delivery.item.run_id)},
            {"data", delivery.item.body},
            {"status", canonical_name(std::span<const EnumName<DeliveryStatus>>(kStatuses), delivery.status)},
            {"attempts", delivery.attempts},
            {"nextTryAt", or_null(delivery.next_try)},
            {"lastTryAt", or_null(delivery.last_try)},
            {"lastHttpStatus", or_null(delivery.last_http_status)},
            {"lastError", or_null(delivery.last_error)}};
}

Response webhook_response(const model::Webhook& webhook, int status = 200) {
    auto response = json_response(webhook_json(webhook), status);
    response.headers.push_back(etag(webhook.version));
    return response;
}

Response secret_response(const engine::Webhooks::WithSecret& made, int status) {
    auto json = webhook_json(made.webhook);
    json["secret"] = made.secret;
    auto response = json_response(json, status);
    response.headers.push_back(etag(made.webhook.version));
    response.headers.emplace_back("Cache-Control", "no-store");
    return response;
}

// A whole definition: what is left out has its default again.
engine::WebhookEdit read_webhook(const Values& values) {
    std::vector<std::string> events;
    for (const auto& event : values.array("events")) events.emplace_back(std::string_view(event.get_string()));
    return {.url = values.text("url"),
            .description = values.text("description").value_or(""),
            .events = std::move(events),
            .enabled = values.boolean("enabled").value_or(true)};
}

Result<Response> create(engine::Webhooks& webhooks, const Call& call) {
    const auto made = webhooks.create(call.tenant(), read_webhook(Values(call.body)), call.context());
    if (!made) return made.error();
    auto response = secret_response(*made, 201);
    response.headers.emplace_back("Location", tenant_path(call.tenant(), "/webhooks/" + made->webhook.id));
    return response;
}

Result<Response> list(engine::Webhooks& webhooks, const Call& call) {
    const auto all = webhooks.list(call.tenant());
    if (!all) return all.error();
    boost::json::array items;
    for (const auto& webhook : *all) items.push_back(webhook_json(webhook));
    return page_response(call.query, std::move(items), "id");
}

Result<Response> get(engine::Webhooks& webhooks, const Call& call) {
    const auto webhook = webhooks.read(call.tenant(), call.at("webhook"));
    if (!webhook) return webhook.error();
    return webhook_response(*webhook);
}

Result<Response> replace(engine::Webhooks& webhooks, const Call& call) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    const auto changed = webhooks.update(call.tenant(), call.at("webhook"), *version, read_webhook(Values(call.body)));
    if (!changed) return changed.error();
    return webhook_response(*changed);
}

Result<Response> remove(engine::Webhooks& webhooks, const Call& call) {
    if (auto removed = webhooks.remove(call.tenant(), call.at("webhook")); !removed) return removed.error();
    return Response{.status = 204};
}

Result<Response> rotate(engine::Webhooks& webhooks, const Call& call) {
    const auto made = webhooks.rotate(call.tenant(), call.at("webhook"));
    if (!made) return made.error();
    return secret_response(*made, 200);
}

Result<Response> ping(engine::Webhooks& webhooks, const Call& call) {
    const auto attempt = webhooks.ping(call.tenant(), call.at("webhook"));
    if (!attempt) return attempt.error();
    return json_response(object{{"succeeded", decide::succeeded(*attempt)},
                                {"at", format_instant(attempt->at)},
                                {"httpStatus", or_null(attempt->http_status)},
                                {"error", or_null(attempt->error)}});
}

// The cursor is the position to go on before.
Result<Response> deliveries(engine::Webhooks& webhooks, const Call& call) {
    if (auto webhook = webhooks.read(call.tenant(), call.at("webhook")); !webhook) return webhook.error();
    const auto limit = static_cast<std::size_t>(call.query.integer("limit").value_or(kDeliveriesShown));
    const auto page = webhooks.deliveries(call.tenant(), call.at("webhook"), call.query.integer("cursor").value_or(0), limit);
    if (!page) return page.error();
    boost::json::array items;
    for (const auto& delivery : page->items) items.push_back(delivery_json(delivery));
    return json_response(list_json(std::move(items), page->next_before > 0 ? std::to_string(page->next_before) : std::string()));
}

Result<Response> redeliver(engine::Webhooks& webhooks, const Call& call) {
    const auto position = parse_integer(call.at("position"));
    if (!position) return Error{ErrorCode::not_found, "there is no delivery " + in_quotes(call.at("position"))};
    const auto delivery = webhooks.redeliver(call.tenant(), call.at("webhook"), *position);
    if (!delivery) return delivery.error();
    return json_response(delivery_json(*delivery), 202);
}

std::vector<Member> all_required(std::vector<Member> members) {
    for (auto& member : members) member.presence = Presence::required;
    return members;
}

std::vector<Member> definition_members() {
    return {{"url", text(kUrlMax), "Where events are sent, by POST.", Presence::required},
            {"description", text(static_cast<std::int64_t>(engine::kWebhookDescriptionMax)), "What it is for."},
            {"events", list_of(text(), static_cast<std::int64_t>(engine::kWebhookEventsMax)), "Types such as `run.failed`, or `run.*`; empty: all."},
            {"enabled", boolean(), "Off: nothing is sent, and what happens meanwhile is not kept for it."}};
}

std::vector<Member> server_members() {
    return {{"id", text(), "Never changes."},
            {"secretCount", integer(), "How many secrets sign: the newest, and older ones for a day."},
            {"createdBy", or_null(text()), "Who made it."},
            {"createdAt", instant(), "When that was."},
            {"version", integer(1), "Also the ETag."}};
}

std::vector<Member> webhook_members() {
    auto members = definition_members();
    for (auto& member : server_members()) members.push_back(std::move(member));
    return all_required(std::move(members));
}

ShapePtr webhook_shape() { return record("Webhook", webhook_members()); }
ShapePtr webhook_with_secret_shape() {
    auto members = webhook_members();
    members.push_back({"secret", text(), "Signs what is sent (Standard Webhooks). Keep it: nobody can show it again.", Presence::required});
    return record("WebhookWithSecret", std::move(members));
}
ShapePtr request_shape() {
    auto members = definition_members();
    for (const auto& member : server_members()) members.push_back({member.name, anything(), "The server's own; not looked at in a request."});
    return with_example(record("WebhookRequest", std::move(members)), Json{{"url", "https://example.com/hooks/belfry"}, {"events", {"run.failed"}}});
}
ShapePtr test_shape() {
    return record("WebhookTest", all_required({{"succeeded", boolean(), "The receiver answered 2xx."},
                                               {"at", instant(), "When it was sent."},
                                               {"httpStatus", or_null(integer()), "What the receiver answered; null when nobody did."},
                                               {"error", or_null(text()), "Why nobody did."}}));
}
ShapePtr delivery_shape() {
    return record("Delivery", all_required({{"position", integer(), "Of the event in the feed."},
                                            {"type", text(), "Of the event."},
                                            {"happenedAt", instant(), "When it happened."},
                                            {"scheduleId", or_null(text()), "Whose it is."},
                                            {"runId", or_null(text()), "Of the run that it is about."},
                                            {"data", anything(), "What the receiver gets as `data`."},
                                            {"status", one_of({"pending", "delivered", "failed"}), "Failed: nobody tries again."},
                                            {"attempts", integer(), "How often it was sent."},
                                            {"nextTryAt", or_null(instant()), "While it is pending."},
                                            {"lastTryAt", or_null(instant()), "When it was last sent."},
                                            {"lastHttpStatus", or_null(integer()), "What the receiver answered; null when nobody did."},
                                            {"lastError", or_null(text()), "What went wrong."}}));
}

}  // namespace

void add_webhook_routes(Routes& routes, engine::Engine& engine) {
    const std::string all = "/api/tenants/{tenant}/webhooks";
    const std::string one = all + "/{webhook}";
    using Verb = Result<Response> (*)(engine::Webhooks&, const Call&);
    const auto add = [&](Route route, Verb verb) {
        route.group = "Webhooks";
        route.handler = [&engine, verb](const Call& call) -> Result<Response> {
            const auto webhooks = webhooks_of(engine);
            if (!webhooks) return webhooks.error();
            return verb(**webhooks, call);
        };
        routes.push_back(std::move(route));
    };
    add({.method = "POST",
         .pattern = all,
         .operation = "createWebhook",
         .summary = "Create a webhook; the answer shows its secret once.",
         .permission = Permission::administer,
         .body = request_shape(),
         .answers = {{201, webhook_with_secret_shape()}}},
        &create);
    add({.method = "GET",
         .pattern = all,
         .operation = "listWebhooks",
         .summary = "List a tenant's webhooks, oldest first.",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(webhook_shape())}}},
        &list);
    add({.method = "GET",
         .pattern = one,
         .operation = "getWebhook",
         .summary = "Read a webhook.",
         .permission = Permission::read,
         .answers = {{200, webhook_shape()}}},
        &get);
    add({.method = "PUT",
         .pattern = one,
         .operation = "replaceWebhook",
         .summary = "Replace a webhook's definition; its secrets stay.",
         .details = "What is left out has its default again.",
         .permission = Permission::administer,
         .headers = {if_match_header()},
         .body = request_shape(),
         .answers = {{200, webhook_shape()}}},
        &replace);
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteWebhook",
         .summary = "Delete a webhook with its deliveries.",
         .permission = Permission::administer,
         .answers = {{204, {}, "It is gone."}}},
        &remove);
    add({.method = "POST",
         .pattern = one + "/rotate-secret",
         .operation = "rotateWebhookSecret",
         .summary = "Make a new secret; the old ones go on signing for a day.",
         .permission = Permission::administer,
         .body = record("", {}),
         .body_presence = Presence::optional,
         .answers = {{200, webhook_with_secret_shape()}}},
        &rotate);
    add({.method = "POST",
         .pattern = one + "/test",
         .operation = "testWebhook",
         .summary = "Send a `ping` now, also to one that is switched off, and tell what came of it.",
         .permission = Permission::operate,
         .body = record("", {}),
         .body_presence = Presence::optional,
         .answers = {{200, test_shape()}}},
        &ping);
    add({.method = "GET",
         .pattern = one + "/deliveries",
         .operation = "listDeliveries",
         .summary = "List what was sent, newest first.",
         .permission = Permission::read,
         .query = {{"limit", integer(1, kDeliveriesShownMax), "How many at most; 50 when absent."},
                   {"cursor", integer(1), "`nextCursor` of the page before."}},
         .answers = {{200, page_of(delivery_shape())}}},
        &deliveries);
    add({.method = "POST",
         .pattern = one + "/deliveries/{position}/redeliver",
         .operation = "redeliver",
         .summary = "Send an event again, whatever came of it before.",
         .permission = Permission::operate,
         .body = record("", {}),
         .body_presence = Presence::optional,
         .answers = {{202, delivery_shape(), "It is on its way."}}},
        &redeliver);
}

}  // namespace belfry::api
