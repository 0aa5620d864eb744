#include "decide/run/workflow_run.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "decide/approval/gate.hpp"
#include "decide/facts.hpp"
#include "model/identity.hpp"
#include "model/run/run_key.hpp"
#include "model/run/task.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::decide {

using model::ExecutionStatus;
using model::FailureMode;
using model::NodeRun;
using model::NodeStatus;
using model::Workflow;
using model::WorkflowNode;

namespace {

constexpr std::size_t kFailuresTold = 5;  // in the error of a run

bool is_own_queue(const std::string& queue) { return queue.starts_with(model::kOwnQueueMark); }

std::string assignee_for(const WorkflowNode& node, const model::Schedule& definition) {
    if (node.kind != model::NodeKind::task) return {};
    if (node.assignee) return *node.assignee;
    return definition.assignee ? definition.assignee->id : std::string();
}

std::optional<std::chrono::milliseconds> timeout_for(const WorkflowNode& node, const model::Schedule& definition) {
    if (node.timeout) return node.timeout;
    return node.retry && node.retry->timeout ? node.retry->timeout : definition.retry.timeout;
}

// The nodes of a run by name, as pointers: a run may have many large results, and a step changes few of them.
using Rows = std::map<std::string, const NodeRun*, std::less<>>;

const NodeRun* find_row(const Rows& rows, std::string_view name) {
    const auto found = rows.find(name);
    return found == rows.end() ? nullptr : found->second;
}

bool has_succeeded(const Rows& rows, std::string_view name) {
    const auto* const row = find_row(rows, name);
    return row != nullptr && row->status == NodeStatus::succeeded;
}

// The values of references.
class Sources {
public:
    Sources(const model::Schedule& definition, const WorkflowRunContext& run, const Rows& nodes)
        : run_(run), nodes_(nodes) {
        of_run_["id"] = run.id;
        of_run_["scheduledAt"] = format_instant(run.slot.occurrence);
        of_run_["idempotencyKey"] = model::idempotency_key(definition, run.slot);
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
            case model::Reference::Source::node:
                return has_succeeded(nodes_, reference.name) ? &find_row(nodes_, reference.name)->result : nullptr;
        }
        return nullptr;
    }

    const WorkflowRunContext& run_;
    const Rows& nodes_;
    std::map<std::string, Json> of_run_ = {};
};

Result<NodeRun> ready_node(const WorkflowNode& node, const Workflow& workflow, const model::Schedule& definition,
                           const Sources& sources, const std::string& default_connection, Instant ready_at) {
    NodeRun row;
    row.node = node.id;
    row.status = NodeStatus::queued;
    row.queue = model::queue_for({&node, definition.target, &workflow}, default_connection);
    if (!is_own_queue(row.queue)) row.assignee = assignee_for(node, definition);
    row.ready_at = ready_at;
    row.timeout = timeout_for(node, definition);
    auto input =
        model::resolve(node.input, [&sources](const model::Reference& reference) { return sources.find(reference); });
    if (!input) return invalid("input" + input.error().field + ": " + input.error().message);
    row.input = std::move(*input);
    return row;
}

class WorkflowStepper {
public:
    WorkflowStepper(const model::WorkflowRun& workflow_run, const model::Schedule& definition,
                    const WorkflowRunContext& run, Instant now)
        : workflow_(*workflow_run.workflow),
          definition_(definition),
          run_(run),
          policy_(stricter_of(definition.approval, run.approval)),
          now_(now) {
        for (const auto& node : workflow_run.nodes) nodes_.emplace(node.node, &node);
    }

    Result<WorkflowStep> end_attempt(const std::string& name, const AttemptEnd& end) {
        const auto* const described = workflow_.find(name);
        const auto* const row = find_row(nodes_, name);
        if (described == nullptr || row == nullptr)
            return Error{ErrorCode::corrupt, "the workflow has no node " + name};
        if (is_over(row->status)) return Error{ErrorCode::conflict, "node " + name + " has already ended"};
        if (row->status == NodeStatus::awaiting_approval)
            return Error{ErrorCode::conflict, "node " + name + " waits for approval"};
        auto node = *row;
        node.category = category_of(end);
        node.error = storable(end.error);
        if (end.put_back || is_redelivered(definition_.worker_lost, node.redeliveries, end)) {
            auto [task, event, payload] = decide::put_back(std::move(node), end, now_);
            tell(event.c_str(), name, std::move(payload));
            put(std::move(task));
        } else if (end.status == ExecutionStatus::succeeded) {
            succeed(std::move(node), end.result);
        } else if (end.status == ExecutionStatus::failed || end.status == ExecutionStatus::timed_out) {
            fail(*described, std::move(node), end);
        } else {
            return invalid("a node does not end as " + std::string(name_of(end.status)));
        }
        return finish();
    }

