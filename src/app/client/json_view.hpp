// Reads members of the server's responses by JSON pointer. A response without them is read as empty. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/json.hpp"
#include "base/time/instant.hpp"

namespace belfry::app {

// The value at the pointer; null if there is none.
[[nodiscard]] const Json& member_at(const Json& json, std::string_view pointer);

// A string as it is, numbers and booleans as text, nothing for null; lists and objects as JSON.
[[nodiscard]] std::string text_at(const Json& json, std::string_view pointer);
[[nodiscard]] std::int64_t number_at(const Json& json, std::string_view pointer);
[[nodiscard]] bool is_true(const Json& json, std::string_view pointer);
[[nodiscard]] std::optional<Instant> instant_at(const Json& json, std::string_view pointer);
// The elements of a list; none if it is not a list.
[[nodiscard]] const boost::json::array& list_at(const Json& json, std::string_view pointer);
// The texts of a list, separated by commas.
[[nodiscard]] std::string joined_at(const Json& json, std::string_view pointer);
// `team=billing,tier=1`
[[nodiscard]] std::string pairs_at(const Json& json, std::string_view pointer);

// Sets the member at the pointer, and makes the objects on the way.
void set_at(Json& json, std::string_view pointer, Json value);

}  // namespace belfry::app
