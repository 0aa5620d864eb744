// Follows a run until it ends.
#pragma once

#include "app/client/session.hpp"

namespace belfry::app {

// Waits for the end of the run and prints how it ended; with --watch, every change of its state. Exit codes:
// `run_failed` unless it succeeded, `timed_out` after --timeout.
[[nodiscard]] Result<ExitCode> follow_run(Session& session, const Json& run);

// Whether the flags ask for it.
[[nodiscard]] bool should_follow(const Session& session);

extern const Flag kWaitFlag;
extern const Flag kFollowFlag;
extern const Flag kTimeoutFlag;

}  // namespace belfry::app
