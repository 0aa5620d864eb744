// Long polls: a claim that waits for tasks while its queue is empty.
#pragma once

#include "api/http/message.hpp"
#include "engine/usecases/long_poll_queue.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::api {

// Responds with the claimed tasks at once if there are some or `wait` is zero. Otherwise it responds as soon as there
// are tasks, or with none when the wait ends. REQUIRES: the runs and the queue outlive the
// response.
[[nodiscard]] Result<Response> claim_or_wait(engine::Runs& runs, engine::LongPollQueue& long_polls,
                                             const engine::Runs::Claim& claim, Micros wait);

}  // namespace belfry::api
