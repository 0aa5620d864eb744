// Which overdue occurrences still run after an outage, and which are dropped. Pure; the work is bounded, however long
// the outage was.
#pragma once

#include <optional>

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// The missed occurrences (later than the grace period), split by the policy. The dropped ones are a range before or
// after the kept ones; the kept ones are [keep_first, keep_last], oldest first.
struct MissedSplit {
    std::optional<Instant> keep_first = {};
    std::optional<Instant> keep_last = {};
    std::optional<Instant> drop_first = {};
    SkippedRange drop = {};
    friend bool operator==(const MissedSplit&, const MissedSplit&) = default;
};

// `auto` is half of the time to the next occurrence, within these bounds. So a nightly run survives a restart, and
// one of every minute does not pile up.
inline constexpr Micros kAutoGraceLeast = std::chrono::minutes{1};
inline constexpr Micros kAutoGraceMost = std::chrono::hours{1};

// How late the occurrence may be before it counts as missed.
[[nodiscard]] Micros grace_of(const CompiledSchedule& schedule, Instant occurrence);

// REQUIRES: `first` is the schedule's next occurrence. Returns nothing if it is not missed.
[[nodiscard]] std::optional<MissedSplit> split_missed(const CompiledSchedule& schedule, Instant first, Instant now);

// The last occurrence that is missed now; `first` if that one is not. REQUIRES: as above.
[[nodiscard]] Instant last_missed(const CompiledSchedule& schedule, Instant first, Instant now);

// Everything that is due from `first` on, missed or merely late. REQUIRES: as above, and `first` is due.
[[nodiscard]] SkippedRange overdue(const CompiledSchedule& schedule, Instant first, Instant now);

}  // namespace belfry::decide
