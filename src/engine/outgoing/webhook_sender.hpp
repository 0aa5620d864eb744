// Sends one message to one webhook, signed. Thread-safe.
#pragma once

#include <stop_token>

#include "base/net/http_client.hpp"
#include "decide/run/delivery.hpp"
#include "engine/outgoing/webhook_secrets.hpp"

namespace belfry::engine {

inline constexpr std::chrono::milliseconds kWebhookTimeout{10'000};  // a receiver should respond first and work later

struct WebhookMessage {
    std::string id;    // the same for every repeat, so that a receiver can drop it
    std::string type;  // `run.failed`
    Instant happened = {};
    Json data = Json(boost::json::object_kind);
};

// `msg_<webhook>_<position>`
[[nodiscard]] WebhookMessage message_of(const std::string& webhook_id, const model::FeedItem& item);

class WebhookSender {
public:
    // REQUIRES: both outlive it.
    WebhookSender(HttpClient& http, Sealer& sealer) : http_(http), secrets_(sealer) {}

    // Sends the message and returns the result; `now` is the signed time of sending.
    [[nodiscard]] decide::DeliveryAttempt send(const std::string& tenant, const model::Webhook& webhook,
                                               const WebhookMessage& message, Instant now,
                                               const std::stop_token& stop = {});

private:
    [[nodiscard]] Result<HttpAnswer> call(const std::string& tenant, const model::Webhook& webhook,
                                          const WebhookMessage& message, Instant now, const std::stop_token& stop);

    HttpClient& http_;
    WebhookSecrets secrets_;
};

}  // namespace belfry::engine
