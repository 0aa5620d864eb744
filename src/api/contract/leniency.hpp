// Reads a request as a lenient server does: what a client evidently meant counts. For dialects whose clients rely on
// it; the native API rejects all of this. Pure.
//
//   a member that the shape does not have    is removed, and named in the result
//   []  for an object or a map               {}: PHP writes both alike
//   "30" for a whole number                  30
//   1, 0, "1", "0", "true", "false"          for a boolean: true or false
//
// Everything else stays as it is, for the validation to accept or reject. So does a value of any shape, such as an
// input.
#pragma once

#include <string>
#include <vector>

#include "api/contract/shape.hpp"

namespace belfry::api {

inline constexpr const char* kIgnoredHeader = "Belfry-Ignored";

// Returns pointers to the members that it removed.
[[nodiscard]] std::vector<std::string> loosen(Json& json, const Shape& shape);

// The value of kIgnoredHeader: pointers, percent-encoded and separated by commas. A long list is cut at kErrorsMax.
[[nodiscard]] std::string ignored_text(const std::vector<std::string>& ignored);

}  // namespace belfry::api
