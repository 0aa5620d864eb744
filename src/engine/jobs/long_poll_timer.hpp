// Wakes waiting long polls from time to time, in case a notification was lost.
#pragma once

#include "engine/jobs/background_job.hpp"
#include "engine/usecases/long_poll_queue.hpp"

namespace belfry::engine {

class LongPollTimer final : public BackgroundJob {
public:
    // REQUIRES: the queue outlives it.
    explicit LongPollTimer(LongPollQueue& waiters) : waiters_(waiters) {}

    [[nodiscard]] std::string_view name() const override { return "task-bell"; }
    Micros step() override { return waiters_.ring_stale(); }

private:
    LongPollQueue& waiters_;
};

}  // namespace belfry::engine
