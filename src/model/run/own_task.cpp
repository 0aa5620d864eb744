#include "model/run/own_task.hpp"

#include "model/run/http_node.hpp"
#include "model/run/task.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::model {

namespace {

void check_references(const Json& input, const std::string& field, Errors& errors) {
    const auto found = placed_references_in(input);
    if (!found) return errors.push_back(in_field(found.error(), field));
    for (const auto& [reference, place] : *found) {
        if (reference.source == Reference::Source::run) continue;
        errors.push_back(in_field(
            invalid(text_of(reference) + ": the input of a task can refer only to its run, as in ${run.scheduledAt}"),
            field + place));
    }
}

void check_one(NodeKind kind, const Json& input, const std::string& field, Errors& errors) {
    for (auto& error : kind == NodeKind::http ? check_http_input(input) : check_command_input(input)) {
        errors.push_back(in_field(std::move(error), field));
    }
    check_references(input, field, errors);
}

}  // namespace

Errors check_own_task(const Schedule& schedule) {
    if (schedule.target.type != TargetType::task) return {};
    const auto kind = kind_of_task(schedule.target.kind);
    if (kind == NodeKind::task) return {};
    Errors errors;
    for (std::size_t i = 0; i < schedule.inputs_rotation.size(); ++i) {
        check_one(kind, schedule.inputs_rotation[i], "/inputsRotation/" + std::to_string(i), errors);
    }
    if (!schedule.inputs_template.is_null()) check_one(kind, schedule.inputs_template, "/inputsTemplate", errors);
    // The target's own input is optional if there is a rotation or a template.
    const bool has_others = !schedule.inputs_rotation.empty() || !schedule.inputs_template.is_null();
    if (!schedule.target.input.is_null() || !has_others)
        check_one(kind, schedule.target.input, "/target/input", errors);
    return errors;
}

Errors check_inputs(const Schedule& schedule, NodeKind kind, const CheckInput& check) {
    if (schedule.target.type != TargetType::task || kind_of_task(schedule.target.kind) != kind) return {};
    Errors errors;
    const auto add = [&](const Json& input, const std::string& field) {
        if (auto error = check(input)) errors.push_back(in_field(std::move(*error), field));
    };
    add(schedule.target.input, "/target/input");
    add(schedule.inputs_template, "/inputsTemplate");
    for (std::size_t i = 0; i < schedule.inputs_rotation.size(); ++i)
        add(schedule.inputs_rotation[i], "/inputsRotation/" + std::to_string(i));
    return errors;
}

}  // namespace belfry::model
