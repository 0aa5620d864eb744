// Handles the signals of a server. A dedicated thread reads them, so no code here runs inside a signal handler.
//
//   SIGTERM, SIGINT   the first requests shutdown; the second ends the process at once, with 128 plus the signal's
//   number.
//                     With `on_second`, the second calls it and the third ends the process
//   SIGHUP            calls `on_hangup`
//   SIGPIPE           is ignored: a client that closed its connection is an error of that connection only
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/result.hpp"

namespace belfry::app {

class ProcessSignals {
public:
    // The dedicated thread calls both functions.
    // REQUIRES: no other thread runs yet, because threads that start later inherit the blocked signals.
    [[nodiscard]] static Result<std::unique_ptr<ProcessSignals>> take(std::function<void()> on_hangup,
                                                                      std::function<void()> on_second = {});
    ~ProcessSignals();
    ProcessSignals(const ProcessSignals&) = delete;
    ProcessSignals& operator=(const ProcessSignals&) = delete;

    // Stop is requested by the first SIGTERM or SIGINT.
    [[nodiscard]] std::stop_token ending() const { return ending_.get_token(); }
    // Returns when shutdown is requested.
    void wait() const;

private:
    ProcessSignals(int signals, int done, std::function<void()> on_hangup, std::function<void()> on_second);
    void run();
    void receive(int number);

    int signals_;  // a signalfd
    int done_;     // an eventfd that ends the thread
    std::function<void()> on_hangup_;
    std::function<void()> on_second_;  // empty once it was called
    std::stop_source ending_;
    std::jthread thread_;
};

}  // namespace belfry::app
