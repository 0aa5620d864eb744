#include "decide/walk.hpp"

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "base/json_pointer.hpp"
#include "model/identity.hpp"
#include "model/reference.hpp"
#include "model/task.hpp"

namespace belfry::decide {

using model::ExecutionStatus;
using model::FailureMode;
using model::NodeRun;
using model::NodeStatus;
using model::Workflow;
using model::WorkflowNode;

namespace {

bool is_own_queue(const std::string& queue) { return queue.starts_with(model::kOwnQueueMark); }

std::string queue_for(const WorkflowNode& node, const Workflow& workflow, const model::Schedule& definition) {
    switch (node.kind) {
        case model::NodeKind::http: return model::kHttpQueue;
        case model::NodeKind::command: return model::kCommandQueue;
        case model::NodeKind::task: break;
    }
    if (node.queue) return *node.queue;
    return workflow.queue ? *workflow.queue : definition.target.queue;
}

std::string assignee_for(const WorkflowNode& node, const model::Schedule& definition) {
    if (node.kind != model::NodeKind::task) return {};
    if (node.assignee) return *node.assignee;
    return definition.assignee ? definition.assignee->id : std::string();
}

// What references lead to.
class Sources {
public:
    Sources(const model::Schedule& definition, const RunOfWalk& run, const std::map<std::string, NodeRun>& nodes) : run_(run), nodes_(nodes) {
        of_run_["id"] = run.id;
        of_run_["scheduledAt"] = format_instant(run.slot.occurrence);
        of_run_["idempotencyKey"] = model::idempotency_key(definition.id, run.slot);
        of_run_["instanceId"] = model::instance_id(definition.name, run.slot);
        of_run_["scheduleName"] = definition.name;
        of_run_["tenant"] = definition.tenant;
    }

    [[nodiscard]] const Json* find(const model::Reference& reference) const {
        const auto* const whole = find_whole(reference);
        const auto pointer = JsonPointer::parse(reference.pointer);
        return whole == nullptr || !pointer ? nullptr : pointer->find(*whole);
    }

private:
    [[nodiscard]] const Json* find_whole(const model::Reference& reference) const {
        switch (reference.source) {
            case model::Reference::Source::input: return &run_.input;
            case model::Reference::Source::run: {
                const auto found = of_run_.find(reference.name);
                return found == of_run_.end() ? nullptr : &found->second;
            }
            case model::Reference::Source::node: {
                const auto found = nodes_.find(reference.name);
                return found == nodes_.end() || found->second.status != NodeStatus::succeeded ? nullptr : &found->second.result;
            }
        }
        return nullptr;
    }

    const RunOfWalk& run_;
    const std::map<std::string, NodeRun>& nodes_;
    std::map<std::string, Json> of_run_ = {};
};

Result<NodeRun> ready_node(const WorkflowNode& node, const Workflow& workflow, const model::Schedule& definition, const Sources& sources,
                           Instant ready_at) {
    NodeRun row;
    row.node = node.id;
    row.status = NodeStatus::queued;
    row.queue = queue_for(node, workflow, definition);
    row.assignee = assignee_for(node, definition);
    row.ready_at = ready_at;
    row.timeout = node.timeout ? node.timeout : definition.retry.timeout;
    auto input = model::resolve(node.input, [&sources](const model::Reference& reference) { return sources.find(reference); });
    if (!input) {
        auto error = input.error();
        error.message = "node " + node.id + ": " + error.message;
        return error;
    }
    row.input = std::move(*input);
    return row;
}

class Stepper {
public:
    Stepper(const model::Walk& walk, const model::Schedule& definition, const RunOfWalk& run, Instant now)
        : workflow_(*walk.workflow), definition_(definition), run_(run), now_(now) {
        for (const auto& node : walk.nodes) nodes_[node.node] = node;
    }

