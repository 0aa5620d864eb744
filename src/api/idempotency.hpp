// The header Idempotency-Key: a request that is sent again under the same key has one effect, and is answered again. Pure.
#pragma once

#include "api/route.hpp"

namespace belfry::api {

// The context of a request that makes something, with its key when it has one: 1 to 255 visible characters.
[[nodiscard]] Result<model::CommandContext> context_once(const Call& call, std::string reason = {});

// The error when it is not a key.
[[nodiscard]] std::optional<Error> check_request_key(std::string_view key);

// The answer to a request that had its effect before says so: `Idempotency-Replayed: true`.
[[nodiscard]] Response replayed(Response response, bool repeated);

// For the description.
[[nodiscard]] Member idempotency_key_header();

}  // namespace belfry::api
