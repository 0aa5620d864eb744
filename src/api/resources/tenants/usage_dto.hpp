// Writes and reads usage and its limits as JSON. Pure.
#pragma once

#include "api/contract/shape.hpp"
#include "api/contract/values.hpp"
#include "decide/run/attempt.hpp"
#include "model/run/usage.hpp"

namespace belfry::api {

[[nodiscard]] Json to_json(const std::optional<model::Usage>& usage);  // null when no usage was reported
[[nodiscard]] ShapePtr usage_shape();

// A worker's report of what it has used since its attempt began.
[[nodiscard]] Member usage_member();
[[nodiscard]] std::optional<model::Usage> read_usage(const Values& values);

// Returns the limit that ended an attempt, or null.
[[nodiscard]] Json limit_of(const decide::AttemptPlan& outcome);
[[nodiscard]] Member limit_member();

[[nodiscard]] std::optional<model::Credits> read_credits(const Values& values, std::string_view name);

}  // namespace belfry::api
