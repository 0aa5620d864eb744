// Writes the description of the API from the routes that the server serves and the shapes that validate requests. Pure.
#pragma once

#include <string>

#include "api/contract/route.hpp"

namespace belfry::api {

// The OpenAPI 3.1 document.
[[nodiscard]] Json openapi_document(const Routes& routes, const std::string& version);

// The same as a page for people, without scripts.
[[nodiscard]] std::string openapi_page(const Json& document);

}  // namespace belfry::api
