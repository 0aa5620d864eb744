#include "engine/jobs/parallel_batches.hpp"

#include <pthread.h>

namespace belfry::engine {

void ParallelBatches::run(const std::vector<std::function<void()>>& jobs) {
    while (jobs.size() > 1 && threads_.size() + 1 < threads_max_) {
        threads_.emplace_back([this](const std::stop_token& stop) { help(stop); });
    }
    std::unique_lock lock(mutex_);
    jobs_ = &jobs;
    next_ = done_ = 0;
    changed_.notify_all();
    while (do_next(lock)) {
    }
    changed_.wait(lock, [&] { return done_ == jobs.size(); });
    jobs_ = nullptr;
}

void ParallelBatches::help(const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), name_.c_str());
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        if (do_next(lock)) continue;
        changed_.wait(lock, stop, [this] { return jobs_ != nullptr && next_ < jobs_->size(); });
    }
}

bool ParallelBatches::do_next(std::unique_lock<std::mutex>& lock) {
    if (jobs_ == nullptr || next_ >= jobs_->size()) return false;
    const auto& job = (*jobs_)[next_++];
    lock.unlock();
    job();
    lock.lock();
    ++done_;
    changed_.notify_all();
    return true;
}

}  // namespace belfry::engine
