// Marks the time in which a thread blocks on a disk or another machine. A scheduler that keeps only as many threads
// awake as there are cores needs to know it: while one thread blocks, another may use its core. A BlockingScope lives
// as long as the wait.
#pragma once

#include <utility>

namespace belfry {

// The scheduler. Its functions run on the worker threads.
class BlockingListener {
public:
    virtual ~BlockingListener() = default;
    virtual void begin_wait() = 0;
    // REQUIRES: does not block, because the thread may hold a lock that others wait for.
    virtual void end_wait() = 0;
};

// The scheduler of this thread; null for most threads.
inline thread_local BlockingListener* waiting_host = nullptr;

class BlockingScope {
public:
    BlockingScope() : host_(std::exchange(waiting_host, nullptr)) {  // a nested scope belongs to the outer one
        if (host_ != nullptr) host_->begin_wait();
    }
    ~BlockingScope() {
        if (host_ != nullptr) host_->end_wait();
        waiting_host = host_;
    }
    BlockingScope(const BlockingScope&) = delete;
    BlockingScope& operator=(const BlockingScope&) = delete;

private:
    BlockingListener* const host_;
};

}  // namespace belfry
