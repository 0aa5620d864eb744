// Run events: the append-only history of one run. Plain data.
#pragma once

#include <cstdint>
#include <string>

#include "base/text/json.hpp"
#include "base/time/instant.hpp"

namespace belfry::model {

// The sequence starts at 1 and has no gaps. The first event is the audit event `ScheduleTriggered`, which explains
// why the run started. Later types are `run.started`, `node.failed`, ….
struct RunEvent {
    std::int64_t sequence = 0;  // 0 until the store has assigned it
    std::string type;
    Instant at = {};
    std::string node = {};  // empty: the run as a whole, or its only task
    Json payload = Json(boost::json::object_kind);
    friend bool operator==(const RunEvent&, const RunEvent&) = default;
};

// Sequence numbers for the events of a run's only task. They are computed from the attempt, so a writer does not have
// to count stored events. Numbers 1 and 2 belong to ScheduleTriggered and run.started. A worker's attempt has one
// event, its failure. An attempt that is delivered to a connection has three, and some numbers may stay unused.
struct AttemptNumbers {
    std::int64_t handed_over = 0;
    std::int64_t started = 0;  // as reported by the external system
    std::int64_t end = 0;
};
[[nodiscard]] constexpr AttemptNumbers numbers_of(int attempt, bool handed_over) {
    const std::int64_t first = 3 * std::int64_t{attempt};
    return {first, first + 1, handed_over ? first + 2 : attempt + 2};
}

}  // namespace belfry::model