    Result<WorkflowStep> settle(const std::string& name, const std::string& refusal) {
        const auto* const row = find_row(nodes_, name);
        if (row == nullptr || row->status != NodeStatus::awaiting_approval) {
            return Error{ErrorCode::conflict, "node " + name + " does not wait for approval"};
        }
        auto node = *row;
        const bool blocked = node.attempts > 0;
        if (refusal.empty()) {
            if (blocked) node.attempts_before = node.attempts;
            node.status = NodeStatus::queued;
            node.ready_at = std::max(now_, node.ready_at);
            tell("node.ready", name);
            put(std::move(node));
            return finish();
        }
        // A rejected blocked node keeps its earlier failure.
        const bool late = blocked && node.category == model::FailureCategory::timeout;
        node.error = blocked && !node.error.empty() ? node.error + " (" + refusal + ")" : refusal;
        tell("node.failed", name, failure_json(node, std::nullopt));
        give_up(std::move(node), late ? NodeStatus::timed_out : NodeStatus::failed);
        return finish();
    }

private:
    WorkflowStep finish() {
        judge();
        step_.changed.assign(std::make_move_iterator(made_.begin()), std::make_move_iterator(made_.end()));
        return std::move(step_);
    }

    // The node has no task, so no worker can claim it.
    void wait(const WorkflowNode& described, NodeRun node, model::ApprovalWhy why) {
        node.status = NodeStatus::awaiting_approval;
        const auto& asked = step_.asks.emplace_back(ask(
            policy_,
            {.run_id = run_.id, .node = node.node, .attempts = node.attempts, .action = described.action, .why = why},
            now_));
        step_.events.push_back(requested_event(asked));
        put(std::move(node));
    }

    void put(NodeRun node) {
        const auto same = std::ranges::find(made_, node.node, &NodeRun::node);
        if (same != made_.end()) {
            *same = std::move(node);
            return;
        }
        const auto& kept = made_.emplace_back(std::move(node));
        nodes_.insert_or_assign(kept.node, &kept);
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
        // begin() may fail a node and skip others, so this reads the workflow and not a copy.
        for (const auto& next : workflow_.nodes) {
            const auto& before = next.depends_on;
            if (std::ranges::find(before, name) != before.end() && !nodes_.contains(next.id) && all_succeeded(before))
                begin(next);
        }
    }

    [[nodiscard]] bool all_succeeded(const std::vector<std::string>& names) const {
        return std::ranges::all_of(names, [this](const std::string& name) { return has_succeeded(nodes_, name); });
    }

