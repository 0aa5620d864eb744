// The short forms of server tasks as targets. Pure.
//
//   {"type": "http", "url": "https://example.com/", "method": "POST", "body": …}
//   {"type": "command", "command": "backup", "input": {…}}
//
// Belfry stores and returns them as a task of the kind `http` or `command`, with the input of a node of that kind
// (model/run/http_node.hpp). The default method is GET.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "api/contract/shape.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::api {

// The members that only short forms have.
[[nodiscard]] std::vector<Member> target_form_members();

// Replaces a short form in the target of a complete definition.
[[nodiscard]] std::optional<Error> settle_target(boost::json::object& target);

// Replaces a short form in a merge patch of the target `stored`. Omitted members stay as they are.
[[nodiscard]] std::optional<Error> settle_target_patch(boost::json::object& target, const model::Target& stored);

// Maps an error about the input of a target to the short form, if the client sent one.
[[nodiscard]] Error in_target_form(const boost::json::object& target, Error error);

}  // namespace belfry::api
