// Threads for jobs that wait for others: made when they are needed, up to a number, and kept. Thread-safe.
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
    // The name is for the threads, at most 15 letters.
    TaskPool(std::size_t most, std::string name) : most_(most), name_(std::move(name)) {}
    // Waits for the jobs that go on; those that have not begun are dropped.
    ~TaskPool() = default;
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;

    // Does it on a thread of its own, as soon as one is free.
    void run(std::function<void()> job);

private:
    void work(const std::stop_token& stop);

    const std::size_t most_;
    const std::string name_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::function<void()>> jobs_;
    std::size_t idle_ = 0;
    std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace belfry::engine
