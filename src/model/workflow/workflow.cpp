#include "model/workflow/workflow.hpp"

#include <algorithm>
#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kNodeKindNames{EnumName{NodeKind::task, "task"}, EnumName{NodeKind::http, "http"},
                                    EnumName{NodeKind::command, "command"}};

}  // namespace

std::string_view name_of(NodeKind kind) { return canonical_name<NodeKind>(kNodeKindNames, kind); }
Result<NodeKind> parse_node_kind(std::string_view text) { return parse_name<NodeKind>(kNodeKindNames, "kind", text); }

const WorkflowNode* Workflow::find(std::string_view node) const {
    const auto found = std::ranges::find(nodes, node, &WorkflowNode::id);
    return found == nodes.end() ? nullptr : &*found;
}

}  // namespace belfry::model
