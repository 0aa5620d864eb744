// Long polls: a claim that waits for tasks while its queue is empty.
#pragma once

#include "api/http/message.hpp"
#include "engine/engine.hpp"

namespace belfry::api {

// Responds with the claimed tasks at once if there are some or `wait` is zero. Otherwise it responds as soon as there
// are tasks, or with none when the wait ends. REQUIRES: the engine outlives the response.
[[nodiscard]] Result<Response> claim_or_wait(engine::Engine& engine, const engine::Runs::Claim& claim, Micros wait);

}  // namespace belfry::api
