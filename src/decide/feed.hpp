// What a plan means to those who follow its tenant: the items of the feed, in the order in which they happened. Pure.
#pragma once

#include <string>
#include <vector>

#include "decide/attempt.hpp"
#include "decide/plan.hpp"
#include "model/schedule.hpp"
#include "model/webhook.hpp"

namespace belfry::decide {

// A result whose text is larger is left out, and `resultOmitted` says so; an error is cut.
inline constexpr std::size_t kFeedResultBytesMax = std::size_t{16} * 1024;
inline constexpr std::size_t kFeedErrorBytesMax = std::size_t{4} * 1024;

// Every type of item that there is.
[[nodiscard]] const std::vector<std::string>& feed_types();

// What is wrong with asking for items of this type, or of all that begin like it (`run.*`): there are none.
[[nodiscard]] std::optional<Error> check_feed_type(std::string_view type);

// `schedule` is the definition that is in force once the plan is applied. Positions are the store's to give.
[[nodiscard]] std::vector<model::FeedItem> feed_items(const Plan& plan, const model::Schedule& schedule);

// `run.retrying`: an attempt failed, and another follows. `run` is as the attempt found it.
[[nodiscard]] model::FeedItem retrying_item(const model::Run& run, const model::Schedule& schedule, const AttemptEnd& end, const Retry& retry,
                                            Instant now);

}  // namespace belfry::decide
