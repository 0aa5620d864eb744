// Reads and writes workflow assignments as JSON, and fills a schedule from its assignment. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "api/contract/shape.hpp"
#include "model/tenant/assignment.hpp"

namespace belfry::api {

[[nodiscard]] ShapePtr assignment_request_shape();
[[nodiscard]] ShapePtr assignment_shape();

// Reads a body of that shape. By default, the assigned work requires approval and is retried once.
[[nodiscard]] Result<model::WorkflowAssignment> read_assignment(const Json& body);
[[nodiscard]] boost::json::object to_json(const model::WorkflowAssignment& record);

// Returns the body of a schedule with the assignee and the policies of its assignment for members that it omits.
[[nodiscard]] Json filled_from(const model::WorkflowAssignment& assignment, Json schedule);

}  // namespace belfry::api
