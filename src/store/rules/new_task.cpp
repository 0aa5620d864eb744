#include "store/rules/new_task.hpp"

namespace belfry::store {

namespace {

std::string with_receiver(std::string queue, const Json& input) {
    return queue == model::kHttpQueue ? model::receiver_queue(input) : queue;
}

}  // namespace

NewTask single_task(const model::Schedule& definition, const Json& input, const model::RunKey& run, Instant ready_at,
                    int attempts, const std::string& default_connection) {
    auto queue = model::queue_for({.target = definition.target}, default_connection);
    // The server's own tasks have no assignee.
    const bool own = queue.starts_with(model::kOwnQueueMark);
    return {.run = run,
            .queue = with_receiver(std::move(queue), input),
            .assignee = definition.assignee && !own ? definition.assignee->id : std::string(),
            .priority = definition.target.priority,
            .ready_at = ready_at,
            .attempts = attempts,
            .timeout = definition.retry.timeout};
}

NewTask node_task(const model::NodeRun& node, const Json& input, const model::RunKey& run, int priority) {
    auto queue = with_receiver(node.queue, node.node.empty() ? input : node.input);
    return {run, node.node, std::move(queue), node.assignee, priority, node.ready_at, node.attempts, node.timeout};
}

}  // namespace belfry::store