    Result<WalkStep> end_attempt(const std::string& name, const AttemptEnd& end) {
        const auto* const described = workflow_.find(name);
        const auto row = nodes_.find(name);
        if (described == nullptr || row == nodes_.end()) return Error{ErrorCode::corrupt, "the workflow has no node " + name};
        if (is_over(row->second.status)) return Error{ErrorCode::conflict, "node " + name + " is already over"};
        auto node = row->second;
        node.category = category_of(end);
        node.error = storable(end.error);
        if (end.status == ExecutionStatus::succeeded) {
            succeed(std::move(node), end.result);
        } else if (end.status == ExecutionStatus::failed || end.status == ExecutionStatus::timed_out) {
            fail(*described, std::move(node), end);
        } else {
            return invalid("a node does not end as " + std::string(name_of(end.status)));
        }
        judge();
        return std::move(step_);
    }

private:
    void put(NodeRun node) {
        const auto same = std::ranges::find(step_.changed, node.node, &NodeRun::node);
        if (same != step_.changed.end()) {
            *same = node;
        } else {
            step_.changed.push_back(node);
        }
        auto name = node.node;
        nodes_.insert_or_assign(std::move(name), std::move(node));
    }

    void tell(const char* type, const std::string& node, boost::json::object payload = {}) {
        step_.events.push_back({.type = type, .at = now_, .node = node, .payload = std::move(payload)});
    }

    void succeed(NodeRun node, const Json& result) {
        const auto name = node.node;
        node.status = NodeStatus::succeeded;
        node.completed_at = now_;
        node.result = result;
        node.category.reset();
        tell("node.succeeded", name, {{"attempt", node.attempts}});
        put(std::move(node));
        // What failed without a run of its own may skip others, so the list is read from the workflow, not from a copy.
        for (const auto& next : workflow_.nodes) {
            const auto& before = next.depends_on;
            if (std::ranges::find(before, name) != before.end() && !nodes_.contains(next.id) && all_succeeded(before)) begin(next);
        }
    }

    [[nodiscard]] bool all_succeeded(const std::vector<std::string>& names) const {
        return std::ranges::all_of(names, [this](const std::string& name) {
            const auto found = nodes_.find(name);
            return found != nodes_.end() && found->second.status == NodeStatus::succeeded;
        });
    }

    void begin(const WorkflowNode& described) {
        if (halted_) return;
        const Sources sources(definition_, run_, nodes_);
        auto node = ready_node(described, workflow_, definition_, sources, now_);
        if (node) {
            tell("node.ready", described.id);
            return put(std::move(*node));
        }
        // Nobody can do it: what it was promised is not there, and will not be.
        NodeRun failed;
        failed.node = described.id;
        failed.ready_at = now_;
        failed.category = model::FailureCategory::contract_violated;
        failed.error = node.error().message;
        tell("node.failed", described.id, failure_json(failed, std::nullopt));
        give_up(std::move(failed), NodeStatus::failed);
    }

    static boost::json::object failure_json(const NodeRun& node, const std::optional<Instant>& retry_at) {
        return {{"attempt", node.attempts},
                {"cause", node.category ? Json(name_of(*node.category)) : Json(nullptr)},
                {"error", node.error},
                {"retryAt", retry_at ? Json(format_instant(*retry_at)) : Json(nullptr)}};
    }

    void fail(const WorkflowNode& described, NodeRun node, const AttemptEnd& end) {
        const auto& policy = described.retry ? *described.retry : definition_.retry;
        const auto retry = retry_at(policy, run_.id + "/" + node.node, node.attempts - node.attempts_before, end, now_);
        tell("node.failed", node.node, failure_json(node, retry));
        if (retry) {
            node.status = NodeStatus::queued;
            node.ready_at = *retry;
            return put(std::move(node));
        }
        const auto& fallback = definition_.failure.fallback_assignee_id;
        const bool reassigned = node.attempts_before > 0;
        if (definition_.failure.mode == FailureMode::fallback && fallback && !reassigned && !is_own_queue(node.queue)) {
            node.status = NodeStatus::queued;
            node.attempts_before = node.attempts;
            node.assignee = *fallback;
            node.ready_at = now_;
            tell("node.reassigned", node.node, {{"assignee", *fallback}});
            return put(std::move(node));
        }
        give_up(std::move(node), end.status == ExecutionStatus::timed_out ? NodeStatus::timed_out : NodeStatus::failed);
    }

    void give_up(NodeRun node, NodeStatus status) {
        const auto name = node.node;
        node.status = status;
        node.completed_at = now_;
        put(std::move(node));
        if (definition_.failure.mode == FailureMode::halt) {
            halted_ = true;
            return;
        }
        skip_after(name);
    }

