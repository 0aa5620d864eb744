// The shapes of workflows in requests and responses. Pure.
#pragma once

#include "api/contract/shape.hpp"

namespace belfry::api {

// The body of a PUT. Members that a response adds are accepted and ignored.
[[nodiscard]] ShapePtr workflow_request_shape();
[[nodiscard]] ShapePtr workflow_shape();

}  // namespace belfry::api
