// Defaults for new schedules whose creator does not set these values. Plain data.
#pragma once

#include "model/schedule/policy.hpp"

namespace belfry::model {

struct ScheduleDefaults {
    OverlapPolicy overlap = OverlapPolicy::skip;
    MissedPolicy missed = MissedPolicy::skip;
    std::chrono::milliseconds jitter{0};  // in both directions, like `jitter_ms`
    friend bool operator==(const ScheduleDefaults&, const ScheduleDefaults&) = default;
};

}  // namespace belfry::model
