// Logs every response: at info if the server is at fault, otherwise at debug.
#pragma once

#include "api/http/response_pipeline.hpp"
#include "base/log.hpp"

namespace belfry::app {

// Logs no query strings, because clients put secrets there. REQUIRES: the log outlives it.
[[nodiscard]] api::AnswerHook access_log(const Log& log);

}  // namespace belfry::app
