// The events of the engine. Logs, metrics, health and tests implement this, so that the engine's parts contain none
// of it. Called on the engine's threads: implementations must be thread-safe and quick, and must not call back.
#pragma once

#include <string>
#include <string_view>

#include "base/time/clock_guard.hpp"
#include "decide/plan.hpp"
#include "model/run/task.hpp"
#include "model/schedule/backfill.hpp"
#include "model/schedule/schedule.hpp"
#include "model/tenant/webhook.hpp"

namespace belfry::engine {

// A schedule that cannot be decided, or work on its runs or backfills that cannot be done. Only this item waits.
struct Quarantined {
    std::int64_t key = 0;
    std::string schedule_id = {};  // may be empty if the row cannot be read
    Error error = {};
    Instant since = {};
    int tries = 0;
    Instant next_try = {};
    std::string worker = {};   // the background job
    std::string subject = {};  // the run or the backfill; empty: the schedule itself
};

struct TickReport {
    std::size_t looked_at = 0;    // schedules
    std::size_t decided = 0;      // of those
    std::size_t passed_over = 0;  // another server is deciding them, or they were deleted
    Micros took = {};             // by the monotonic clock, including the commit
};

// What a server knows of the store's clock. See base/time/clock_guard.hpp.
struct ClockState {
    ClockGuard::Reading steps = {};
    // Set after the clock was put back: the store holds decisions up to this later time.
    std::optional<Instant> decided_until = {};
    [[nodiscard]] bool ok() const { return !steps.pending && !decided_until; }
    friend bool operator==(const ClockState& a, const ClockState& b) {
        return a.steps == b.steps && a.decided_until.has_value() == b.decided_until.has_value();
    }
};

class Observer {
public:
    virtual ~Observer() = default;

    // A plan is committed. `at` is the store's time: after the commit for ticks, at the decision for requests.
    virtual void decided(const model::Schedule& /*schedule*/, const decide::Plan& /*plan*/, Instant /*at*/) {}
    virtual void ticked(const TickReport& /*report*/) {}
    // A worker has claimed a task, by the store's time.
    virtual void claimed(const model::Task& /*task*/, Instant /*at*/) {}
    virtual void backfilled(const std::string& /*tenant*/, const model::Backfill& /*backfill*/) {}
    virtual void reaped(const std::string& /*run_id*/, const std::string& /*worker*/) {}
    virtual void pruned(std::int64_t /*runs*/) {}
    virtual void removed(std::int64_t /*schedules*/) {}  // with all their records, by retention

    // A delivery attempt is recorded. `delivery` is the state after it.
    virtual void delivered(const std::string& /*tenant*/, const model::Delivery& /*delivery*/) {}

    virtual void quarantined(const Quarantined& /*schedule*/) {}
    virtual void released(const Quarantined& /*schedule*/) {}

    // A background job failed and retries after `wait`; the first success after that is a recovery.
    virtual void failed(std::string_view /*worker*/, const Error& /*error*/, Micros /*wait*/) {}
    virtual void recovered(std::string_view /*worker*/) {}

    virtual void leads(bool /*leading*/, std::int64_t /*term*/) {}
    virtual void shares(std::size_t /*servers*/) {}

    // A step of the store's clock was noticed, withdrawn or accepted, or its effects have ended.
    virtual void clock(const ClockState& /*state*/) {}
};

}  // namespace belfry::engine
