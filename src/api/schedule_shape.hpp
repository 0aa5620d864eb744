// A schedule in requests and answers, member by member: docs/reference/http.md shows one whole. Pure.
#pragma once

#include "api/shape.hpp"

namespace belfry::api {

[[nodiscard]] ShapePtr spec_shape();
[[nodiscard]] ShapePtr target_shape();
[[nodiscard]] ShapePtr assignee_shape();
[[nodiscard]] ShapePtr priority_shape();
// One of those that a definition has. REQUIRES: it has it.
[[nodiscard]] Member schedule_member(std::string_view name);

// The body of a POST: what a person says, and what an answer added to it, which is not looked at.
[[nodiscard]] ShapePtr schedule_request_shape();
// The body of a PUT: the same, and the name may be left out.
[[nodiscard]] ShapePtr schedule_replacement_shape();
// The body of a PATCH: the same, and nothing is required at any depth.
[[nodiscard]] ShapePtr schedule_patch_shape();
// A definition that is only looked at: neither a name nor a target is required.
[[nodiscard]] ShapePtr schedule_draft_shape();
// The answer.
[[nodiscard]] ShapePtr schedule_shape();
// The answer for one version: what people wrote, and when.
[[nodiscard]] ShapePtr schedule_version_shape();

// What the answer adds to a definition. The server says these; nobody else can.
[[nodiscard]] const std::vector<Member>& server_members();

}  // namespace belfry::api
