// The shapes of schedules in requests and responses. docs/reference/http.md shows a complete schedule. Pure.
#pragma once

#include "api/contract/shape.hpp"

namespace belfry::api {

[[nodiscard]] ShapePtr spec_shape();
[[nodiscard]] ShapePtr target_shape();
[[nodiscard]] ShapePtr assignee_shape();
[[nodiscard]] ShapePtr priority_shape();
// Returns one member of a definition. REQUIRES: the definition has it.
[[nodiscard]] Member schedule_member(std::string_view name);

// The body of a POST: the definition, and the members that a response adds, which the server ignores.
[[nodiscard]] ShapePtr schedule_request_shape();
// The body of a PUT: like POST, but the name is optional.
[[nodiscard]] ShapePtr schedule_replacement_shape();
// The body of a PATCH: like POST, but every member is optional, at any depth.
[[nodiscard]] ShapePtr schedule_patch_shape();
// A definition for previews and simulations: the name and the target are optional.
[[nodiscard]] ShapePtr schedule_draft_shape();
// A schedule in a response.
[[nodiscard]] ShapePtr schedule_shape();
// One version of a definition in a response.
[[nodiscard]] ShapePtr schedule_version_shape();

// The members that a response adds to a definition. Only the server sets them.
[[nodiscard]] const std::vector<Member>& server_members();

}  // namespace belfry::api
