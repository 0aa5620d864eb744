// The short forms of a target that the server does itself, and what they stand for. Pure.
//
//   {"type": "http", "url": "https://example.com/", "method": "POST", "body": …}      {"type": "command", "command": "backup", "input": {…}}
//
// Stored and answered as a task whose kind is `http` or `command`; its input is what a node of that kind has (model/http_node.hpp). A method
// that is not said is GET.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "api/shape.hpp"
#include "model/schedule.hpp"

namespace belfry::api {

// The members that only these forms have.
[[nodiscard]] std::vector<Member> target_form_members();

// Replaces a short form in the target of a whole definition.
[[nodiscard]] std::optional<Error> settle_target(boost::json::object& target);

// The same in a merge patch of the target `stored`: what the patch leaves out stays.
[[nodiscard]] std::optional<Error> settle_target_patch(boost::json::object& target, const model::Target& stored);

// An error about the input of a target, in the words of a target that may be written short.
[[nodiscard]] Error in_target_form(const boost::json::object& target, Error error);

}  // namespace belfry::api
