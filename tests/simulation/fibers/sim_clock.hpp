// The clocks of a simulated world. Real time is the loop's; the database's clock follows it and may jump, and every
// server has a clock of its own that is wrong.
#pragma once

#include <algorithm>
#include <vector>

#include "base/time/clock_guard.hpp"
#include "simulation/fibers/sim_loop.hpp"

namespace belfry::sim {

class DatabaseClock final : public Clock {
public:
    // A server believes in a new time once it has held for `confirm`. Steps of at most `blur` cannot be told from slow
    // calls.
    DatabaseClock(const SimLoop& loop, Instant beginning, Micros confirm, Micros blur)
        : loop_(loop), confirm_(confirm), blur_(blur), base_(beginning), eras_{{beginning, Micros{0}, true}} {}

    [[nodiscard]] Instant now() const override { return base_ + loop_.time(); }

    void jump(Micros by) {
        base_ += by;
        jumps_.push_back(loop_.time());
        if (std::chrono::abs(by) <= blur_) {
            eras_.back().base = std::max(eras_.back().base, base_);
        } else {
            settle();
            eras_.push_back({base_, loop_.time(), false});
        }
    }
    // A server has looked at it for the first time, and knows of no other.
    void believe() { eras_.back().believed = true; }
    // The latest that a server can honestly take it for: by a time that held for as long as a step has to be confirmed,
    // and by the monotonic clock since. What it showed for a moment only is no time.
    [[nodiscard]] Instant highest() const {
        auto base = kInstantMin;
        for (const auto& era : eras_) {
            const bool holds = &era == &eras_.back() && loop_.time() - era.since >= confirm_;
            if (era.believed || holds) base = std::max(base, era.base);
        }
        return base + loop_.time() + kClockTolerance;
    }
    // Real time since its last jump; a long time when there was none.
    [[nodiscard]] Micros since_jump() const { return jumps_.empty() ? Micros::max() : loop_.time() - jumps_.back(); }
    [[nodiscard]] bool jumped_between(Micros from, Micros to) const {
        return std::ranges::any_of(jumps_, [&](Micros at) { return from <= at && at <= to; });
    }
    [[nodiscard]] Micros real_time() const { return loop_.time(); }

private:
    struct Era {
        Instant base = {};  // the latest of those that are taken for one
        Micros since = {};
        bool believed = false;
    };
    void settle() { eras_.back().believed = eras_.back().believed || loop_.time() - eras_.back().since >= confirm_; }

    const SimLoop& loop_;
    const Micros confirm_;
    const Micros blur_;
    Instant base_;
    std::vector<Era> eras_;
    std::vector<Micros> jumps_;
};

// A server's monotonic clock: it began at some other moment, and passes as real time does.
class ServerSteadyClock final : public SteadyClock {
public:
    ServerSteadyClock(const SimLoop& loop, Micros beginning) : loop_(loop), beginning_(beginning) {}
    [[nodiscard]] Micros now() const override { return beginning_ + loop_.time() - lost_; }

    // As a clock that stands still while its process does: only a planted bug has one.
    void lose(Micros time) { lost_ += time; }

private:
    const SimLoop& loop_;
    Micros beginning_;
    Micros lost_{0};
};

}  // namespace belfry::sim
