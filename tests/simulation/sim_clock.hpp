// The clocks of a simulated world. Real time is the loop's; the database's clock follows it and may jump, and every server
// has a clock of its own that is wrong.
#pragma once

#include <algorithm>

#include "base/clock.hpp"
#include "simulation/sim_loop.hpp"

namespace belfry::sim {

class DatabaseClock final : public Clock {
public:
    DatabaseClock(const SimLoop& loop, Instant beginning) : loop_(loop), base_(beginning) {}

    [[nodiscard]] Instant now() const override { return base_ + loop_.time(); }

    void jump(Micros by) {
        highest_ = std::max(highest_, now());
        base_ += by;
        jumped_at_ = loop_.time();
    }
    // The latest that it has ever shown: nobody can honestly know of a later time.
    [[nodiscard]] Instant highest() const { return std::max(highest_, now()); }
    // Real time since its last jump; a long time when there was none.
    [[nodiscard]] Micros since_jump() const { return jumped_at_ ? loop_.time() - *jumped_at_ : Micros::max(); }

private:
    const SimLoop& loop_;
    Instant base_;
    Instant highest_ = kInstantMin;
    std::optional<Micros> jumped_at_;
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
