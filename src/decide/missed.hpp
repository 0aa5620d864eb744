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

// `auto` is half of the time to the next occurrence, and not less or more than these: so a nightly run survives a restart, and one of every
// minute does not pile up.
inline constexpr Micros kAutoGraceLeast = std::chrono::minutes{1};
inline constexpr Micros kAutoGraceMost = std::chrono::hours{1};

// How late the occurrence may be before it is missed.
[[nodiscard]] Micros grace_of(const CompiledSchedule& schedule, Instant occurrence);

// REQUIRES: `first` is the schedule's next occurrence. Nothing when it is not missed.
[[nodiscard]] std::optional<MissedSplit> split_missed(const CompiledSchedule& schedule, Instant first, Instant now);

// The last occurrence that is missed now; `first` when that one is not. REQUIRES: as above.
[[nodiscard]] Instant last_missed(const CompiledSchedule& schedule, Instant first, Instant now);

// All that has come due from `first` on, missed or merely late. REQUIRES: as above, and it has come due.
[[nodiscard]] SkippedRange overdue(const CompiledSchedule& schedule, Instant first, Instant now);

}  // namespace belfry::decide
