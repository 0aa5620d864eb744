#include "engine/usecases/webhooks.hpp"

#include <limits>

#include <algorithm>

#include "base/text/ascii.hpp"
#include "decide/explain/feed.hpp"
#include "engine/outgoing/webhook_signature.hpp"

namespace belfry::engine {

namespace {

constexpr int kRacesMax = 5;  // attempts when others change the same webhook

Error in(const char* field, Error error) { return in_field(std::move(error), field); }

Result<void> check_events(const std::vector<std::string>& events) {
    if (events.size() > kWebhookEventsMax)
        return in("/events", invalid("a webhook names at most " + std::to_string(kWebhookEventsMax) + " events"));
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (auto unknown = decide::check_feed_type(events[i]))
            return in_field(std::move(*unknown), "/events/" + std::to_string(i));
    }
    return {};
}

}  // namespace

Result<void> Webhooks::apply(const WebhookEdit& edit, model::Webhook& webhook) const {
    if (edit.url) {
        const auto url = parse_url(*edit.url);
        if (!url) return in("/url", url.error());
        // An invalid URL is the caller's error and not a matter of permissions, so the code is invalid_argument.
        if (const auto checked = with_.http.check(*url); !checked) return in("/url", invalid(checked.error().message));
        webhook.url = *edit.url;
    }
    if (edit.description) {
        if (edit.description->size() > kWebhookDescriptionMax) {
            return in("/description",
                      invalid("a description has at most " + std::to_string(kWebhookDescriptionMax) + " bytes"));
        }
        webhook.description = *edit.description;
    }
    if (edit.events) {
        if (auto checked = check_events(*edit.events); !checked) return checked;
        webhook.events = *edit.events;
    }
    webhook.enabled = edit.enabled.value_or(webhook.enabled);
    return {};
}

Result<Webhooks::WithSecret> Webhooks::create(const std::string& tenant, const WebhookEdit& wanted,
                                              const model::CommandContext& context) {
    if (!wanted.url) return in("/url", invalid("a webhook needs a URL"));
    model::Webhook webhook;
    if (auto applied = apply(wanted, webhook); !applied) return applied.error();
    const auto present = registry_.webhooks(tenant);
    if (!present) return present.error();
    if (present->size() >= kWebhooksPerTenantMax) {
        Error full{ErrorCode::exhausted,
                   "a tenant has at most " + std::to_string(kWebhooksPerTenantMax) + " webhooks: remove one first"};
        full.retry_after_s = 0;
        return full;
    }
    const auto now = with_.store.now();
    if (!now) return now.error();
    webhook.id = with_.ids.make(*now);
    webhook.created_by = context.principal;
    webhook.created_at = *now;
    auto secret = make_webhook_secret();
    auto sealed = secrets_.seal(tenant, webhook.id, {{secret}});
    if (!sealed) return sealed.error();
    webhook.secrets = std::move(*sealed);
    if (auto put = registry_.put_webhook(tenant, webhook); !put) return put.error();
    return WithSecret{std::move(webhook), std::move(secret)};
}

Result<model::Webhook> Webhooks::change(const std::string& tenant, const std::string& id,
                                        std::optional<std::int64_t> version, const Change& change) {
    for (int i = 0; i < kRacesMax; ++i) {
        auto webhook = registry_.webhook(tenant, id);
        if (!webhook) return webhook;
        if (version && *version != webhook->version) {
            return Error{ErrorCode::conflict, "the webhook is at version " + std::to_string(webhook->version) +
                                                  ", not " + std::to_string(*version) + ": read it again"};
        }
        if (auto changed = change(*webhook); !changed) return changed.error();
        webhook->version += 1;
        const auto put = registry_.put_webhook(tenant, *webhook);
        if (put) return webhook;
        if (put.error().code != ErrorCode::conflict) return put.error();
    }
    return Error{ErrorCode::conflict, "other clients keep changing the webhook; retry in a moment"};
}

Result<model::Webhook> Webhooks::update(const std::string& tenant, const std::string& id,
                                        std::optional<std::int64_t> version, const WebhookEdit& edit) {
    return change(tenant, id, version, [&](model::Webhook& webhook) { return apply(edit, webhook); });
}

Result<model::Webhook> Webhooks::change_secrets(
    const std::string& tenant, const std::string& id,
    const std::function<std::vector<WebhookSecret>(std::vector<WebhookSecret>, Instant)>& become) {
    const auto now = with_.store.now();
    if (!now) return now.error();
    return change(tenant, id, std::nullopt, [&](model::Webhook& webhook) -> Result<void> {
        auto secrets = secrets_.open(tenant, webhook, *now);
        if (!secrets) return secrets.error();
        auto sealed = secrets_.seal(tenant, id, become(std::move(*secrets), *now));
        if (!sealed) return sealed.error();
        webhook.secrets = std::move(*sealed);
        return {};
    });
}

Result<Webhooks::WithSecret> Webhooks::rotate(const std::string& tenant, const std::string& id) {
    const auto fresh = make_webhook_secret();
    auto webhook = change_secrets(tenant, id, [&](std::vector<WebhookSecret> secrets, Instant now) {
        return rotated(std::move(secrets), fresh, now);
    });
    if (!webhook) return webhook.error();
    return WithSecret{std::move(*webhook), fresh};
}

Result<std::shared_ptr<WebhookTest>> Webhooks::test(const std::string& tenant, const std::string& id) {
    const auto webhook = registry_.webhook(tenant, id);
    if (!webhook) return webhook.error();
    const auto now = with_.store.now();
    if (!now) return now.error();
    auto place = tests_.take(tenant);
    if (!place)
        return Error{ErrorCode::exhausted,
                     "too many webhook tests of this tenant are running; retry when one has ended"};
    const WebhookMessage message{"ping_" + with_.ids.make(*now), "ping", *now, boost::json::object{{"webhookId", id}}};
    auto test = std::make_shared<WebhookTest>();
    testing_.run([this, tenant, webhook = *webhook, message, now = *now, outcome = test->outcome(),
                  place = std::move(place)]() mutable {
        auto attempt = sender_.send(tenant, webhook, message, now, outcome->stop.get_token());
        place.reset();
        outcome->end(std::move(attempt));
    });
    return test;
}

Result<model::Delivery> Webhooks::redeliver(const std::string& tenant, const std::string& id, std::int64_t position) {
    if (position == std::numeric_limits<std::int64_t>::max())
        return Error{ErrorCode::not_found, "there is no such delivery of webhook " + id};
    const auto page = registry_.deliveries(tenant, id, position + 1, 1);
    if (!page) return page.error();
    if (page->items.empty() || page->items.front().item.position != position) {
        return Error{ErrorCode::not_found, "there is no delivery " + std::to_string(position) + " of webhook " + id};
    }
    const auto now = with_.store.now();
    if (!now) return now.error();
    auto delivery = decide::once_more(page->items.front(), *now);
    if (auto put = registry_.put_delivery(tenant, delivery); !put) return put.error();
    return delivery;
}

}  // namespace belfry::engine
