// A worker on a thread of its own. The one contract of starting and stopping that every thread of the engine follows:
//
//   start()  begins to step; once, from the thread that owns the service.
//   ask()    asks it to end: no further step begins. Returns at once; from any thread.
//   stop()   asks and waits until the step that goes on is over. Again is fine. The destructor stops.
//
// Several services end fastest when all are asked before the first is waited for.
#pragma once

#include <thread>

#include "engine/wakeup.hpp"
#include "engine/worker.hpp"

namespace belfry::engine {

class Service {
public:
    // REQUIRES: the worker outlives the service.
    explicit Service(Worker& worker) : worker_(worker) {}
    ~Service() { stop(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    void start();
    void ask() { thread_.request_stop(); }
    void stop();

    // Something has changed: step now.
    void wake() { wakeup_.ring(); }

private:
    void run(const std::stop_token& stop);

    Worker& worker_;
    Wakeup wakeup_;
    std::jthread thread_;
};

}  // namespace belfry::engine
