#include "engine/jobs/wakeup.hpp"

namespace belfry::engine {

void Wakeup::ring() {
    {
        const std::lock_guard lock(mutex_);
        rung_ = true;
    }
    bell_.notify_all();
}

void Wakeup::wait(Micros at_most, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    bell_.wait_for(lock, stop, at_most, [this] { return rung_; });
    rung_ = false;
}

}  // namespace belfry::engine
