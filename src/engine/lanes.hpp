// A few threads that help one: jobs that mostly wait for the database are done side by side. Owned and used by one thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace belfry::engine {

class Lanes {
public:
    // The name is for the threads, at most 15 letters. With one lane there is no thread, and all jobs are done by the caller.
    explicit Lanes(std::size_t lanes, std::string name = "ticker lane") : lanes_(lanes), name_(std::move(name)) {}
    ~Lanes() = default;
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    // Does all of them and returns when the last is done. The caller takes part.
    void run(const std::vector<std::function<void()>>& jobs);

private:
    void help(const std::stop_token& stop);
    // Takes the next job and does it; false when none is left.
    bool do_next(std::unique_lock<std::mutex>& lock);

    const std::size_t lanes_;
    const std::string name_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    const std::vector<std::function<void()>>* jobs_ = nullptr;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    std::vector<std::jthread> threads_;  // last: they end before what they use; made when first needed
};

}  // namespace belfry::engine
