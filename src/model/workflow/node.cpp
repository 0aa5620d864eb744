#include "model/workflow/node.hpp"

#include <algorithm>
#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kNodeStatusNames{EnumName{NodeStatus::waiting, "waiting"},
                                      EnumName{NodeStatus::queued, "queued"},
                                      EnumName{NodeStatus::running, "running"},
                                      EnumName{NodeStatus::succeeded, "succeeded"},
                                      EnumName{NodeStatus::failed, "failed"},
                                      EnumName{NodeStatus::timed_out, "timed_out"},
                                      EnumName{NodeStatus::cancelled, "cancelled"},
                                      EnumName{NodeStatus::skipped, "skipped"},
                                      EnumName{NodeStatus::awaiting_approval, "awaiting_approval"}};

}  // namespace

std::string_view name_of(NodeStatus status) { return canonical_name<NodeStatus>(kNodeStatusNames, status); }

const NodeRun* WorkflowRun::find(std::string_view node) const {
    const auto found = std::ranges::find(nodes, node, &NodeRun::node);
    return found == nodes.end() ? nullptr : &*found;
}

}  // namespace belfry::model
