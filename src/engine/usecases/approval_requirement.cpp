#include "engine/usecases/approval_requirement.hpp"

namespace belfry::engine {

Result<void> ApprovalRequirement::check_activation(const model::Schedule& definition,
                                                   const model::CommandContext& context) {
    if (!definition.assignee) return {};
    const auto compiled = schedules_.compile(definition);
    if (!compiled) return compiled.error();
    auto registered = store_.assignee(definition.tenant, definition.assignee->id);
    if (!registered && registered.error().code != ErrorCode::not_found) return registered.error();
    const auto assignee = registered ? std::optional(std::move(*registered)) : std::nullopt;
    if (!decide::is_unsupervised(**compiled, assignee)) return {};
    const decide::BypassAttempt attempt{.how = "activated_unsupervised"};
    auto recorded_in = definition.id;
    if (recorded_in.empty()) {
        const auto refused = schedules_.refuse(definition, attempt, context);
        if (!refused) return refused.error();
        recorded_in = refused->definition.id;
    } else if (auto recorded = runs_.record_bypass({definition.tenant, definition.id}, attempt, context); !recorded) {
        return recorded.error();
    }
    return Error{
        ErrorCode::forbidden,
        "without approval " + definition.assignee->id +
            " needs a spending limit: require approval, or set spendingLimitCredits of the assignee; the attempt is "
            "kept in the history of schedule " +
            recorded_in};
}

}  // namespace belfry::engine
