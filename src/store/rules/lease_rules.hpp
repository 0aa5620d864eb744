// How long an attempt may take, and what its lease says about it. Pure.
#pragma once

#include <optional>

#include "decide/facts.hpp"
#include "model/run/task.hpp"

namespace belfry::store {

// The time limit of an attempt that is claimed now: the task's, or else the server's. The single task of a run is
// also bound by the run's own limit; a workflow run has a deadline instead.
struct AttemptOf {
    std::optional<Micros> timeout = {};
    bool alone = false;
    bool again = false;    // it is not the first attempt
    Instant fire_at = {};  // of its run
};
[[nodiscard]] std::optional<Micros> attempt_time(const AttemptOf& attempt, const decide::RunCaps& caps, Instant now);

// The end of a requested lease: its length or the deadline, whichever comes first.
[[nodiscard]] Instant lease_end(Instant now, Micros lease, const std::optional<Instant>& deadline);

// Completes the facts with the attempt that has ended: its number and its start.
void tell_of_attempt(decide::Facts& facts, const model::Lease& lease);

}  // namespace belfry::store
