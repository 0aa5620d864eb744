// Does the tasks of one queue with functions: claims, renews leases, completes. Each thread does one task at a time;
// one more thread renews the leases of all of them.
//
// A crash leaves leases that end by themselves; then another program, or this one after its restart, gets the tasks.
// A failure of the store is met by waiting: a completion is repeated until the store takes it or the lease is lost.
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include <belfry/task.hpp>

#include "base/concurrency/mutex.hpp"
#include "embed/local_api.hpp"

namespace belfry::embed {

using TaskFunctions = std::map<std::string, TaskFunction, std::less<>>;

class TaskRunner {
public:
    struct Options {
        std::string queue;
        std::string worker;  // the name that is shown with a run
        int concurrency = 4;
        std::chrono::milliseconds lease{30'000};
    };
    // REQUIRES: the API outlives it.
    TaskRunner(const LocalApi& api, TaskFunctions functions, Options options);
    // Stops first.
    ~TaskRunner();
    TaskRunner(const TaskRunner&) = delete;
    TaskRunner& operator=(const TaskRunner&) = delete;

    void start();
    // Requests a stop of running functions and waits for them.
    void stop();

private:
    // A lease that is held, and how its function learns that it should stop.
    struct Held {
        Json lease;
        std::stop_source stop;
    };

    void work(const std::stop_token& stop);
    void do_task(const boost::json::object& task, const std::stop_token& stop);
    [[nodiscard]] TaskResult run_function(const Task& task) const;
    void complete(const Json& lease, const TaskResult& result);
    void renew(const std::stop_token& stop);
    void renew_once();

    const LocalApi& api_;
    const TaskFunctions functions_;
    const Options options_;
    Mutex mutex_;
    std::map<std::string, Held> held_ BELFRY_GUARDED_BY(mutex_);  // by run, node and attempt
    std::vector<std::jthread> threads_;
    std::jthread renewing_;  // ends after the functions, whose leases it renews
};

}  // namespace belfry::embed
