// Where the durable dialect stores members that the model does not have, and the names that it spells differently.
// Pure.
#pragma once

#include <string_view>

namespace belfry::api::durable {

// In the metadata of a target, which reaches every task.
inline constexpr const char* kWorkflowClassKey = "workflow_class";
inline constexpr const char* kExecutionTimeoutKey = "execution_timeout_seconds";

[[nodiscard]] constexpr std::string_view reason_text(std::string_view native) {
    return native == "overlap_in_flight" ? std::string_view("overlap_policy_skip") : native;
}

}  // namespace belfry::api::durable
