#include "app/worker/running_tasks.hpp"

#include <algorithm>

namespace belfry::app {

void RunningTasks::start(ClaimedTask task, Micros held_until, Work work) {
    const std::unique_lock lock(mutex_);
    auto& mine = running_.emplace_back(Running{.lease = task.lease, .held_until = held_until});
    mine.thread =
        std::jthread([this, &mine, task = std::move(task), work = std::move(work), stop = mine.stop.get_token()] {
            work(task, stop);
            const std::unique_lock over_lock(mutex_);
            mine.over = true;
            changed_.notify_all();
        });
}

void RunningTasks::sweep(std::unique_lock<std::mutex>& lock) {
    std::list<Running> over;
    for (auto each = running_.begin(); each != running_.end();) {
        const auto next = std::next(each);
        if (each->over) over.splice(over.end(), running_, each);
        each = next;
    }
    lock.unlock();
    over.clear();  // joins the threads
    lock.lock();
}

std::size_t RunningTasks::wait_for_room(std::size_t most, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto going = [this] { return static_cast<std::size_t>(std::ranges::count(running_, false, &Running::over)); };
    if (!changed_.wait(lock, stop, [&] { return going() < most; }) || stop.stop_requested()) return 0;
    sweep(lock);
    return most - std::min(most, going());
}

void RunningTasks::wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return std::ranges::all_of(running_, &Running::over); });
    sweep(lock);
}

std::vector<TaskLease> RunningTasks::leases() const {
    const std::unique_lock lock(mutex_);
    std::vector<TaskLease> all;
    for (const auto& each : running_) {
        if (!each.over) all.push_back(each.lease);
    }
    return all;
}

std::vector<TaskLease> RunningTasks::keep(const std::vector<TaskLease>& asked, std::vector<TaskLease> held,
                                          Micros held_until) {
    std::vector<TaskLease> lost;
    std::vector<std::stop_source> to_stop;
    std::ranges::sort(held);
    {
        const std::unique_lock lock(mutex_);
        for (auto& each : running_) {
            if (each.over || std::ranges::find(asked, each.lease) == asked.end()) continue;
            if (std::ranges::binary_search(held, each.lease)) {
                each.held_until = held_until;
            } else if (!each.stop.stop_requested()) {
                lost.push_back(each.lease);
                to_stop.push_back(each.stop);
                each.held_until = Micros::min();
            }
        }
    }
    for (auto& stop : to_stop) stop.request_stop();
    return lost;
}

bool RunningTasks::may_be_held(const TaskLease& lease, Micros now) const {
    const std::unique_lock lock(mutex_);
    return std::ranges::any_of(running_,
                               [&](const Running& each) { return each.lease == lease && now < each.held_until; });
}

void RunningTasks::stop_all() {
    std::vector<std::stop_source> to_stop;
    {
        const std::unique_lock lock(mutex_);
        for (const auto& each : running_) to_stop.push_back(each.stop);
    }
    for (auto& stop : to_stop) stop.request_stop();
}

}  // namespace belfry::app
