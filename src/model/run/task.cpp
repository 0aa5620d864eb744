#include "model/run/task.hpp"

#include "base/net/url.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::model {

namespace {

constexpr std::string_view kReceiverQueues = "@http:";
constexpr std::int64_t kReceivers = std::int64_t{1} << kReceiverBits;

// References may follow the host, so the rest of the URL is not valid yet.
std::optional<std::string> receiver_of(const Json& input) {
    const auto* const object = input.if_object();
    const auto* const url = object == nullptr ? nullptr : object->if_contains("url");
    if (url == nullptr || !url->is_string()) return std::nullopt;
    const std::string_view text = url->get_string();
    const auto scheme = text.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    const auto parsed = parse_url(text.substr(0, text.find_first_of("/?", scheme + 3)));
    return parsed ? std::optional(authority_of(*parsed)) : std::nullopt;
}

}  // namespace

std::string receiver_queue(std::int64_t number) { return std::string(kReceiverQueues) + std::to_string(number); }

std::string receiver_queue(const Json& input) {
    const auto receiver = receiver_of(input);
    return receiver ? receiver_queue(key_of("receiver " + *receiver) % kReceivers) : kHttpQueue;
}

std::optional<std::int64_t> receiver_in(std::string_view queue) {
    if (!queue.starts_with(kReceiverQueues)) return std::nullopt;
    return parse_integer(queue.substr(kReceiverQueues.size()));
}

std::string_view without_receiver(std::string_view queue) { return receiver_in(queue) ? kHttpQueue : queue; }

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
