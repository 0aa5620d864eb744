#include "store/rules/workflow_targets.hpp"

#include "model/identity.hpp"

namespace belfry::store {

std::int64_t workflow_key(const std::string& tenant, const std::string& name) {
    // The length distinguishes ("a", "b c") from ("a b", "c").
    return model::key_of("workflow " + std::to_string(tenant.size()) + " " + tenant + " " + name);
}

decide::TargetCheck check_target(const model::Target& target, bool known, const model::WorkflowPtr& found) {
    if (found && !found->cycle.empty()) return {decide::TargetCheck::Verdict::cycle, found->cycle};
    if (!known || found) return {};
    return {decide::TargetCheck::Verdict::not_found,
            "workflow " + target.kind +
                (target.version ? " of version " + std::to_string(*target.version) : std::string())};
}

decide::TargetCheck check_waiting(model::Target target, std::int64_t version, const model::WorkflowPtr& found) {
    target.version = version;
    return check_target(target, true, found);
}

}  // namespace belfry::store
