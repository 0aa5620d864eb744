// The shapes of runs, tasks, backfills, events and preview rows, as run_dto.hpp writes them. Pure.
#pragma once

#include "api/contract/shape.hpp"

namespace belfry::api {

[[nodiscard]] ShapePtr run_shape();
[[nodiscard]] ShapePtr task_shape();
[[nodiscard]] ShapePtr lease_shape();
[[nodiscard]] Member node_member();
[[nodiscard]] ShapePtr node_shape();
[[nodiscard]] ShapePtr approval_shape();
[[nodiscard]] ShapePtr run_event_shape();
[[nodiscard]] ShapePtr backfill_shape();
[[nodiscard]] ShapePtr event_shape();
[[nodiscard]] ShapePtr preview_row_shape();
[[nodiscard]] ShapePtr planned_run_shape();
[[nodiscard]] ShapePtr simulated_run_shape();
// A shape of a response: all its members are required.
[[nodiscard]] ShapePtr answer_record(std::string name, std::vector<Member> members);
// A page that also has `hasMore`, which older clients use instead of `nextCursor`.
[[nodiscard]] ShapePtr page_with_more(std::string name, const ShapePtr& element);

// The members that describe how an attempt ended: `status`, `result`, `error`, `category`…
[[nodiscard]] std::vector<Member> attempt_end_members();

}  // namespace belfry::api
