// What a request's headers say about the answer that it wants: If-Match, If-None-Match (RFC 9110) and Prefer (RFC 7240). Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "api/message.hpp"
#include "api/shape.hpp"

namespace belfry::api {

// `"3"` as an ETag says it, `W/"3"` as a proxy makes of it, or a bare number; `*` and nothing mean any version.
[[nodiscard]] Result<std::optional<std::int64_t>> version_of(std::string_view if_match);

// The answer as it is wanted: 304 without a body when whoever reads has it already; after a change that says where its outcome
// can be read (Location) or what it is now (ETag), no body for whoever prefers return=minimal.
[[nodiscard]] Response as_preferred(const Request& request, Response response);

// For the description.
[[nodiscard]] Member if_match_header();
[[nodiscard]] Member prefer_header();
[[nodiscard]] Member if_none_match_header();

}  // namespace belfry::api
