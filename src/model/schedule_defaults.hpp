// What a new schedule gets when whoever creates it does not say. Plain data.
#pragma once

#include "model/policy.hpp"

namespace belfry::model {

struct ScheduleDefaults {
    OverlapPolicy overlap = OverlapPolicy::skip;
    MissedPolicy missed = MissedPolicy::skip;
    std::chrono::milliseconds jitter{0};  // both ways, as `jitter_ms` says it
    friend bool operator==(const ScheduleDefaults&, const ScheduleDefaults&) = default;
};

}  // namespace belfry::model