    void begin(const WorkflowNode& described) {
        if (halted_) return;
        const Sources sources(definition_, run_, nodes_);
        auto node = ready_node(described, workflow_, definition_, sources, run_.default_connection, now_);
        if (node) {
            if (const auto why = gate_of(policy_, described.action)) return wait(described, std::move(*node), *why);
            tell("node.ready", described.id);
            return put(std::move(*node));
        }
        // No worker can do it: a referenced value does not exist and never will.
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
        auto payload = failure_json(node, retry);
        if (end.limit) payload["limit"] = to_json(*end.limit);
        tell("node.failed", node.node, std::move(payload));
        if (retry) {
            node.status = NodeStatus::queued;
            node.ready_at = *retry;
            return put(std::move(node));
        }
        const auto& fallback = definition_.failure.fallback_assignee_id;
        const bool reassigned = fallback && node.assignee == *fallback;
        if (definition_.failure.mode == FailureMode::fallback && fallback && !reassigned && !end.final &&
            !is_own_queue(node.queue)) {
            node.status = NodeStatus::queued;
            node.attempts_before = node.attempts;
            node.assignee = *fallback;
            node.ready_at = now_;
            tell("node.reassigned", node.node, {{"assignee", *fallback}});
            return put(std::move(node));
        }
        if (asks_on_block(policy_)) return wait(described, std::move(node), model::ApprovalWhy::blocked);
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

    // Decides whether the run has ended, and how.
    void judge() {
        std::vector<const NodeRun*> broken;
        bool goes_on = false;
        for (const auto& described : workflow_.nodes) {
            const auto* const row = find_row(nodes_, described.id);
            if (row == nullptr || !is_over(row->status)) {
                goes_on = true;  // without a row, a node before it has not ended, or it would be skipped
            } else if (row->status == NodeStatus::failed || row->status == NodeStatus::timed_out) {
                broken.push_back(row);
            }
        }
        if (halted_) {
            cancel_rest();
        } else if (goes_on) {
            return;
        }
        if (broken.empty()) {
            step_.over = WorkflowRunVerdict{ExecutionStatus::succeeded, result()};
            return;
        }
        const bool late =
            std::ranges::all_of(broken, [](const NodeRun* node) { return node->status == NodeStatus::timed_out; });
        step_.over =
            WorkflowRunVerdict{late ? ExecutionStatus::timed_out : ExecutionStatus::failed, nullptr, error_of(broken)};
    }

    static std::string error_of(const std::vector<const NodeRun*>& broken) {
        std::string error;
        for (std::size_t i = 0; i < std::min(broken.size(), kFailuresTold); ++i) {
            const auto why = reason(*broken[i]);
            const auto start = whole_characters(why, kLastErrorMax);
            error += (error.empty() ? "node " : "; node ") + broken[i]->node + ": " + std::string(start) +
                     (start.size() < why.size() ? "…" : "");
        }
        return broken.size() <= kFailuresTold
                   ? error
                   : error + "; and " + std::to_string(broken.size() - kFailuresTold) + " more";
    }

    static std::string reason(const NodeRun& node) {
        if (!node.error.empty()) return node.error;
        return node.category ? std::string(name_of(*node.category)) : std::string(name_of(node.status));
    }

    void cancel_rest() {
        for (const auto& described : workflow_.nodes) {
            const auto* const row = find_row(nodes_, described.id);
            if (row == nullptr || is_over(row->status)) continue;
            auto node = *row;
            node.status = NodeStatus::cancelled;
            node.completed_at = now_;
            node.error = "the run was halted";
            put(std::move(node));
        }
    }

    // The results of the nodes that no other depends on; with a single one, just its result.
    [[nodiscard]] Json result() const {
        std::set<std::string_view> needed;
        for (const auto& described : workflow_.nodes)
            needed.insert(described.depends_on.begin(), described.depends_on.end());
        std::vector<const NodeRun*> last;
        for (const auto& described : workflow_.nodes) {
            if (!needed.contains(described.id)) last.push_back(find_row(nodes_, described.id));
        }
        return last.size() == 1 ? last.front()->result : together(last);
    }

    // No larger than a single node's result may be. Results that do not fit are listed in `omitted` and stay with
    // their nodes.
    [[nodiscard]] static Json together(const std::vector<const NodeRun*>& last) {
        boost::json::object all;
        boost::json::array omitted;
        std::size_t size = 0;
        for (const auto* const node : last) {
            const auto more = to_text(node->result).size();
            if (size + more > kJsonBytesMax) {
                omitted.emplace_back(node->node);
                continue;
            }
            size += more;
            all[node->node] = node->result;
        }
        boost::json::object result{{"nodes", std::move(all)}};
        if (!omitted.empty()) result["omitted"] = std::move(omitted);
        return result;
    }

    const Workflow& workflow_;
    const model::Schedule& definition_;
    const WorkflowRunContext& run_;
    const model::ApprovalPolicy policy_;
    Instant now_;
    std::deque<NodeRun> made_ = {};  // the changed nodes; a deque, so that pointers stay valid
    Rows nodes_ = {};
    WorkflowStep step_ = {};
    bool halted_ = false;
};

}  // namespace

PutBack put_back(NodeRun task, const AttemptEnd& end, Instant now) {
    task.ready_at = std::min(task.ready_at, now);  // so that a clock that was set back does not delay it
    task.status = NodeStatus::queued;
    task.attempts_before += 1;
    task.error = storable(end.error);
    task.category.reset();
    PutBack back{std::move(task), "node.put_back", {}};
    back.payload = {{"attempt", back.task.attempts}, {"reason", back.task.error}};
    if (!end.worker_lost) return back;
    back.task.redeliveries += 1;
    back.event = kRedelivered;
    back.payload["redeliveries"] = back.task.redeliveries;
    return back;
}

Result<std::vector<NodeRun>> begin_workflow(const Workflow& workflow, const model::Schedule& definition,
                                            const WorkflowRunContext& run, Instant now) {
    const Rows none;
    const auto policy = stricter_of(definition.approval, run.approval);
    const Sources sources(definition, run, none);
    std::vector<NodeRun> nodes;
    for (const auto& node : workflow.nodes) {
        if (!node.depends_on.empty()) continue;
        auto ready =
            ready_node(node, workflow, definition, sources, run.default_connection, std::max(now, run.ready_at));
        if (!ready) return invalid("node " + node.id + ": " + ready.error().message);
        if (gate_of(policy, node.action)) ready->status = NodeStatus::awaiting_approval;
        nodes.push_back(std::move(*ready));
    }
    if (nodes.empty())
        return Error{ErrorCode::invalid_argument,
                     "workflow " + workflow.name + " has no node without dependencies to start with"};
    return nodes;
}

Result<WorkflowStep> step_workflow(const model::WorkflowRun& workflow_run, const model::Schedule& definition,
                                   const WorkflowRunContext& run, const std::string& node, const AttemptEnd& end,
                                   Instant now) {
    return WorkflowStepper(workflow_run, definition, run, now).end_attempt(node, end);
}

Result<WorkflowStep> resolve_node(const model::WorkflowRun& workflow_run, const model::Schedule& definition,
                                  const WorkflowRunContext& run, const std::string& node, const std::string& refusal,
                                  Instant now) {
    return WorkflowStepper(workflow_run, definition, run, now).settle(node, refusal);
}

}  // namespace belfry::decide
