// The feed items of a plan, in the order in which they happened. Pure.
#pragma once

#include <string>
#include <vector>

#include "decide/plan.hpp"
#include "decide/run/attempt.hpp"
#include "model/schedule/schedule.hpp"
#include "model/tenant/webhook.hpp"

namespace belfry::decide {

// A larger result is omitted and `resultOmitted` is set; a longer error is cut.
inline constexpr std::size_t kFeedResultBytesMax = std::size_t{16} * 1024;
inline constexpr std::size_t kFeedErrorBytesMax = std::size_t{4} * 1024;

// All item types.
[[nodiscard]] const std::vector<std::string>& feed_types();

// Returns an error if there are no items of this type, or of this family (`run.*`).
[[nodiscard]] std::optional<Error> check_feed_type(std::string_view type);

// `schedule` is the definition after the plan. The store assigns the positions.
[[nodiscard]] std::vector<model::FeedItem> feed_items(const Plan& plan, const model::Schedule& schedule);

// `run.retrying`: an attempt failed, and another follows. `run` is as it was before the attempt ended.
[[nodiscard]] model::FeedItem retrying_item(const model::Run& run, const model::Schedule& schedule,
                                            const AttemptEnd& end, const Retry& retry, Instant now);

}  // namespace belfry::decide
