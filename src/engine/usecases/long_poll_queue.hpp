// The long polls that wait for tasks, and which of them claims next. Thread-safe.
//
// Long polls for the same tasks wait in one line, in the order of their arrival. A ring gives the turn to the first
// one. It claims, and its result decides:
//
//   all that it wanted   it leaves, and the next one gets the turn, because there may be more tasks
//   some                 it leaves, and no other gets the turn, because no tasks are left
//   none                 it stays first, and no other gets the turn
//
// A ring during a turn is remembered and gives the first one another turn. So a new task wakes one long poll, never
// all of them, and no ring is lost between an empty claim and the wait. A long poll that leaves during its turn
// passes the turn on.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "base/concurrency/mutex.hpp"
#include "base/time/clock.hpp"

namespace belfry::engine {

// The first of a line claims at least this often without a ring, because a ring may be lost or come before the line
// exists.
inline constexpr Micros kLineAskedEvery = Seconds{1};

// The key of the line of those who may claim the same tasks.
[[nodiscard]] std::string line_key(const std::string& tenant, const std::string& queue,
                                   const std::string& assignee = {});

class LongPollQueue {
private:
    struct Line;

public:
    // REQUIRES: the clock outlives it.
    explicit LongPollQueue(const SteadyClock& steady) : steady_(steady) {}

    // Signals a turn. Called under the lock: it must be quick and must not call this object.
    using Ring = std::function<void()>;
    enum class Found : std::uint8_t { nothing, some, all_wanted };

    // One waiting long poll, until it is destroyed or has found tasks. REQUIRES: one thread at a time.
    class Place {
    public:
        Place(LongPollQueue& waiters, std::string key);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        // Claims with `find`, with or without the turn.
        Found look(const std::function<Found()>& find);

        // Calls `ring` whenever this place gets the turn, at once if it has it already. Ends with the destructor.
        void listen(Ring ring);

    private:
        friend class LongPollQueue;
        LongPollQueue& waiters_;
        const std::string key_;
        Line* line_ = nullptr;  // null: it has left; this and the next two are guarded by the queue's lock
        std::list<Place*>::iterator at_;
        Ring ring_;
    };

    // Joins the line before the first claim, so that no later ring is missed. REQUIRES: the queue outlives the place.
    [[nodiscard]] std::unique_ptr<Place> join(const std::string& key) { return std::make_unique<Place>(*this, key); }

    // There may be tasks for this line, now or after the delay, or for every line.
    void ring(const std::string& key);
    void ring_in(const std::string& key, Micros delay);
    void ring_all();

    // Gives the turn in lines without a recent claim. Returns how long to wait before the next call.
    Micros ring_stale();

    // The number of waiting long polls and of lines.
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::size_t lines() const;

private:
    struct Line {
        std::list<Place*> places = {};
        Place* turn = nullptr;
        bool rung = false;          // since the current turn started
        Micros ask_at = {};         // the latest time of the next turn
        std::set<Micros> due = {};  // when delayed tasks become ready; at most kDueMax times
        Micros sooner = {};         // less than kLineAskedEvery, so that not all lines get their turn at one moment
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
