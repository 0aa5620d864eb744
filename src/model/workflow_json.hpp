// Workflows as JSON: the shape in which people write them, the API answers them and the store keeps them. Pure.
//
// What to_json wrote, workflow_from_json reads back equal but for the tenant, also through text when the text is parsed with
// kStoredJsonLimits (schedule_json.hpp says why).
#pragma once

#include "base/json.hpp"
#include "model/workflow.hpp"

namespace belfry::model {

inline constexpr std::size_t kWorkflowErrorsMax = 50;  // told at once

// Compact: without the members that are at their default.
[[nodiscard]] Json to_json(const Workflow& workflow);
// With null for what is absent, as answers show it.
[[nodiscard]] Json to_whole_json(const Workflow& workflow);

// Any JSON may be given; null is as good as absent. A wrong type, an unknown member or name and the lack of a name, of nodes or
// of a node's id are errors whose `field` is the pointer to it, all of them at once. Only the form is checked; what it means is
// checked by check_workflow.
[[nodiscard]] Result<Workflow> workflow_from_json(const Json& json);

}  // namespace belfry::model
