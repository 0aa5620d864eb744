// The shapes of names that several requests and responses share. Pure.
#pragma once

#include "api/contract/shape.hpp"

namespace belfry::api {

[[nodiscard]] ShapePtr overlap_names();
[[nodiscard]] ShapePtr worker_lost_names();
[[nodiscard]] ShapePtr rerun_names();
[[nodiscard]] ShapePtr missed_names();
[[nodiscard]] ShapePtr failure_names();
[[nodiscard]] ShapePtr approval_names();
[[nodiscard]] ShapePtr approval_status_names();
[[nodiscard]] ShapePtr category_names();
[[nodiscard]] ShapePtr dispatch_names();
[[nodiscard]] ShapePtr cause_names();
[[nodiscard]] ShapePtr reason_names();
[[nodiscard]] ShapePtr run_state_names();
[[nodiscard]] ShapePtr schedule_status_names();

}  // namespace belfry::api
