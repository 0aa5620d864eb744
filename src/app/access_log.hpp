// One line of the log for every answer: at debug, and at info for those that are the server's own fault.
#pragma once

#include "api/answerer.hpp"
#include "base/log.hpp"

namespace belfry::app {

// REQUIRES: the log outlives it. The query of an address is left out: people put secrets there.
[[nodiscard]] api::AnswerHook access_log(const Log& log);

}  // namespace belfry::app
