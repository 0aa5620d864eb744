#include "simulation/fibers/sim_loop.hpp"

#include <algorithm>
#include <cassert>

namespace belfry::sim {

SimLoop::~SimLoop() {
    for (auto& [id, activity] : activities_) fibers_.kill(*activity.fiber);
}

void SimLoop::at(Micros time, std::function<void()> what) {
    queue_.push({std::max(time, time_), ++numbers_, std::move(what), 0, 0});
}

ActivityId SimLoop::start(ProcessId process, std::function<void()> body) {
    const auto id = ++numbers_;
    activities_.emplace(id, Activity{process, fibers_.make(std::move(body)), 1, false, false});
    resume_at(time_, id, 1);
    return id;
}

void SimLoop::resume_at(Micros time, ActivityId id, std::uint64_t turn) {
    queue_.push({std::max(time, time_), ++numbers_, nullptr, id, turn});
}

void SimLoop::resume(ActivityId id, std::uint64_t turn) {
    const auto found = activities_.find(id);
    if (found == activities_.end() || found->second.turn != turn) return;
    const auto process = found->second.process;
    if (is_frozen(process)) return resume_at(frozen_[process], id, turn);
    current_ = id;
    current_process_ = process;
    fibers_.resume(*found->second.fiber);
    current_ = 0;
    current_process_ = kNobody;
    if (found->second.fiber->finished()) activities_.erase(found);
}

void SimLoop::wake(ActivityId activity) {
    const auto found = activities_.find(activity);
    if (found == activities_.end()) return;
    found->second.rung = true;
    if (found->second.resting) resume_at(time_, activity, ++found->second.turn);
}

void SimLoop::sleep(Micros duration) {
    assert(current_ != 0);
    auto& activity = activities_.at(current_);
    resume_at(time_ + duration, current_, ++activity.turn);
    fibers_.suspend();
}

void SimLoop::rest(Micros at_most) {
    const auto id = current_;
    auto& activity = activities_.at(id);
    if (!activity.rung) {
        activity.resting = true;
        sleep(at_most);
        activities_.at(id).resting = false;
    }
    activities_.at(id).rung = false;
}

bool SimLoop::is_frozen(ProcessId process) const {
    const auto found = frozen_.find(process);
    return found != frozen_.end() && found->second > time_;
}

void SimLoop::kill(ProcessId process) {
    assert(fibers_.current() == nullptr);
    for (auto each = activities_.begin(); each != activities_.end();) {
        if (each->second.process != process) {
            ++each;
            continue;
        }
        fibers_.kill(*each->second.fiber);
        each = activities_.erase(each);
    }
}

bool SimLoop::step(Micros until) {
    if (queue_.empty() || queue_.top().time > until) {
        time_ = std::max(time_, until);
        return false;
    }
    // What top() gives is const; the event is moved out before it goes.
    const auto event = std::move(const_cast<Event&>(queue_.top()));
    queue_.pop();
    time_ = event.time;
    ++events_;
    if (event.what) {
        event.what();
    } else {
        resume(event.activity, event.turn);
    }
    return true;
}

}  // namespace belfry::sim
