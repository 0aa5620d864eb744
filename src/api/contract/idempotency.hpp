// The header Idempotency-Key: a request that a client repeats with the same key takes effect once, and returns the same
// response. Pure.
#pragma once

#include "api/contract/route.hpp"

namespace belfry::api {

// The context of a request that creates something, with its key if it has one: 1 to 255 visible characters.
[[nodiscard]] Result<model::CommandContext> context_once(const Call& call, std::string reason = {});

// Returns an error when the text is not a valid key.
[[nodiscard]] std::optional<Error> check_request_key(std::string_view key);

// Marks the response to a repeated request: `Idempotency-Replayed: true`.
[[nodiscard]] Response replayed(Response response, bool repeated);

// For the API description.
[[nodiscard]] Member idempotency_key_header();

}  // namespace belfry::api
