// A background job on its own thread. Every thread of the engine starts and stops in the same way:
//
//   start()  starts to step; call it once, from the thread that owns the service.
//   ask()    requests the end: no further step starts. Returns at once; from any thread.
//   stop()   requests the end and waits for the current step. May be called again. The destructor stops.
//
// To end several services quickly, call ask() on all of them before the first stop().
#pragma once

#include <thread>

#include "engine/jobs/background_job.hpp"
#include "engine/jobs/wakeup.hpp"

namespace belfry::engine {

class Service {
public:
    // REQUIRES: the job outlives the service.
    explicit Service(BackgroundJob& worker) : worker_(worker) {}
    ~Service() { stop(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    void start();
    void ask() { thread_.request_stop(); }
    void stop();

    // Requests a step now, because something has changed.
    void wake() { wakeup_.ring(); }

private:
    void run(const std::stop_token& stop);

    BackgroundJob& worker_;
    Wakeup wakeup_;
    std::jthread thread_;
};

}  // namespace belfry::engine
