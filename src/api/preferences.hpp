// What a request's headers say about the answer that it wants: If-None-Match (RFC 9110) and Prefer (RFC 7240). Pure.
#pragma once

#include "api/message.hpp"
#include "api/shape.hpp"

namespace belfry::api {

// The answer as it is wanted: 304 without a body when whoever reads has it already; after a change that says where its outcome
// can be read (Location) or what it is now (ETag), no body for whoever prefers return=minimal.
[[nodiscard]] Response as_preferred(const Request& request, Response response);

// For the description.
[[nodiscard]] Member prefer_header();
[[nodiscard]] Member if_none_match_header();

}  // namespace belfry::api
