#include "engine/jobs/task_pool.hpp"

#include <pthread.h>

namespace belfry::engine {

void TaskPool::run(std::function<void()> job) {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    if (idle_ < jobs_.size() && threads_.size() < most_)
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    changed_.notify_one();
}

void TaskPool::work(const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), name_.c_str());
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        changed_.wait(lock, stop, [this] { return !jobs_.empty(); });
        --idle_;
        if (stop.stop_requested()) return;
        const auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

}  // namespace belfry::engine
