// Routes for webhooks: create, list, read, replace, delete, rotate secrets, test, and list deliveries. A secret is
// returned only once.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "base/text/enum_names.hpp"
#include "engine/usecases/webhooks.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::DeliveryStatus;
using model::Permission;

constexpr std::int64_t kUrlMax = 2'000;  // bytes; browsers and proxies support this length
constexpr std::int64_t kDeliveriesShown = 50;
constexpr std::int64_t kDeliveriesShownMax = 500;
constexpr Seconds kTestSlack{1};  // beyond the timeout of the call
constexpr std::array<EnumName<DeliveryStatus>, 3> kStatuses{{{DeliveryStatus::pending, "pending"},
                                                             {DeliveryStatus::delivered, "delivered"},
                                                             {DeliveryStatus::failed, "failed"}}};

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

// Reads a complete definition: an omitted member returns to its default.
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

Response test_response(const decide::DeliveryAttempt& attempt) {
    return json_response(object{{"succeeded", decide::succeeded(attempt)},
                                {"at", format_instant(attempt.at)},
                                {"httpStatus", or_null(attempt.http_status)},
                                {"error", or_null(attempt.error)}});
}

// No thread waits for the receiver. If the client disconnects, the server abandons the call.
Result<Response> ping(engine::Webhooks& webhooks, const Call& call) {
    const auto until = std::chrono::steady_clock::now() + engine::kWebhookTimeout + kTestSlack;
    const auto test = webhooks.test(call.tenant(), call.at("webhook"));
    if (!test) return test.error();
    const auto again = [test = *test](const Request&, bool last) -> std::optional<Response> {
        if (const auto attempt = test->result()) return test_response(*attempt);
        if (!last) return std::nullopt;
        return problem_response(
            problem_of({ErrorCode::unavailable, "the receiver has not responded yet; retry later"}));
    };
    Response response;
    response.deferred = std::make_shared<DeferredResponse>(
        DeferredResponse{.poll = again,
                         .listen = [test = *test](std::function<void()> ring) { test->listen(std::move(ring)); },
                         .until = until});
    return response;
}

// The cursor is the position before which the next page starts.
Result<Response> deliveries(engine::Webhooks& webhooks, const Call& call) {
    if (auto webhook = webhooks.read(call.tenant(), call.at("webhook")); !webhook) return webhook.error();
    const auto limit = static_cast<std::size_t>(call.query.integer("limit").value_or(kDeliveriesShown));
    const auto page =
        webhooks.deliveries(call.tenant(), call.at("webhook"), call.query.integer("cursor").value_or(0), limit);
    if (!page) return page.error();
    boost::json::array items;
    for (const auto& delivery : page->items) items.push_back(delivery_json(delivery));
    return json_response(
        list_json(std::move(items), page->next_before > 0 ? std::to_string(page->next_before) : std::string()));
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
    return {
        {"url", text(kUrlMax), "URL to which Belfry sends events as POST requests.", Presence::required},
        {"description", text(static_cast<std::int64_t>(engine::kWebhookDescriptionMax)), "Description of the webhook."},
        {"events", list_of(text(), static_cast<std::int64_t>(engine::kWebhookEventsMax)),
         "Event types to send, such as `run.failed` or `run.*`. An empty list means all types."},
        {"enabled", boolean(),
         "Whether the webhook is enabled. While it is not, events are neither sent nor kept for it."}};
}

std::vector<Member> server_members() {
    return {{"id", text(), "Unique identifier of the webhook."},
            {"secretCount", integer(), "Number of secrets that sign: the newest, and older ones for one day."},
            {"createdBy", or_null(text()), "Principal that created the webhook."},
            {"createdAt", instant(), "Time at which the webhook was created."},
            {"version", integer(1), "Version of the webhook. Also sent as the ETag."}};
}

std::vector<Member> webhook_members() {
    auto members = definition_members();
    for (auto& member : server_members()) members.push_back(std::move(member));
    return all_required(std::move(members));
}

