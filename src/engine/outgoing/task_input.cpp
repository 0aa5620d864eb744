#include "engine/outgoing/task_input.hpp"

namespace belfry::engine {

std::map<std::string, Json> run_values(const model::Task& task) {
    std::map<std::string, Json> values;
    values["id"] = task.run_id;
    values["scheduledAt"] = format_instant(task.slot.occurrence);
    values["idempotencyKey"] = task.run_key();
    values["instanceId"] = task.instance_id;
    values["scheduleName"] = task.schedule_name;
    values["tenant"] = task.tenant;
    return values;
}

Result<Json> task_input(const model::Task& task) {
    if (!task.node.empty()) return task.input;
    const auto values = run_values(task);
    return model::resolve(task.input, [&values](const model::Reference& reference) -> const Json* {
        if (reference.source != model::Reference::Source::run) return nullptr;
        const auto found = values.find(reference.name);
        return found == values.end() ? nullptr : &found->second;
    });
}

}  // namespace belfry::engine
