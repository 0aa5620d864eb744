// What runs use, and the limits on it, as JSON. Pure.
#pragma once

#include "api/shape.hpp"
#include "api/values.hpp"
#include "decide/attempt.hpp"
#include "model/usage.hpp"

namespace belfry::api {

[[nodiscard]] Json to_json(const std::optional<model::Usage>& usage);  // null when nobody has reported any
[[nodiscard]] ShapePtr usage_shape();

// A worker's report: what it has used since its attempt began.
[[nodiscard]] Member usage_member();
[[nodiscard]] std::optional<model::Usage> read_usage(const Values& values);

// The limit that put an end to an attempt, if one did.
[[nodiscard]] Json limit_of(const decide::AttemptPlan& outcome);
[[nodiscard]] Member limit_member();

[[nodiscard]] std::optional<model::Credits> read_credits(const Values& values, std::string_view name);

}  // namespace belfry::api
