#include <algorithm>
#include <iterator>

#include "api/schedule_dto.hpp"
#include "api/shape.hpp"
#include "base/json_pointer.hpp"
#include "base/url.hpp"
#include "model/own_task.hpp"
#include "model/task.hpp"

namespace belfry::api {

namespace {

void check_keys(const std::map<std::string, std::string>& texts, const std::string& field, std::vector<Error>& errors) {
    for (const auto& [key, value] : texts) {
        if (auto error = check_name(key)) errors.push_back(in_field(*error, field + pointer_step(key)));
    }
}

void check_input(const Json& input, const std::string& field, std::size_t most, std::vector<Error>& errors) {
    const auto size = to_text(input).size();
    if (size <= most) return;
    errors.push_back(in_field(invalid("has " + std::to_string(size) + " bytes; use at most " + std::to_string(most)), field));
}

}  // namespace

std::optional<Error> check_failure(const model::FailurePolicy& failure) {
    if (failure.mode != model::FailureMode::fallback || failure.fallback_assignee_id) return std::nullopt;
    return in_field(invalid("mode fallback needs to know whom to fall back to; add it"), "/failurePolicy/fallbackAssigneeId");
}

std::vector<Error> check_schedule(const model::Schedule& schedule, std::size_t input_max) {
    std::vector<Error> errors;
    check_keys(schedule.labels, "/labels", errors);
    check_keys(schedule.target.metadata, "/target/metadata", errors);
    check_input(schedule.target.input, "/target/input", input_max, errors);
    check_input(schedule.inputs_template, "/inputsTemplate", input_max, errors);
    for (std::size_t i = 0; i < schedule.inputs_rotation.size(); ++i) {
        check_input(schedule.inputs_rotation[i], "/inputsRotation/" + std::to_string(i), input_max, errors);
    }
    if (schedule.target.queue.starts_with(model::kOwnQueueMark)) {
        errors.push_back(in_field(invalid("queues that begin with @ are the server's own; choose another name"), "/target/queue"));
    }
    std::ranges::move(model::check_own_task(schedule), std::back_inserter(errors));
    if (auto error = check_failure(schedule.failure)) errors.push_back(std::move(*error));
    if (schedule.signal) {
        if (const auto url = parse_url(schedule.signal->url); !url) errors.push_back(in_field(invalid(url.error().message), "/signal/url"));
    }
    return errors;
}

}  // namespace belfry::api
