#include "engine/outgoing/webhook_sender.hpp"

#include "engine/outgoing/webhook_signature.hpp"

namespace belfry::engine {

namespace {

std::string body_of(const WebhookMessage& message) {
    return to_text(boost::json::object{
        {"type", message.type}, {"timestamp", format_instant(message.happened)}, {"data", message.data}});
}

}  // namespace

WebhookMessage message_of(const std::string& webhook_id, const model::FeedItem& item) {
    return {"msg_" + webhook_id + "_" + std::to_string(item.position), item.type, item.at, item.body};
}

Result<HttpAnswer> WebhookSender::call(const std::string& tenant, const model::Webhook& webhook,
                                       const WebhookMessage& message, Instant now, const std::stop_token& stop) {
    const auto url = parse_url(webhook.url);
    if (!url) return url.error();
    const auto secrets = secrets_.open(tenant, webhook, now);
    if (!secrets) return secrets.error();
    std::vector<std::string> keys;
    for (const auto& secret : *secrets) {
        auto key = webhook_key(secret.text);
        if (!key) return key.error();
        keys.push_back(std::move(*key));
    }
    if (keys.empty()) return Error{ErrorCode::corrupt, "the webhook has no secret: rotate it"};
    HttpCall request{.method = "POST",
                     .url = *url,
                     .body = body_of(message),
                     .timeout = kWebhookTimeout,
                     .long_answer = LongAnswer::cut,
                     .stop = stop};
    request.own_headers = signature_headers({message.id, epoch_s(now), request.body}, keys);
    request.own_headers.emplace_back("Content-Type", "application/json");
    return http_.send(request);
}

decide::DeliveryAttempt WebhookSender::send(const std::string& tenant, const model::Webhook& webhook,
                                            const WebhookMessage& message, Instant now, const std::stop_token& stop) {
    const auto answer = call(tenant, webhook, message, now, stop);
    if (!answer) return {.at = now, .error = answer.error().message};
    return {.at = now, .http_status = answer->status, .retry_after = retry_after(*answer, now)};
}

}  // namespace belfry::engine
