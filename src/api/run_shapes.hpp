// Runs, tasks, backfills, events and preview rows, member by member. What run_dto.hpp writes. Pure.
#pragma once

#include "api/shape.hpp"

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
// Of an answer: all its members are there.
[[nodiscard]] ShapePtr answer_record(std::string name, std::vector<Member> members);
// A page that says twice whether there are more: `hasMore` is its older word.
[[nodiscard]] ShapePtr page_with_more(std::string name, const ShapePtr& element);

// How an attempt ended: `status`, `result`, `error` and `category`.
[[nodiscard]] std::vector<Member> attempt_end_members();

}  // namespace belfry::api
