#include "model/task.hpp"

namespace belfry::model {

NodeKind kind_of_task(std::string_view task_kind) {
    if (task_kind == "http") return NodeKind::http;
    if (task_kind == "command") return NodeKind::command;
    return NodeKind::task;
}

std::string queue_of(const Target& target) {
    if (target.type == TargetType::task) {
        switch (kind_of_task(target.kind)) {
            case NodeKind::http: return kHttpQueue;
            case NodeKind::command: return kCommandQueue;
            case NodeKind::task: break;
        }
    }
    return target.queue;
}

}  // namespace belfry::model
