// What leaves the server by itself: items of a tenant's feed, the webhooks that they are sent to, and each sending. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.hpp"
#include "base/json.hpp"

namespace belfry::model {

// Something that happened in a tenant, in the order in which it was committed.
struct FeedItem {
    std::int64_t position = 0;  // grows inside a tenant; with gaps
    std::string type;           // `schedule.created`, `run.dispatched`, `run.failed`…
    Instant at = {};
    std::string schedule_id = {};
    std::string run_id = {};                     // empty when it is not about a run
    Json body = Json(boost::json::object_kind);  // what a receiver gets as `data`
    friend bool operator==(const FeedItem&, const FeedItem&) = default;
};

struct Webhook {
    std::string id;
    std::string url;
    std::string description = {};
    std::vector<std::string> events = {};   // types, or `run.*`; empty: all
    std::vector<std::string> secrets = {};  // sealed; the newest first, all of them sign
    bool enabled = true;
    std::string created_by = {};
    Instant created_at = {};
    std::int64_t version = 1;
    friend bool operator==(const Webhook&, const Webhook&) = default;
};

enum class DeliveryStatus : std::uint8_t { pending, delivered, failed };  // failed: nobody tries again

// One item on its way to one webhook.
struct Delivery {
    std::string webhook_id;
    FeedItem item;
    DeliveryStatus status = DeliveryStatus::pending;
    int attempts = 0;
    std::optional<Instant> next_try = {};  // while it is pending
    std::optional<Instant> last_try = {};
    std::optional<int> last_http_status = {};  // nothing when nobody answered
    std::string last_error = {};
    friend bool operator==(const Delivery&, const Delivery&) = default;
};

}  // namespace belfry::model
