// Time that a monotonic clock confirms. Thread-safe.
//
// A wall clock may step: a time service corrects it, an operator mistypes a date, a virtual machine was suspended. The guard
// compares every reading with the monotonic clock. While both advance together it returns the reading. After a step it returns
// the time before the step plus what has passed since by the monotonic clock, until the new time has held for `confirm`:
//
//   the clock returns to the old time    the step is withdrawn, and nothing was decided by it
//   the new time holds for `confirm`     it is accepted: the guard returns it from then on, be it later or earlier
//   the clock steps once more            the newest time has to hold for `confirm`
//
// A guard has no history at its start: it accepts the first reading. Memory is bounded: it remembers the newest kStepsKept steps.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace belfry {

// Time services slew what is smaller than about an eighth of a second; what remains below a second is no step worth waiting for.
inline constexpr Micros kClockTolerance = Seconds{1};
inline constexpr Micros kClockStepConfirm = Seconds{60};

class ClockGuard {
public:
    // REQUIRES: the clock outlives it.
    explicit ClockGuard(const SteadyClock& steady, Micros confirm = kClockStepConfirm) : steady_(steady), confirm_(confirm) {}

    // A reading of the wall clock, made between two moments of the monotonic one.
    struct Sighting {
        Instant wall = {};
        Micros before = {};
        Micros after = {};
    };
    // What to believe.
    [[nodiscard]] Instant trust(const Sighting& sighting);
    [[nodiscard]] Result<Instant> read(const std::function<Result<Instant>()>& wall);

    // A step that was accepted.
    struct Step {
        Instant from = {};  // what the guard would have told
        Micros by = {};     // negative: back
        Micros at = {};     // of the monotonic clock
    };
    struct Reading {
        std::optional<Micros> pending = {};  // how far the wall clock is from the time that the guard tells; negative: behind
        std::uint64_t forward = 0;           // steps that were accepted
        std::uint64_t back = 0;
        std::uint64_t withdrawn = 0;
        std::optional<Step> last = {};  // the newest that was accepted
        friend bool operator==(const Reading& a, const Reading& b) {
            return a.pending.has_value() == b.pending.has_value() && a.forward == b.forward && a.back == b.back && a.withdrawn == b.withdrawn;
        }
    };
    [[nodiscard]] Reading reading() const;
    [[nodiscard]] Micros confirm() const { return confirm_; }

    // How far steps have moved the clock forward since it showed `stamp`; those before the last step back do not count.
    [[nodiscard]] Micros moved_since(Instant stamp) const;
    // The newest step, when it was forward: what was stamped before `before` was stamped by the time before it.
    struct Move {
        Instant before = {};
        Micros by = {};  // 0: none
    };
    [[nodiscard]] Move last_move() const;
    // And how far within the last `window` of monotonic time, forward and back taken together; never negative.
    [[nodiscard]] Micros moved_within(Micros window) const;

private:
    static constexpr std::size_t kStepsKept = 16;

    // What the wall clock would have shown at the monotonic clock's zero, at the earliest and at the latest.
    struct Origins {
        Instant first = {};
        Instant last = {};
        [[nodiscard]] bool agree_with(const Origins& other) const {
            return first - kClockTolerance <= other.last && other.first - kClockTolerance <= last;
        }
        // With what another reading says. Two that are apart by less than the tolerance: as near as the other allows.
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
