// Threads for jobs that wait for external systems. Started on demand, up to a maximum, and kept. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace belfry::engine {

class TaskPool {
public:
    // `name` is the thread name, at most 15 characters.
    TaskPool(std::size_t most, std::string name) : most_(most), name_(std::move(name)) {}
    // Waits for the running jobs and drops those that have not started.
    ~TaskPool() = default;
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;

    // Runs the job on a pool thread as soon as one is free.
    void run(std::function<void()> job);

private:
    void work(const std::stop_token& stop);

    const std::size_t most_;
    const std::string name_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::function<void()>> jobs_;
    std::size_t idle_ = 0;
    std::vector<std::jthread> threads_;  // last member, so that the threads end first
};

}  // namespace belfry::engine
