// What happened in one run, append-only. Plain data.
#pragma once

#include <cstdint>
#include <string>

#include "base/instant.hpp"
#include "base/json.hpp"

namespace belfry::model {

// The sequence starts at 1, has no gaps, and begins with why the run was started. What a type is called: `run.started`,
// `node.failed`, …; the first one is the audit stream's `ScheduleTriggered`.
struct RunEvent {
    std::int64_t sequence = 0;  // 0 until it is stored
    std::string type;
    Instant at = {};
    std::string node = {};  // empty: the run as a whole, or its only task
    Json payload = Json(boost::json::object_kind);
    friend bool operator==(const RunEvent&, const RunEvent&) = default;
};

// The events of a run's only task are numbered by its attempts, so that a writer does not have to count what is stored. The first two
// numbers are those of why the run was started and that it has. A worker's attempt has one event, its failure; one that is handed
// over to another system has three, and numbers in between may stay free.
struct AttemptNumbers {
    std::int64_t handed_over = 0;
    std::int64_t started = 0;  // as the other system reports it
    std::int64_t end = 0;
};
[[nodiscard]] constexpr AttemptNumbers numbers_of(int attempt, bool handed_over) {
    const std::int64_t first = 3 * std::int64_t{attempt};
    return {first, first + 1, handed_over ? first + 2 : attempt + 2};
}

}  // namespace belfry::model
