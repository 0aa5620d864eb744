// What the engine tells about itself. Logs, metrics, health and the tests listen here; the engine's parts contain none of
// that. Called on the threads of the engine: must be thread-safe and quick, and must not call back.
#pragma once

#include <string>
#include <string_view>

#include "base/clock_guard.hpp"
#include "decide/plan.hpp"
#include "model/backfill.hpp"
#include "model/schedule.hpp"
#include "model/task.hpp"
#include "model/webhook.hpp"

namespace belfry::engine {

// A schedule that cannot be decided, or work on one of its runs or backfills that cannot be done. It alone waits; the others go on.
struct Quarantined {
    std::int64_t key = 0;
    std::string schedule_id = {};  // may be empty: its row cannot be read
    Error error = {};
    Instant since = {};
    int tries = 0;
    Instant next_try = {};
    std::string worker = {};   // which part of the engine
    std::string subject = {};  // the run or the backfill; empty: the schedule itself
};

struct TickReport {
    std::size_t looked_at = 0;    // schedules
    std::size_t decided = 0;      // of them
    std::size_t passed_over = 0;  // somebody else is deciding them, or they are gone
    Micros took = {};             // by the monotonic clock, the commit included
};

// What a server knows of the store's clock. See base/clock_guard.hpp.
struct ClockState {
    ClockGuard::Reading steps = {};
    std::optional<Instant> decided_until = {};  // the clock was put back: what the store holds reaches up to this later time
    [[nodiscard]] bool ok() const { return !steps.pending && !decided_until; }
    friend bool operator==(const ClockState& a, const ClockState& b) {
        return a.steps == b.steps && a.decided_until.has_value() == b.decided_until.has_value();
    }
};

class Observer {
public:
    virtual ~Observer() = default;

    // A plan is committed; `at` is the store's time: after the commit for ticks, of the decision for what somebody asked for.
    virtual void decided(const model::Schedule& /*schedule*/, const decide::Plan& /*plan*/, Instant /*at*/) {}
    virtual void ticked(const TickReport& /*report*/) {}
    // A worker has got a task, by the store's time.
    virtual void claimed(const model::Task& /*task*/, Instant /*at*/) {}
    virtual void backfilled(const std::string& /*tenant*/, const model::Backfill& /*backfill*/) {}
    virtual void reaped(const std::string& /*run_id*/, const std::string& /*worker*/) {}
    virtual void pruned(std::int64_t /*runs*/) {}
    virtual void removed(std::int64_t /*schedules*/) {}  // in full, by retention

    // An attempt to deliver is recorded: the delivery as it is now.
    virtual void delivered(const std::string& /*tenant*/, const model::Delivery& /*delivery*/) {}

    virtual void quarantined(const Quarantined& /*schedule*/) {}
    virtual void released(const Quarantined& /*schedule*/) {}

    // A worker met an error and tries again after `wait`; the first success after that is a recovery.
    virtual void failed(std::string_view /*worker*/, const Error& /*error*/, Micros /*wait*/) {}
    virtual void recovered(std::string_view /*worker*/) {}

    virtual void leads(bool /*leading*/, std::int64_t /*term*/) {}
    virtual void shares(std::size_t /*servers*/) {}

    // A step of the store's clock was noticed, withdrawn or accepted, or its consequences are over.
    virtual void clock(const ClockState& /*state*/) {}
};

}  // namespace belfry::engine
