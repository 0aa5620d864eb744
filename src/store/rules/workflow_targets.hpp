// The workflow that a schedule starts: its key, and whether it can be dispatched. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "decide/facts.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::store {

// The key of a tenant's workflow.
[[nodiscard]] std::int64_t workflow_key(const std::string& tenant, const std::string& name);

// Whether the target can be dispatched. `known`: its workflow is, or once was, in the store.
[[nodiscard]] decide::TargetCheck check_target(const model::Target& target, bool known,
                                               const model::WorkflowPtr& found);
// The same for a run that waited for an approval: it uses the version that it waited with.
[[nodiscard]] decide::TargetCheck check_waiting(model::Target target, std::int64_t version,
                                                const model::WorkflowPtr& found);

}  // namespace belfry::store
