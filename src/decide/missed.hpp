// Which overdue occurrences still run after an outage, and which are dropped. Pure; the work is bounded whatever the
// length of the outage.
#pragma once

#include <optional>

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// The overdue occurrences that are missed (later than the grace), split by the policy. Dropped ones are a range before or
// after what is kept; kept ones are [keep_first, keep_last], oldest first.
struct MissedSplit {
    std::optional<Instant> keep_first = {};
    std::optional<Instant> keep_last = {};
    std::optional<Instant> drop_first = {};
    SkippedRange drop = {};
    friend bool operator==(const MissedSplit&, const MissedSplit&) = default;
};

// REQUIRES: `first` is the schedule's next occurrence. Nothing when it is not missed.
[[nodiscard]] std::optional<MissedSplit> split_missed(const CompiledSchedule& schedule, Instant first, Instant now);

}  // namespace belfry::decide
