// Virtual time and whatever happens in it, one thing after the other: events by (time, number), and activities, which
// are fibers that sleep in virtual time. Single-threaded and deterministic.
//
// An activity belongs to a process (a server, or nobody). A frozen process is not scheduled; the activities of one that
// died are unwound wherever they stand, so its memory is lost with it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "base/time/clock.hpp"
#include "simulation/fibers/fiber.hpp"

namespace belfry::sim {

using ProcessId = std::int64_t;
inline constexpr ProcessId kNobody = 0;

using ActivityId = std::uint64_t;

class SimLoop {
public:
    explicit SimLoop(Fibers& fibers) : fibers_(fibers) {}
    ~SimLoop();
    SimLoop(const SimLoop&) = delete;
    SimLoop& operator=(const SimLoop&) = delete;

    // Real time since the beginning of the world; it never jumps.
    [[nodiscard]] Micros time() const { return time_; }

    void at(Micros time, std::function<void()> what);
    void after(Micros delay, std::function<void()> what) { at(time_ + delay, std::move(what)); }

    // Begins now, as an event of its own.
    ActivityId start(ProcessId process, std::function<void()> body);
    [[nodiscard]] bool alive(ActivityId activity) const { return activities_.contains(activity); }
    // Ends a rest that goes on, or else the next one. From anywhere.
    void wake(ActivityId activity);

    // From inside an activity. A rest can be cut short by wake(), a sleep cannot.
    void sleep(Micros duration);
    void rest(Micros at_most);
    [[nodiscard]] ActivityId current() const { return current_; }
    [[nodiscard]] ProcessId current_process() const { return current_process_; }

    void freeze(ProcessId process, Micros until) { frozen_[process] = until; }
    [[nodiscard]] bool is_frozen(ProcessId process) const;
    // Unwinds all activities of the process. From outside the fibers only.
    void kill(ProcessId process);

    // The next event; false when there is none before `until`, and then it is that time.
    bool step(Micros until);
    [[nodiscard]] std::uint64_t events() const { return events_; }

private:
    struct Activity {
        ProcessId process = kNobody;
        std::unique_ptr<Fiber> fiber;
        std::uint64_t turn = 0;  // counts its sleeps, so that a resumption for an earlier one is void
        bool resting = false;
        bool rung = false;
    };
    struct Event {
        Micros time = {};
        std::uint64_t number = 0;
        std::function<void()> what;  // empty: the activity goes on
        ActivityId activity = 0;
        std::uint64_t turn = 0;
        friend bool operator<(const Event& a, const Event& b) {
            return a.time != b.time ? a.time > b.time : a.number > b.number;
        }
    };

    void resume_at(Micros time, ActivityId id, std::uint64_t turn);
    void resume(ActivityId id, std::uint64_t turn);

    Fibers& fibers_;
    Micros time_{0};
    std::uint64_t numbers_ = 0;
    std::uint64_t events_ = 0;
    std::priority_queue<Event> queue_;
    std::map<ActivityId, Activity> activities_;
    std::map<ProcessId, Micros> frozen_;
    ActivityId current_ = 0;
    ProcessId current_process_ = kNobody;
};

}  // namespace belfry::sim
