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

}  // namespace belfry::model
