// Long polls: a claim that waits for tasks while its queue is empty.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <vector>

#include "api/http/message.hpp"
#include "engine/usecases/long_poll_queue.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::api {

// Makes the response of the claimed tasks, or of the reason why none could be claimed.
using ClaimResponse = std::function<Result<Response>(const Result<std::vector<model::Task>>&)>;
[[nodiscard]] boost::json::array tasks_json(const std::vector<model::Task>& tasks);

// Responds with the claimed tasks at once if there are some or `wait` is zero. Otherwise it responds as soon as there
// are tasks, or with none when the wait ends. REQUIRES: the runs and the queue outlive the
// response.
[[nodiscard]] Result<Response> claim_or_wait(engine::Runs& runs, engine::LongPollQueue& long_polls,
                                             const engine::Runs::Claim& claim, Micros wait,
                                             const ClaimResponse& respond);

}  // namespace belfry::api
