// Sends one message to one webhook, signed. Thread-safe.
#pragma once

#include <stop_token>

#include "base/http_client.hpp"
#include "decide/delivery.hpp"
#include "engine/webhook_secrets.hpp"

namespace belfry::engine {

struct WebhookMessage {
    std::string id;    // the same whenever the same thing is sent again: a receiver drops what it has seen
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

    // What came of it; `now` is signed as the time of sending.
    [[nodiscard]] decide::DeliveryAttempt send(const std::string& tenant, const model::Webhook& webhook, const WebhookMessage& message, Instant now,
                                               const std::stop_token& stop = {});

private:
    [[nodiscard]] Result<HttpAnswer> call(const std::string& tenant, const model::Webhook& webhook, const WebhookMessage& message, Instant now,
                                          const std::stop_token& stop);

    HttpClient& http_;
    WebhookSecrets secrets_;
};

}  // namespace belfry::engine
