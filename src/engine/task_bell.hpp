// Has those who wait for tasks look now and then, whatever was announced.
#pragma once

#include "engine/task_waiters.hpp"
#include "engine/worker.hpp"

namespace belfry::engine {

class TaskBell final : public Worker {
public:
    // REQUIRES: it outlives this.
    explicit TaskBell(TaskWaiters& waiters) : waiters_(waiters) {}

    [[nodiscard]] std::string_view name() const override { return "task-bell"; }
    Micros step() override { return waiters_.ring_stale(); }

private:
    TaskWaiters& waiters_;
};

}  // namespace belfry::engine