    void skip_after(const std::string& name) {
        for (const auto& next : workflow_.nodes) {
            if (nodes_.contains(next.id) || std::ranges::find(next.depends_on, name) == next.depends_on.end()) continue;
            NodeRun skipped;
            skipped.node = next.id;
            skipped.status = NodeStatus::skipped;
            skipped.ready_at = now_;
            skipped.completed_at = now_;
            skipped.error = "node " + name + " did not succeed";
            tell("node.skipped", next.id, {{"because", name}});
            put(std::move(skipped));
            skip_after(next.id);
        }
    }

    // Whether the run is over, and how it went.
    void judge() {
        std::vector<const NodeRun*> broken;
        bool goes_on = false;
        for (const auto& described : workflow_.nodes) {
            const auto found = nodes_.find(described.id);
            if (found == nodes_.end()) {
                goes_on = true;  // something before it is still to come, or it would have been skipped
            } else if (!is_over(found->second.status)) {
                goes_on = true;
            } else if (found->second.status == NodeStatus::failed || found->second.status == NodeStatus::timed_out) {
                broken.push_back(&found->second);
            }
        }
        if (halted_) {
            cancel_rest();
        } else if (goes_on) {
            return;
        }
        if (broken.empty()) {
            step_.over = WalkVerdict{ExecutionStatus::succeeded, result()};
            return;
        }
        const bool late = std::ranges::all_of(broken, [](const NodeRun* node) { return node->status == NodeStatus::timed_out; });
        std::string error;
        for (const auto* const node : broken) error += (error.empty() ? "node " : "; node ") + node->node + ": " + reason(*node);
        step_.over = WalkVerdict{late ? ExecutionStatus::timed_out : ExecutionStatus::failed, nullptr, std::move(error)};
    }

    static std::string reason(const NodeRun& node) {
        if (!node.error.empty()) return node.error;
        return node.category ? std::string(name_of(*node.category)) : std::string(name_of(node.status));
    }

    void cancel_rest() {
        std::vector<NodeRun> open;
        for (const auto& [name, node] : nodes_) {
            if (!is_over(node.status)) open.push_back(node);
        }
        for (auto& node : open) {
            node.status = NodeStatus::cancelled;
            node.completed_at = now_;
            node.error = "the run was halted";
            put(std::move(node));
        }
    }

    // What came out of the nodes that nothing depends on: of a single one, just that.
    [[nodiscard]] Json result() const {
        std::vector<const NodeRun*> last;
        for (const auto& described : workflow_.nodes) {
            const bool needed = std::ranges::any_of(workflow_.nodes, [&](const WorkflowNode& other) {
                return std::ranges::find(other.depends_on, described.id) != other.depends_on.end();
            });
            if (!needed) last.push_back(&nodes_.at(described.id));
        }
        if (last.size() == 1) return last.front()->result;
        boost::json::object all;
        for (const auto* const node : last) all[node->node] = node->result;
        return boost::json::object{{"nodes", std::move(all)}};
    }

    const Workflow& workflow_;
    const model::Schedule& definition_;
    const RunOfWalk& run_;
    Instant now_;
    std::map<std::string, NodeRun> nodes_ = {};
    WalkStep step_ = {};
    bool halted_ = false;
};

}  // namespace

Result<std::vector<NodeRun>> begin_walk(const Workflow& workflow, const model::Schedule& definition, const RunOfWalk& run, Instant now) {
    const std::map<std::string, NodeRun> none;
    const Sources sources(definition, run, none);
    std::vector<NodeRun> nodes;
    for (const auto& node : workflow.nodes) {
        if (!node.depends_on.empty()) continue;
        auto ready = ready_node(node, workflow, definition, sources, std::max(now, run.ready_at));
        if (!ready) return ready.error();
        nodes.push_back(std::move(*ready));
    }
    if (nodes.empty()) return Error{ErrorCode::invalid_argument, "workflow " + workflow.name + " has no node to begin with"};
    return nodes;
}

Result<WalkStep> step_walk(const model::Walk& walk, const model::Schedule& definition, const RunOfWalk& run, const std::string& node,
                           const AttemptEnd& end, Instant now) {
    return Stepper(walk, definition, run, now).end_attempt(node, end);
}

}  // namespace belfry::decide
