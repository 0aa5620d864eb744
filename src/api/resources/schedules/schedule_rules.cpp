#include <algorithm>
#include <iterator>

#include "api/contract/shape.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "base/net/url.hpp"
#include "base/text/control_characters.hpp"
#include "base/text/json_pointer.hpp"
#include "model/run/own_task.hpp"
#include "model/run/task.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

void check_keys(const std::map<std::string, std::string>& texts, const std::string& field, std::vector<Error>& errors) {
    for (const auto& [key, value] : texts) {
        if (auto error = check_name(key)) errors.push_back(in_field(*error, field + pointer_step(key)));
    }
}

void check_input(const Json& input, const std::string& field, std::size_t most, std::vector<Error>& errors) {
    if (auto error = check_input_size(input, field, most)) errors.push_back(std::move(*error));
}

struct LargestMember {
    std::string pointer = {};
    std::string path = {};  // the same as people write it: `target.metadata`
    std::size_t bytes = 0;
};

// Where to shorten a definition: its largest member, and inside of that one as long as a single member has most of the
// whole.
LargestMember largest_member(const Json& definition, std::size_t size) {
    constexpr int kDepthMax = 3;
    LargestMember found;
    const auto* at = &definition;
    for (int depth = 0; depth < kDepthMax && at->is_object(); ++depth) {
        const Json* largest = nullptr;
        std::string name;
        std::size_t bytes = 0;
        for (const auto& member : at->get_object()) {
            const auto own = to_text(member.value()).size();
            if (own <= bytes) continue;
            largest = &member.value();
            name = member.key();
            bytes = own;
        }
        if (largest == nullptr || (depth > 0 && 2 * bytes < size)) break;
        found = {found.pointer + pointer_step(name), found.path.empty() ? name : found.path + "." + name, bytes};
        at = largest;
    }
    return found;
}

}  // namespace

std::optional<Error> check_input_size(const Json& input, const std::string& field, std::size_t input_max) {
    const auto size = to_text(input).size();
    if (size <= input_max) return std::nullopt;
    return in_field(invalid("has " + std::to_string(size) + " bytes; use at most " + std::to_string(input_max)), field);
}

std::optional<Error> check_definition_size(const Json& definition, std::size_t definition_max) {
    const auto size = to_text(definition).size();
    if (size <= definition_max) return std::nullopt;
    const auto largest = largest_member(definition, size);
    const auto shorten = largest.path.empty() ? std::string()
                                              : ": shorten " + largest.path + ", which has " +
                                                    std::to_string(largest.bytes) + " of them";
    return in_field(invalid("the definition has " + std::to_string(size) + " bytes; use at most " +
                            std::to_string(definition_max) + shorten + ", or let the operator raise definition_max"),
                    largest.pointer);
}

std::optional<Error> check_failure(const model::FailurePolicy& failure) {
    if (failure.mode != model::FailureMode::fallback || failure.fallback_assignee_id) return std::nullopt;
    return in_field(invalid("mode fallback needs a fallback assignee; add fallbackAssigneeId"),
                    "/failurePolicy/fallbackAssigneeId");
}

std::vector<Error> check_schedule(const model::Schedule& schedule, const ScheduleLimits& limits) {
    const auto input_max = limits.input_max;
    std::vector<Error> errors;
    check_keys(schedule.labels, "/labels", errors);
    for (const auto& [key, value] : schedule.labels) {
        if (auto error = control_error(value)) errors.push_back(in_field(*error, "/labels" + pointer_step(key)));
    }
    check_keys(schedule.target.metadata, "/target/metadata", errors);
    check_input(schedule.target.input, "/target/input", input_max, errors);
    check_input(schedule.inputs_template, "/inputsTemplate", input_max, errors);
    for (std::size_t i = 0; i < schedule.inputs_rotation.size(); ++i) {
        check_input(schedule.inputs_rotation[i], "/inputsRotation/" + std::to_string(i), input_max, errors);
    }
    if (schedule.target.queue.starts_with(model::kOwnQueueMark)) {
        errors.push_back(in_field(invalid("queues that begin with @ are reserved for the server; choose another name"),
                                  "/target/queue"));
    }
    std::ranges::move(model::check_own_task(schedule), std::back_inserter(errors));
    if (auto error = check_failure(schedule.failure)) errors.push_back(std::move(*error));
    if (schedule.signal) {
        if (const auto url = parse_url(schedule.signal->url); !url)
            errors.push_back(in_field(invalid(url.error().message), "/signal/url"));
    }
    // Skip the check of the total size if a member is already reported as too large.
    if (!errors.empty()) return errors;
    if (auto error = check_definition_size(model::to_json(schedule), limits.definition_max))
        errors.push_back(std::move(*error));
    return errors;
}

Result<model::Schedule> checked_schedule(Result<model::Schedule> schedule, const ScheduleLimits& limits) {
    if (!schedule) return schedule;
    if (auto errors = check_schedule(*schedule, limits); !errors.empty()) return combine_errors(std::move(errors));
    return schedule;
}

}  // namespace belfry::api
