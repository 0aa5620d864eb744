// Statements for API keys, the feed, webhooks and their deliveries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/tenant/access.hpp"
#include "model/tenant/webhook.hpp"
#include "store/registry.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

struct FeedRow {
    std::int64_t position = 0;
    std::string type;
    Instant at = {};
    std::string schedule_id;
    std::int64_t schedule = 0;
    std::optional<std::int64_t> slot;
    std::string_view body;
};
[[nodiscard]] Result<model::FeedItem> feed_item(FeedRow row);
struct FeedNewsRow {
    std::int64_t position = 0;
    std::string tenant;
};
struct FeedBounds {
    std::int64_t newest = 0;  // 0: there is no item
    std::int64_t oldest = 0;
};
struct WebhookRow {
    model::Webhook webhook;
    std::int64_t taken = 0;  // position of the last item that it has taken
};
struct WebhookPage {
    std::optional<std::int64_t> last;
    std::int64_t count = 0;
};
struct WebhookWork {
    std::string tenant;
    std::string id;
    bool behind = false;  // the feed has items that it has not taken
    bool due = false;
};
struct DeliveryPlace {
    std::int64_t webhook = 0;
    std::int64_t position = 0;
};

// The stored forms of roles and lists.
[[nodiscard]] std::string roles_text(const model::Roles& roles);
[[nodiscard]] std::string list_text(const std::vector<std::string>& list);

extern const Query<Result<model::ApiKey>> kKey;
extern const Query<Result<model::ApiKey>> kLockKey;
extern const Query<Result<model::ApiKey>> kKeys;
extern const Statement kKeyNamed;
extern const Statement kInsertKey;
extern const Statement kRevokeKey;
extern const Statement kPruneKeys;
extern const Statement kFollow;
extern const Statement kNoteDecider;
extern const Statement kAwaitDeciders;
extern const Statement kHoldFeed;
extern const Statement kInsertFeed;
extern const Query<std::int64_t> kFeedEnd;
extern const Statement kHealFeed;
extern const Query<FeedRow> kFeed;
extern const Query<FeedBounds> kFeedBounds;
extern const Statement kFeedGrown;
extern const Query<FeedNewsRow> kFeedNews;
// A tenant's items in a part of the feed, and their number.
struct FeedSizeRow {
    FeedPart part;
    std::int64_t items = 0;
};
extern const Query<std::int64_t> kPruneFeed;
extern const Query<std::int64_t> kPruneFeedTo;
extern const Query<FeedSizeRow> kFeedSizes;
extern const Statement kLockFeedItem;  // after a commit with unknown outcome
extern const Query<Result<WebhookRow>> kWebhook;
extern const Query<Result<WebhookRow>> kLockWebhook;
extern const Query<Result<WebhookRow>> kWebhooks;
extern const Query<WebhookPage> kWebhookPage;
extern const Query<WebhookWork> kWebhooksWithWork;
extern const Statement kWebhookExists;
extern const Statement kInsertWebhook;
extern const Statement kUpdateWebhook;
extern const Statement kMoveWebhook;
extern const Statement kDeleteWebhook;
extern const Statement kCountWebhooks;
extern const Statement kInsertDelivery;
extern const Query<Result<model::Delivery>> kDueDeliveries;
extern const Statement kPutDelivery;
extern const Query<Result<model::Delivery>> kDeliveries;
extern const Statement kDeleteDeliveries;
extern const Query<DeliveryPlace> kPruneDeliveries;
extern const Query<DeliveryPlace> kGiveUpDeliveries;
extern const Statement kLockDelivery;  // after a commit with unknown outcome

}  // namespace belfry::store::sql
