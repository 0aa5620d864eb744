// The health of a schedule, from its state and its newest rows. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/run/run.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::decide {

inline constexpr std::size_t kHealthRunsMax = 20;  // the newest rows that are read

enum class HealthVerdict : std::uint8_t { ok, warning, failing, paused };
[[nodiscard]] std::string_view name_of(HealthVerdict verdict);

// `half_open`: a trial run is allowed or in flight, and its result decides whether the breaker closes.
enum class BreakerState : std::uint8_t { none, closed, open, half_open };
[[nodiscard]] std::string_view name_of(BreakerState state);
[[nodiscard]] std::vector<std::string> breaker_state_names();
[[nodiscard]] BreakerState breaker_of(const model::Schedule& schedule, const model::ScheduleState& state, Instant now);

struct HealthQuestion {
    const model::Schedule& schedule;
    const model::ScheduleState& state;
    std::span<const model::Run> runs = {};  // newest first
    std::int64_t missed_last_day = 0;
    std::string quarantined_because = {};  // empty: it can be decided
    Instant now = {};
};

struct ScheduleHealth {
    HealthVerdict verdict = HealthVerdict::ok;
    std::vector<std::string> reasons = {};  // sentences; empty if it is ok
    BreakerState breaker = BreakerState::none;
    std::optional<Micros> lateness_median = {};  // of the rows that ticks decided
    std::optional<Micros> lateness_most = {};
    std::optional<Micros> overdue = {};  // how long its next fire time has been due
    friend bool operator==(const ScheduleHealth&, const ScheduleHealth&) = default;
};

[[nodiscard]] ScheduleHealth judge_health(const HealthQuestion& question);

}  // namespace belfry::decide
