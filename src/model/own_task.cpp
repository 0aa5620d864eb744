#include "model/own_task.hpp"

#include "model/http_node.hpp"
#include "model/reference.hpp"
#include "model/task.hpp"

namespace belfry::model {

namespace {

void check_references(const Json& input, const std::string& field, Errors& errors) {
    const auto found = placed_references_in(input);
    if (!found) return errors.push_back(in_field(found.error(), field));
    for (const auto& [reference, place] : *found) {
        if (reference.source == Reference::Source::run) continue;
        errors.push_back(
            in_field(invalid(text_of(reference) + ": the input of a task can refer to its run only, as in ${run.scheduledAt}"), field + place));
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
    // Without an input of its own, it has to have the others.
    const bool has_others = !schedule.inputs_rotation.empty() || !schedule.inputs_template.is_null();
    if (!schedule.target.input.is_null() || !has_others) check_one(kind, schedule.target.input, "/target/input", errors);
    return errors;
}

}  // namespace belfry::model
