// Requests with many items. The response has one item for each, in order, with the status and the body that the item
// would have alone, or with its problem. Pure.
#pragma once

#include <functional>

#include "api/contract/route.hpp"

namespace belfry::api {

inline constexpr std::int64_t kBatchItemsMax = 1'000;
inline constexpr const char* kItemKey = "idempotencyKey";

// Counts further items against the caller's rate limit, which has counted the request as one.
using ItemCharge = std::function<void(const model::Principal& principal, std::size_t more)>;

// The items of a request whose handler checks the body: 1 to kBatchItemsMax values of any kind. `others` are the
// members beside `items`.
[[nodiscard]] Result<const boost::json::array*> read_items(const Call& call, const std::vector<Member>& others = {});
// The pointer to an item of the request, and an error of the item as one of the request.
[[nodiscard]] std::string item_place(std::size_t index);
[[nodiscard]] Error in_item(Error error, std::size_t index);
[[nodiscard]] std::optional<Error> check_item(const Json& item, const Shape& shape, std::size_t index);

// The context of an item, with its own idempotency key. `path` is that of the request for this item alone.
[[nodiscard]] model::CommandContext context_of_item(const Call& call, const Json& item, const std::string& path,
                                                    std::string reason = {});
[[nodiscard]] Member item_key_member();

// The result of an item: what it made, under this name, or its problem.
[[nodiscard]] Json item_json(int status, std::string_view name, Json made, bool repeated = false);
[[nodiscard]] Json item_json(const Error& error);

// {"items": […]}, for the API description. `made` describes what an item made.
[[nodiscard]] Member items_member(ShapePtr item);
[[nodiscard]] ShapePtr batch_answer(const std::string& name, Member made, std::vector<Member> others = {});

}  // namespace belfry::api
