// Time that a monotonic clock confirms. Thread-safe.
//
// A wall clock may step: a time service corrects it, an operator mistypes a date, a virtual machine was suspended. The
// guard compares every reading with the monotonic clock. While both advance together it returns the reading. After a
// step it continues the old time with the monotonic clock, until the new time has held for `confirm`:
//
//   the clock returns to the old time    the guard discards the step, and no decision has used it
//   the new time holds for `confirm`     the guard accepts it and returns it from then on, whether later or earlier
//   the clock steps once more            the newest time must hold for `confirm`
//
// A new guard accepts its first reading. Memory is bounded: it keeps the newest kStepsKept steps.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "base/concurrency/mutex.hpp"
#include "base/result.hpp"
#include "base/time/clock.hpp"

namespace belfry {

// Time services slew differences below about an eighth of a second; other differences below a second are too small to
// matter.
inline constexpr Micros kClockTolerance = Seconds{1};
inline constexpr Micros kClockStepConfirm = Seconds{60};

class ClockGuard {
public:
    // REQUIRES: the clock outlives it.
    explicit ClockGuard(const SteadyClock& steady, Micros confirm = kClockStepConfirm)
        : steady_(steady), confirm_(confirm) {}

    // A reading of the wall clock, taken between two readings of the monotonic clock.
    struct Sighting {
        Instant wall = {};
        Micros before = {};
        Micros after = {};
    };
    // Returns the time to use.
    [[nodiscard]] Instant trust(const Sighting& sighting);
    [[nodiscard]] Result<Instant> read(const std::function<Result<Instant>()>& wall);

    // An accepted step.
    struct Step {
        Instant from = {};  // the guard's time just before the step
        Micros by = {};     // negative: back
        Micros at = {};     // time of the monotonic clock
    };
    struct Reading {
        std::optional<Micros> pending = {};  // wall clock minus the guard's time during a step; negative: behind
        std::uint64_t forward = 0;           // accepted steps
        std::uint64_t back = 0;
        std::uint64_t withdrawn = 0;
        std::optional<Step> last = {};  // the newest accepted step
        friend bool operator==(const Reading& a, const Reading& b) {
            return a.pending.has_value() == b.pending.has_value() && a.forward == b.forward && a.back == b.back &&
                   a.withdrawn == b.withdrawn;
        }
    };
    [[nodiscard]] Reading reading() const;
    [[nodiscard]] Micros confirm() const { return confirm_; }

    // How far steps have moved the clock forward since it showed `stamp`; steps before the last step back do not count.
    [[nodiscard]] Micros moved_since(Instant stamp) const;
    // The newest step if it was forward: stamps earlier than `before` are from the time before the step.
    struct Move {
        Instant before = {};
        Micros by = {};  // 0: none
    };
    [[nodiscard]] Move last_move() const;
    // How far steps moved the clock within the last `window` of monotonic time, forward minus back; never negative.
    [[nodiscard]] Micros moved_within(Micros window) const;

private:
    static constexpr std::size_t kStepsKept = 16;

    // The wall-clock time at the monotonic clock's zero, as the earliest and the latest possible value.
    struct Origins {
        Instant first = {};
        Instant last = {};
        [[nodiscard]] bool agree_with(const Origins& other) const {
            return first - kClockTolerance <= other.last && other.first - kClockTolerance <= last;
        }
        // The intersection with another reading. If they differ by less than the tolerance, the nearest value of the
        // other.
        [[nodiscard]] Origins narrowed_by(const Origins& other) const;
    };
    struct Suspect {
        Origins origins = {};
        Micros since = {};
    };

    Instant accept(const Sighting& sighting) BELFRY_REQUIRES(mutex_);

    const SteadyClock& steady_;
    const Micros confirm_;
    mutable Mutex mutex_;
    std::optional<Origins> origins_ BELFRY_GUARDED_BY(mutex_);
    std::optional<Suspect> suspect_ BELFRY_GUARDED_BY(mutex_);
    std::deque<Step> steps_ BELFRY_GUARDED_BY(mutex_);
    Reading counts_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry
