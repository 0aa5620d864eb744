// The signals of a server, in one place. A thread of its own reads them, so nothing here runs inside a signal handler.
//
//   SIGTERM, SIGINT   ask the program to end; the second ends it at once, with 128 plus the number of the signal, unless the
//                     program wants to hear of it: then the third does
//   SIGHUP            calls back
//   SIGPIPE           is ignored: a client that went away is an error of one connection
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/result.hpp"

namespace belfry::app {

class Signals {
public:
    // Both are called on a thread of its own.
    // REQUIRES: no other thread runs yet; those that are started later leave these signals alone.
    [[nodiscard]] static Result<std::unique_ptr<Signals>> take(std::function<void()> on_hangup, std::function<void()> on_second = {});
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // Asked to stop by the first SIGTERM or SIGINT.
    [[nodiscard]] std::stop_token ending() const { return ending_.get_token(); }
    // Returns when it is.
    void wait() const;

private:
    Signals(int signals, int done, std::function<void()> on_hangup, std::function<void()> on_second);
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
