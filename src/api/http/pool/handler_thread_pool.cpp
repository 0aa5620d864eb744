#include "api/http/pool/handler_thread_pool.hpp"

#include "base/concurrency/client_thread.hpp"

namespace belfry::api {

namespace {

// Runs one handler and catches everything that it throws: an exception of a library must not end the thread. Returns
// false when there is no more work.
bool run_one(boost::asio::io_context& context) {
    try {
        return context.run_one() > 0;
    } catch (const std::exception&) {
        return true;
    }
}

}  // namespace

void HandlerThreadPool::run(boost::asio::io_context& context) {
    waiting_host = this;
    serves_clients = true;
    for (bool more = true; more;) {
        {
            const MutexLock lock(mutex_);
            take_place();
        }
        bool alone = true;
        while (more && alone) {
            more = run_one(context);
            const MutexLock lock(mutex_);
            alone = awake_ <= awake_max_;
        }
        const MutexLock lock(mutex_);
        awake_ -= 1;
    }
    waiting_host = nullptr;
}

void HandlerThreadPool::take_place() {
    resting_ += 1;
    while (awake_ >= awake_max_ && !finishing_) place_free_.wait(mutex_);
    resting_ -= 1;
    awake_ += 1;
}

void HandlerThreadPool::finish() {
    const MutexLock lock(mutex_);
    finishing_ = true;
    place_free_.notify_all();
}

void HandlerThreadPool::begin_wait() {
    const MutexLock lock(mutex_);
    awake_ -= 1;
    if (resting_ > 0 && awake_ < awake_max_) place_free_.notify_one();
}

void HandlerThreadPool::end_wait() {
    const MutexLock lock(mutex_);
    awake_ += 1;
}

}  // namespace belfry::api
