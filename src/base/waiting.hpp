// Who hands out work to many threads may want only a few of them awake, as many as there are cores, and yet no core idle because its
// thread waits for a disk or another machine. So the thread says when it does: a Waiting lives for as long as the wait.
#pragma once

#include <utility>

namespace belfry {

// Whoever hands out the work. Called on the threads that do it.
class WaitingHost {
public:
    virtual ~WaitingHost() = default;
    virtual void begin_wait() = 0;
    // REQUIRES: does not block: the thread may hold what others wait for.
    virtual void end_wait() = 0;
};

// The host of this thread; most have none.
inline thread_local WaitingHost* waiting_host = nullptr;

class Waiting {
public:
    Waiting() : host_(std::exchange(waiting_host, nullptr)) {  // a wait inside a wait is the same wait
        if (host_ != nullptr) host_->begin_wait();
    }
    ~Waiting() {
        if (host_ != nullptr) host_->end_wait();
        waiting_host = host_;
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    WaitingHost* const host_;
};

}  // namespace belfry