ShapePtr webhook_shape() { return record("Webhook", webhook_members()); }
ShapePtr webhook_with_secret_shape() {
    auto members = webhook_members();
    members.push_back({"secret", text(),
                       "Secret that signs the deliveries (Standard Webhooks). Store it now: it is shown only once.",
                       Presence::required});
    return record("WebhookWithSecret", std::move(members));
}
ShapePtr request_shape() {
    auto members = definition_members();
    for (const auto& member : server_members())
        members.push_back({member.name, anything(), "Set by the server. Ignored in requests."});
    return with_example(record("WebhookRequest", std::move(members)),
                        Json{{"url", "https://example.com/hooks/belfry"}, {"events", {"run.failed"}}});
}
ShapePtr test_shape() {
    return record("WebhookTest", all_required({{"succeeded", boolean(), "Whether the receiver responded with 2xx."},
                                               {"at", instant(), "Time at which the test was sent."},
                                               {"httpStatus", or_null(integer()),
                                                "Status code of the receiver's response. Null if it did not respond."},
                                               {"error", or_null(text()), "Why there was no response."}}));
}
ShapePtr delivery_shape() {
    return record(
        "Delivery",
        all_required({{"position", integer(), "Position of the event in the feed."},
                      {"type", text(), "Type of the event."},
                      {"happenedAt", instant(), "Time of the event."},
                      {"scheduleId", or_null(text()), "Unique identifier of the schedule that the event is about."},
                      {"runId", or_null(text()), "Unique identifier of the run that the event is about."},
                      {"data", anything(), "Content that the receiver gets as `data`."},
                      {"status", one_of({"pending", "delivered", "failed"}),
                       "Status of the delivery. A `failed` delivery is not retried."},
                      {"attempts", integer(), "Number of attempts."},
                      {"nextTryAt", or_null(instant()), "Time of the next attempt, while the delivery is pending."},
                      {"lastTryAt", or_null(instant()), "Time of the last attempt."},
                      {"lastHttpStatus", or_null(integer()),
                       "Status code of the receiver's last response. Null if it did not respond."},
                      {"lastError", or_null(text()), "Error of the last attempt."}}));
}

}  // namespace

void add_webhook_routes(Routes& routes, engine::Webhooks* webhooks) {
    const std::string all = "/api/tenants/{tenant}/webhooks";
    const std::string one = all + "/{webhook}";
    using Verb = Result<Response> (*)(engine::Webhooks&, const Call&);
    const auto add = [&](Route route, Verb verb) {
        route.group = "Webhooks";
        route.handler = [webhooks, verb](const Call& call) -> Result<Response> {
            if (webhooks == nullptr)
                return Error{ErrorCode::unavailable, "this server makes no outgoing calls; webhooks are disabled"};
            return verb(*webhooks, call);
        };
        routes.push_back(std::move(route));
    };
    add({.method = "POST",
         .pattern = all,
         .operation = "createWebhook",
         .summary = "Create a webhook. The response contains its secret, once.",
         .permission = Permission::administer,
         .body = request_shape(),
         .answers = {{201, webhook_with_secret_shape()}}},
        &create);
    add({.method = "GET",
         .pattern = all,
         .operation = "listWebhooks",
         .summary = "List the webhooks of a tenant, oldest first.",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(webhook_shape())}}},
        &list);
    add({.method = "GET",
         .pattern = one,
         .operation = "getWebhook",
         .summary = "Retrieve a webhook.",
         .permission = Permission::read,
         .answers = {{200, webhook_shape()}}},
        &get);
    add({.method = "PUT",
         .pattern = one,
         .operation = "replaceWebhook",
         .summary = "Replace the definition of a webhook. Its secrets stay.",
         .details = "Omitted members return to their defaults.",
         .permission = Permission::administer,
         .headers = {if_match_header()},
         .body = request_shape(),
         .answers = {{200, webhook_shape()}}},
        &replace);
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteWebhook",
         .summary = "Delete a webhook and its deliveries.",
         .permission = Permission::administer,
         .answers = {{204, {}, "The webhook was deleted."}}},
        &remove);
    add({.method = "POST",
         .pattern = one + "/rotate-secret",
         .operation = "rotateWebhookSecret",
         .summary = "Create a new secret. The old ones still sign for one day.",
         .permission = Permission::administer,
         .body = record("", {}),
         .body_presence = Presence::optional,
         .answers = {{200, webhook_with_secret_shape()}}},
        &rotate);
    add({.method = "POST",
         .pattern = one + "/test",
         .operation = "testWebhook",
         .summary = "Send a `ping` to a webhook now and return the result. Also works for a disabled webhook.",
         .permission = Permission::operate,
         .body = record("", {}),
         .body_presence = Presence::optional,
         .answers = {{200, test_shape()}}},
        &ping);
    add({.method = "GET",
         .pattern = one + "/deliveries",
         .operation = "listDeliveries",
         .summary = "List the deliveries of a webhook, newest first.",
         .permission = Permission::read,
         .query = {{"limit", integer(1, kDeliveriesShownMax),
                    "Maximum number of deliveries to return. Defaults to 50."},
                   {"cursor", integer(1), "`nextCursor` of the previous page."}},
         .answers = {{200, page_of(delivery_shape())}}},
        &deliveries);
    add({.method = "POST",
         .pattern = one + "/deliveries/{position}/redeliver",
         .operation = "redeliver",
         .summary = "Redeliver an event, even if it was delivered.",
         .permission = Permission::operate,
         .body = record("", {}),
         .body_presence = Presence::optional,
         .answers = {{202, delivery_shape(), "The event was queued for delivery."}}},
        &redeliver);
}

}  // namespace belfry::api
