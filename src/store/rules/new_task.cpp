#include "store/rules/new_task.hpp"

namespace belfry::store {

NewTask single_task(const model::Schedule& definition, const model::RunKey& run, Instant ready_at, int attempts,
                    const std::string& default_connection) {
    auto queue = model::queue_for({.target = definition.target}, default_connection);
    // The server's own tasks have no assignee.
    const bool own = queue.starts_with(model::kOwnQueueMark);
    return {.run = run,
            .queue = std::move(queue),
            .assignee = definition.assignee && !own ? definition.assignee->id : std::string(),
            .priority = definition.target.priority,
            .ready_at = ready_at,
            .attempts = attempts,
            .timeout = definition.retry.timeout};
}

NewTask node_task(const model::NodeRun& node, const model::RunKey& run, int priority) {
    return {run, node.node, node.queue, node.assignee, priority, node.ready_at, node.attempts, node.timeout};
}

}  // namespace belfry::store
