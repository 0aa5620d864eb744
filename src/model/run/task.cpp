#include "model/run/task.hpp"

namespace belfry::model {

NodeKind kind_of_task(std::string_view task_kind) {
    if (task_kind == "http") return NodeKind::http;
    if (task_kind == "command") return NodeKind::command;
    return NodeKind::task;
}

std::string connection_for(const Routing& routing, const std::string& default_connection) {
    const auto& [node, target, workflow] = routing;
    std::string connection = default_connection;
    if (workflow != nullptr && workflow->connection) connection = *workflow->connection;
    if (target.connection) connection = *target.connection;
    if (node != nullptr && node->connection) connection = *node->connection;
    return connection == kBuiltIn ? std::string() : connection;
}

std::string named_queue(const Routing& routing) {
    const auto& [node, target, workflow] = routing;
    // The schedule's queue takes precedence over the workflow's. A schedule with the default queue counts as not set.
    if (node != nullptr && node->queue) return *node->queue;
    const bool silent = target.queue == Target{}.queue;
    return silent && workflow != nullptr && workflow->queue ? *workflow->queue : target.queue;
}

std::string queue_for(const Routing& routing, const std::string& default_connection) {
    const auto& [node, target, workflow] = routing;
    const auto single = target.type == TargetType::task ? kind_of_task(target.kind) : NodeKind::task;
    switch (node != nullptr ? node->kind : single) {
        case NodeKind::http: return kHttpQueue;
        case NodeKind::command: return kCommandQueue;
        case NodeKind::task: break;
    }
    const auto connection = connection_for(routing, default_connection);
    return connection.empty() ? named_queue(routing) : std::string(kHandOverQueues) + connection;
}

std::string connection_of(std::string_view queue) {
    return queue.starts_with(kHandOverQueues) ? std::string(queue.substr(kHandOverQueues.size())) : std::string();
}

}  // namespace belfry::model
