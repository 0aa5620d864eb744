// Parts of a schedule as JSON, for audit events and storage. Pure.
#pragma once

#include "base/json.hpp"
#include "model/schedule.hpp"

namespace belfry::model {

[[nodiscard]] Json to_json(const spec::SpecText& spec);
[[nodiscard]] Json to_json(const Target& target);

}  // namespace belfry::model
