// Outgoing events: items of a tenant's feed, webhooks, and deliveries to them. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"
#include "base/time/instant.hpp"

namespace belfry::model {

// One event of a tenant, in commit order.
struct FeedItem {
    std::int64_t position = 0;  // increases within a tenant, with gaps
    std::string type;           // `schedule.created`, `run.dispatched`, `run.failed`…
    Instant at = {};
    std::string schedule_id = {};
    std::string run_id = {};                     // empty if the item is not about a run
    Json body = Json(boost::json::object_kind);  // the `data` of the message
    friend bool operator==(const FeedItem&, const FeedItem&) = default;
};

struct Webhook {
    std::string id;
    std::string url;
    std::string description = {};
    std::vector<std::string> events = {};   // types, or `run.*`; empty: all
    std::vector<std::string> secrets = {};  // sealed; newest first; each one adds a signature
    bool enabled = true;
    std::string created_by = {};
    Instant created_at = {};
    std::int64_t version = 1;
    friend bool operator==(const Webhook&, const Webhook&) = default;
};

enum class DeliveryStatus : std::uint8_t { pending, delivered, failed };  // failed: no further attempts

// The delivery of one item to one webhook.
struct Delivery {
    std::string webhook_id;
    FeedItem item;
    DeliveryStatus status = DeliveryStatus::pending;
    int attempts = 0;
    std::optional<Instant> next_try = {};  // while pending
    std::optional<Instant> last_try = {};
    std::optional<int> last_http_status = {};  // empty if there was no response
    std::string last_error = {};
    friend bool operator==(const Delivery&, const Delivery&) = default;
};

}  // namespace belfry::model
