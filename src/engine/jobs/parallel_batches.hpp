// A few helper threads for one owner: run jobs that mostly wait for the database in parallel. Only the owner thread
// uses it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace belfry::engine {

class ParallelBatches {
public:
    // `name` is the thread name, at most 15 characters. With one thread there is no extra thread, and the caller runs
    // all jobs.
    explicit ParallelBatches(std::size_t threads, std::string name = "ticker batch")
        : threads_max_(threads), name_(std::move(name)) {}
    ~ParallelBatches() = default;
    ParallelBatches(const ParallelBatches&) = delete;
    ParallelBatches& operator=(const ParallelBatches&) = delete;

    // Runs all jobs and returns after the last one. The caller takes part.
    void run(const std::vector<std::function<void()>>& jobs);

private:
    void help(const std::stop_token& stop);
    // Runs the next job; false when none is left.
    bool do_next(std::unique_lock<std::mutex>& lock);

    const std::size_t threads_max_;
    const std::string name_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    const std::vector<std::function<void()>>* jobs_ = nullptr;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    std::vector<std::jthread> threads_;  // last member, so that the threads end first; started on first use
};

}  // namespace belfry::engine
