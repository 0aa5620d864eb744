// Workflow assignments as the API reads and answers them, and what a schedule that names one leaves to it. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "api/shape.hpp"
#include "model/assignment.hpp"

namespace belfry::api {

[[nodiscard]] ShapePtr assignment_request_shape();
[[nodiscard]] ShapePtr assignment_shape();

// Of a body in that shape. Without a word of it, what is assigned waits for approval and may be tried once more.
[[nodiscard]] Result<model::WorkflowAssignment> read_assignment(const Json& body);
[[nodiscard]] boost::json::object to_json(const model::WorkflowAssignment& record);

// The body of a schedule with the assignee and the policies of its assignment where it says nothing of its own.
[[nodiscard]] Json filled_from(const model::WorkflowAssignment& assignment, Json schedule);

}  // namespace belfry::api
