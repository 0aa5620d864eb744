// Who waits for tasks, and who is asked next when there may be some. Thread-safe.
//
// Those who wait for the same tasks stand in one line, in the order in which they came. A ring gives the turn to the first; it looks,
// and says what it found:
//
//   as many as it wanted   it leaves, and the next has the turn: there may be more
//   fewer                  it leaves, and nobody is asked: there were no more
//   none                   it stays the first, and nobody is asked
//
// A ring while somebody has the turn is remembered and makes the first look again. So a task wakes one of those who wait, never all
// of them, and no ring is lost between a look that found nothing and the wait. Somebody who leaves with the turn passes it on.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace belfry::engine {

// A line is asked at least so often, rung or not: a ring may be lost, or come before anybody stands there.
inline constexpr Micros kLineAskedEvery = Seconds{1};

// Which line: those who may claim the same tasks.
[[nodiscard]] std::string line_key(const std::string& tenant, const std::string& queue, const std::string& assignee = {});

class TaskWaiters {
private:
    struct Line;

public:
    // REQUIRES: the clock outlives it.
    explicit TaskWaiters(const SteadyClock& steady) : steady_(steady) {}

    // That it is somebody's turn. Called under the lock: must be quick, and must not call anything of this object.
    using Ring = std::function<void()>;
    enum class Found : std::uint8_t { nothing, some, all_wanted };

    // One who waits, until it is destroyed or has found something. REQUIRES: one thread at a time.
    class Place {
    public:
        Place(TaskWaiters& waiters, std::string key);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        // Looks for tasks, whether it has the turn or not.
        Found look(const std::function<Found()>& find);

        // From now on it is told when it has the turn; at once when it has it already. Not told any more when it is destroyed.
        void listen(Ring ring);

    private:
        friend class TaskWaiters;
        TaskWaiters& waiters_;
        const std::string key_;
        Line* line_ = nullptr;  // none: it has left; guarded, as the two below, by the lock of the waiters
        std::list<Place*>::iterator at_;
        Ring ring_;
    };

    // In line before the first look: a ring from now on is not missed. REQUIRES: this outlives the place.
    [[nodiscard]] std::unique_ptr<Place> join(const std::string& key) { return std::make_unique<Place>(*this, key); }

    // There may be tasks for this line, or for any; or there will be some, so long from now.
    void ring(const std::string& key);
    void ring_in(const std::string& key, Micros delay);
    void ring_all();

    // Gives the turn in lines that were not asked for a while; returns how long until it is wanted again.
    Micros ring_stale();

    // How many wait, and in how many lines.
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::size_t lines() const;

private:
    struct Line {
        std::list<Place*> places = {};
        Place* turn = nullptr;
        bool rung = false;          // since somebody got the turn
        Micros ask_at = {};         // at the latest
        std::set<Micros> due = {};  // when there will be tasks, as far as was told; no more than kDueMax of them
        Micros sooner = {};         // than kLineAskedEvery, so that not all lines are asked at one moment
    };

    void add(Place& place, const std::string& key) BELFRY_REQUIRES(mutex_);
    void leave(Place& place) BELFRY_REQUIRES(mutex_);
    void ring(Line& line) BELFRY_REQUIRES(mutex_);
    void give_turn(Line& line) BELFRY_REQUIRES(mutex_);

    const SteadyClock& steady_;
    mutable Mutex mutex_;
    std::unordered_map<std::string, Line> lines_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
