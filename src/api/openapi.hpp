// The description of the API, written from the routes that are served and the shapes that requests are checked against. Pure.
#pragma once

#include <string>

#include "api/route.hpp"

namespace belfry::api {

// OpenAPI 3.1.
[[nodiscard]] Json openapi_document(const Routes& routes, const std::string& version);

// The same for a person: one page without scripts.
[[nodiscard]] std::string openapi_page(const Json& document);

}  // namespace belfry::api
