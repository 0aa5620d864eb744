// Workflows as JSON: the shape that people write, the API returns and the store keeps. Pure.
//
// workflow_from_json restores exactly what to_json wrote, except for the tenant, also through text if the text is
// parsed with kStoredJsonLimits (schedule_json.hpp explains why).
#pragma once

#include "base/text/json.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::model {

inline constexpr std::size_t kWorkflowErrorsMax = 50;  // reported at once

// Compact: without members that have their default.
[[nodiscard]] Json to_json(const Workflow& workflow);
// Complete, with null for absent values, as in responses.
[[nodiscard]] Json to_whole_json(const Workflow& workflow);

// Accepts any JSON; null means absent. A wrong type, an unknown member or name, and a missing name, nodes or node id
// are errors whose `field` is a pointer to it, reported all at once. Checks the form only; check_workflow checks the
// meaning.
[[nodiscard]] Result<Workflow> workflow_from_json(const Json& json);

}  // namespace belfry::model
