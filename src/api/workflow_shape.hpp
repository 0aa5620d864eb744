// A workflow in requests and answers, member by member. Pure.
#pragma once

#include "api/shape.hpp"

namespace belfry::api {

// The body of a PUT; what an answer added to it is accepted and not looked at.
[[nodiscard]] ShapePtr workflow_request_shape();
[[nodiscard]] ShapePtr workflow_shape();

}  // namespace belfry::api
