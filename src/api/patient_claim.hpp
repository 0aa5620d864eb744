// A claim that waits for tasks while there are none.
#pragma once

#include "api/message.hpp"
#include "engine/engine.hpp"

namespace belfry::api {

// The tasks as they are answered: at once when there are some or nobody waits, else when there are some, or none when the time is over.
// REQUIRES: the engine outlives the answer.
[[nodiscard]] Result<Response> claim_or_wait(engine::Engine& engine, const engine::Runs::Claim& claim, Micros wait);

}  // namespace belfry::api
