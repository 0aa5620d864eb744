// Applies the headers by which a client shapes the response: If-Match, If-None-Match (RFC 9110) and Prefer (RFC 7240).
// Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "api/contract/shape.hpp"
#include "api/http/message.hpp"

namespace belfry::api {

// Accepts `"3"` as in an ETag, `W/"3"` as some proxies write it, or a bare number. `*` and an empty text mean any
// version.
[[nodiscard]] Result<std::optional<std::int64_t>> version_of(std::string_view if_match);

// Returns 304 without a body if the client already has the current version. After a change whose result can be found
// elsewhere (Location or ETag), returns no body if the client prefers return=minimal.
[[nodiscard]] Response as_preferred(const Request& request, Response response);

// For the API description.
[[nodiscard]] Member if_match_header();
[[nodiscard]] Member prefer_header();
[[nodiscard]] Member if_none_match_header();

}  // namespace belfry::api
