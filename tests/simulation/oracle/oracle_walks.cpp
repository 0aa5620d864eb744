#include "simulation/oracle/oracle_walks.hpp"

#include <algorithm>
#include <set>

#include "simulation/oracle/oracle.hpp"
#include "simulation/sim_workflows.hpp"

namespace belfry::sim {

using model::ExecutionStatus;
using model::FailureMode;
using model::NodeStatus;

namespace {

bool broke(NodeStatus status) { return status == NodeStatus::failed || status == NodeStatus::timed_out; }

const model::RetryPolicy& retry_of(const model::WorkflowNode& node, const model::Schedule& definition) {
    return node.retry ? *node.retry : definition.retry;
}

std::optional<std::chrono::milliseconds> timeout_of(const model::WorkflowNode& node,
                                                    const model::Schedule& definition) {
    if (node.timeout) return node.timeout;
    return node.retry && node.retry->timeout ? node.retry->timeout : definition.retry.timeout;
}

std::string assignee_of(const model::WorkflowNode& node, const model::Schedule& definition) {
    if (node.assignee) return *node.assignee;
    return definition.assignee ? definition.assignee->id : std::string();
}

// Of a task that a broker has.
bool is_receipt(const Json& result) { return result.is_object() && result.get_object().contains("connection"); }

bool is_retried(const model::RetryPolicy& policy, int tries, const decide::AttemptEnd& end) {
    if (end.final || tries > policy.max_retries) return false;
    if (policy.retry_on.empty()) return true;
    const auto category = end.status == ExecutionStatus::timed_out ? model::FailureCategory::timeout : end.category;
    return category && std::ranges::find(policy.retry_on, *category) != policy.retry_on.end();
}

bool is_gated(const model::ApprovalPolicy& policy, const std::string& action) {
    if (policy.mode == model::ApprovalMode::every_node) return true;
    if (policy.mode == model::ApprovalMode::sensitive_actions && action == "spend")
        return true;  // of the actions that are drawn
    return std::ranges::find(policy.gates, action) != policy.gates.end();
}

// What simulated workflows give to a node: its name, and of some dependencies what they answered under `of`.
Json input_of(const model::WorkflowNode& described, const SeenWorkflowRun& walk) {
    boost::json::object input;
    for (const auto& [key, value] : described.input.as_object()) {
        input[key] = key == "node" ? value : walk.nodes.at(std::string(key)).row.result.as_object().at("of");
    }
    return input;
}

Json result_of(const SeenWorkflowRun& walk) {
    std::set<std::string> needed;
    for (const auto& node : walk.workflow->nodes) needed.insert(node.depends_on.begin(), node.depends_on.end());
    boost::json::object last;
    for (const auto& node : walk.workflow->nodes) {
        if (!needed.contains(node.id)) last[node.id] = walk.nodes.at(node.id).row.result;
    }
    if (last.size() == 1) return last.begin()->value();
    return boost::json::object{{"nodes", std::move(last)}};
}

}  // namespace

struct WorkflowRunOracle::Look {
    const model::Run& row;
    const Commit& commit;
    const model::Schedule& definition;
    SeenWorkflowRun& workflow_run;
    bool by_lease = false;  // the commit ends an attempt at one of its nodes
    [[nodiscard]] bool over() const { return is_terminal(row.execution); }
};

void WorkflowRunOracle::deployed(const model::Workflow& workflow, std::int64_t version) {
    auto& newest = versions_[workflow.name];
    if (version != ++newest)
        breach_(17, workflow.name + " was deployed as version " + std::to_string(version) + ", which is not the next");
    removed_[workflow.name] = false;
    const bool walked = std::ranges::any_of(walks_, [&](const auto& each) {
        return each.second.ended.empty() && each.second.workflow->name == workflow.name;
    });
    if (walked) coverage_.see(Sight::redeployed_while_walked);
}

void WorkflowRunOracle::removed(const std::string& name) {
    removed_[name] = true;
    const bool walked = std::ranges::any_of(
        walks_, [&](const auto& each) { return each.second.ended.empty() && each.second.workflow->name == name; });
    if (walked) coverage_.see(Sight::removed_while_walked);
}

bool WorkflowRunOracle::is_removed(const std::string& name) const {
    const auto found = removed_.find(name);
    return found != removed_.end() && found->second;
}

const SeenLease* WorkflowRunOracle::find_lease(const model::LeaseRef& lease) const {
    const auto walk = walks_.find(lease.run_id);
    if (walk == walks_.end()) return nullptr;
    const auto node = walk->second.nodes.find(lease.node);
    if (node == walk->second.nodes.end() || !node->second.lease || node->second.lease->attempt != lease.attempt)
        return nullptr;
    return &*node->second.lease;
}

SeenLease* WorkflowRunOracle::find_lease(const model::LeaseRef& lease) {
    return const_cast<SeenLease*>(std::as_const(*this).find_lease(lease));
}

void WorkflowRunOracle::take(const model::Run& row, const Commit& commit, const model::Schedule& definition) {
    if (versions_.empty()) return;
    const bool is_new = !walks_.contains(row.id);
    if (row.execution == ExecutionStatus::awaiting_approval) {
        if (const auto newest = versions_.find(definition.target.kind); newest != versions_.end())
            awaited_.emplace(row.id, newest->second);
    }
    if (is_new && row.execution != ExecutionStatus::queued) return;
    const auto stored = database_.workflow_run("default", row.id);
    if (!stored || !stored->workflow) {
        if (!is_new) breach_(17, row.id + " has lost its walk");
        return;
    }
    const Look look{row, commit, definition, walks_[row.id], commit.lease && commit.lease->run_id == row.id};
    auto& walk = look.workflow_run;
    if (is_new) {
        walk.workflow = stored->workflow;
        walk.deadline = stored->deadline;
        begin(look);
    }
    // One version from the beginning to the end.
    if (walk.workflow != stored->workflow && !(*walk.workflow == *stored->workflow))
        breach_(10, row.id + " walks another workflow than it began");
    if (stored->deadline != (look.over() ? std::nullopt : walk.deadline))
        breach_(10, row.id + " has another deadline than it began with");
    walk.refused = false;
    if (look.by_lease) end_attempt(look);
    for (const auto& [name, node] : walk.nodes) {
        if (stored->find(name) == nullptr) breach_(17, "node " + name + " of " + row.id + " is gone");
    }
    for (const auto& node : stored->nodes) check_change(look, node);
    for (const auto& described : walk.workflow->nodes) check_place(look, described);
    if (look.by_lease) check_end(look);
    check_verdict(look);
    read_events(row, walk);
    check_told(row.id, walk);
}

void WorkflowRunOracle::begin(const Look& look) {
    const auto& workflow = *look.workflow_run.workflow;
    if (workflow.name != look.definition.target.kind)
        breach_(10, look.row.id + " walks " + workflow.name + ", which is not its target");
    const auto awaited = awaited_.find(look.row.id);
    const auto expected = awaited != awaited_.end() ? awaited->second : versions_[workflow.name];
    if (workflow.version != expected) breach_(10, look.row.id + " begins another version than it was decided by");
}

// 9 and 11: by whoever holds it, or by the reaper once it has run out.
void WorkflowRunOracle::end_attempt(const Look& look) {
    const auto& lease = *look.commit.lease;
    const auto* const held = find_lease(lease);
    if (held == nullptr) {
        return breach_(9, "node " + lease.node + " of " + lease.run_id + " was ended by attempt " +
                              std::to_string(lease.attempt) + ", which does not hold it");
    }
    if (look.commit.expired_before) {
        coverage_.see(Sight::lease_reaped);
        if (held->deadline && held->until >= *held->deadline) coverage_.see(Sight::node_took_too_long);
        check_reaped(*held, "node " + lease.node + " of " + lease.run_id, look.commit);
    }
    auto& node = look.workflow_run.nodes.at(lease.node);
    node.lease.reset();
    const auto& end = *look.commit.end;
    node.went_back =
        end.worker_lost && look.definition.worker_lost == model::WorkerLostPolicy::redeliver && node.redeliveries < 3;
    if (node.went_back) {
        coverage_.see(Sight::redelivered);
        node.redeliveries += 1;
        node.tries[node.row.assignee] -= 1;
    } else if (end.status != ExecutionStatus::succeeded && !end.put_back) {
        node.failures += 1;
    }
}

// 10: what is over stays as it is. 9: what a worker holds changes by its word, or by the end of the run.
void WorkflowRunOracle::check_change(const Look& look, const model::NodeRun& node) {
    auto& seen = look.workflow_run.nodes[node.node];
    const auto named = [&] { return "node " + node.node + " of " + look.row.id; };
    if (is_over(seen.row.status) && !(seen.row == node)) breach_(10, named() + " was over and has changed");
    if (seen.lease && node.status != NodeStatus::running && !look.over())
        breach_(9, named() + " was taken from its worker");
    if (!seen.lease && node.status == NodeStatus::running) breach_(11, named() + " runs and nobody has claimed it");
    const bool is_new = seen.row.node.empty();
    if (is_new && node.status == NodeStatus::failed) {
        coverage_.see(Sight::contract_violated);
        seen.failures += 1;
        if (node.category != model::FailureCategory::contract_violated)
            breach_(10, named() + " failed before it was tried");
    }
    if (is_new && node.status == NodeStatus::skipped) coverage_.see(Sight::node_skipped);
    check_consent(look, seen, node);
    // Attempts are those that have ended: one that the end of its run cuts short is none.
    const int ended = seen.claims - (seen.lease && look.over() ? 1 : 0);
    const bool may_change = seen.row.node.empty() || !is_over(seen.row.status);
    if (may_change && node.attempts != ended)
        breach_(10, named() + " counts " + std::to_string(node.attempts) + " attempts of " + std::to_string(ended));
    if (look.over()) seen.lease.reset();
    seen.row = node;
}

// 22: a node that is to be approved waits from its beginning, and goes on by somebody's word alone.
void WorkflowRunOracle::check_consent(const Look& look, SeenNode& seen, const model::NodeRun& node) {
    const auto named = [&] { return "node " + node.node + " of " + look.row.id; };
    const auto* const described = look.workflow_run.workflow->find(node.node);
    const bool is_new = seen.row.node.empty();
    const bool begun = node.status == NodeStatus::queued || node.status == NodeStatus::running;
    if (is_new && begun && described != nullptr && is_gated(look.definition.approval, described->action)) {
        breach_(22, named() + " begins, and nobody was asked");
    }
    const bool waited = seen.row.status == NodeStatus::awaiting_approval;
    if (waited && look.row.execution == ExecutionStatus::succeeded)
        breach_(22, named() + " waits for approval, and its run has succeeded");
    if (!waited || node.status == seen.row.status) return;
    if (begun) {
        coverage_.see(Sight::node_approved);
        // What was blocked may be tried as often as before, by the same hands.
        if (seen.claims > 0) seen.tries[seen.row.assignee] = 0;
    } else if (broke(node.status)) {
        coverage_.see(Sight::node_refused);
        look.workflow_run.refused = true;
        seen.failures += 1;
    }
}

// 11: a node begins when, and only when, all that it depends on has succeeded.
void WorkflowRunOracle::check_place(const Look& look, const model::WorkflowNode& described) {
    const auto& walk = look.workflow_run;
    const auto found = walk.nodes.find(described.id);
    const auto status = found == walk.nodes.end() ? NodeStatus::waiting : found->second.row.status;
    const bool ready =
        std::ranges::all_of(described.depends_on, [&](const auto& before) { return walk.succeeded(before); });
    const bool lost = std::ranges::any_of(described.depends_on, [&](const auto& before) {
        const auto dependency = walk.nodes.find(before);
        return dependency != walk.nodes.end() && is_over(dependency->second.row.status) && !walk.succeeded(before);
    });
    const auto named = [&] { return "node " + described.id + " of " + look.row.id; };
    if (status == NodeStatus::skipped) {
        if (!lost) breach_(10, named() + " was skipped for nothing");
    } else if (status != NodeStatus::waiting) {
        if (!ready) breach_(11, named() + " began before what it depends on");
        if (status == NodeStatus::cancelled && !look.over())
            breach_(10, named() + " was cancelled and its run goes on");
    } else if (!look.over() && (ready || lost)) {
        breach_(15, named() + (ready ? " could begin and does not" : " can never begin and is not skipped"));
    }
}

// 10: tried again as often as allowed, then handed over once, then given up.
void WorkflowRunOracle::check_end(const Look& look) {
    const auto& lease = *look.commit.lease;
    const auto found = look.workflow_run.nodes.find(lease.node);
    const auto* const described = look.workflow_run.workflow->find(lease.node);
    if (found == look.workflow_run.nodes.end() || described == nullptr) return;  // told already
    const auto& node = found->second.row;
    const auto& end = *look.commit.end;
    const auto expect = [&](NodeStatus status, const std::string& assignee) {
        const bool halted = look.over() && status == NodeStatus::queued && node.status == NodeStatus::cancelled;
        if ((node.status != status && !halted) || node.assignee != assignee) {
            breach_(10, "node " + lease.node + " of " + lease.run_id + " is " + std::string(name_of(node.status)) +
                            " after attempt " + std::to_string(lease.attempt) + ", not " +
                            std::string(name_of(status)));
        }
    };
    const bool handed_over = found->second.tries.contains(kFallback);
    const bool carried = end.put_back || is_receipt(end.result);
    const auto first =
        carried ? std::string() : assignee_of(*described, look.definition);  // what is handed over is for nobody alone
    const auto current = handed_over ? std::string(kFallback) : first;
    if (end.put_back || found->second.went_back) {
        expect(NodeStatus::queued, current);
    } else if (end.status == ExecutionStatus::succeeded) {
        expect(NodeStatus::succeeded, current);
        if (node.result != end.result)
            breach_(17, "node " + lease.node + " of " + lease.run_id + " answered something else");
    } else if (is_retried(retry_of(*described, look.definition), found->second.tries.at(current), end)) {
        coverage_.see(Sight::node_retried);
        expect(NodeStatus::queued, current);
    } else if (look.definition.failure.mode == FailureMode::fallback && !handed_over && !end.final) {
        coverage_.see(Sight::node_handed_over);
        expect(NodeStatus::queued, kFallback);
    } else if (look.definition.approval.mode == model::ApprovalMode::on_block) {
        coverage_.see(Sight::node_blocked);
        expect(NodeStatus::awaiting_approval, current);
    } else {
        expect(end.status == ExecutionStatus::timed_out ? NodeStatus::timed_out : NodeStatus::failed, current);
    }
}

// The run ends when its nodes say so, and as they say.
void WorkflowRunOracle::check_verdict(const Look& look) {
    const auto& walk = look.workflow_run;
    std::vector<NodeStatus> broken;
    bool claimed = false;
    std::size_t over = 0;
    for (const auto& [name, node] : walk.nodes) {
        if (broke(node.row.status)) broken.push_back(node.row.status);
        if (is_over(node.row.status)) ++over;
        if (node.claims > 0) claimed = true;
    }
    const bool halts = look.definition.failure.mode == FailureMode::halt && !broken.empty();
    const bool all_over = over == walk.workflow->nodes.size();
    if (!look.over()) {
        if (halts) breach_(10, look.row.id + " goes on although a node failed and it should halt");
        if (all_over) breach_(15, look.row.id + " goes on and no node is left");
        return;
    }
    if (!walk.ended.empty()) return;  // told when it ended
    const auto as = look.row.execution;
    if (!look.by_lease && !walk.refused) {
        coverage_.see(Sight::walk_cut_short);
        const bool late = as == ExecutionStatus::timed_out && walk.deadline && *walk.deadline < clock_.highest();
        if (late) coverage_.see(Sight::run_overdue);
        const bool by_word = as == ExecutionStatus::cancelled || as == ExecutionStatus::terminated;
        const bool from_outside = !claimed && as == ExecutionStatus::succeeded;
        if (!late && !by_word && !from_outside)
            breach_(10, look.row.id + " ended as " + std::string(name_of(as)) + " and nobody said so");
        return;
    }
    if (halts) coverage_.see(Sight::run_halted);
    if (!all_over && !halts) breach_(10, look.row.id + " ended before its nodes");
    const bool all_late =
        std::ranges::all_of(broken, [](NodeStatus status) { return status == NodeStatus::timed_out; });
    const auto expected = broken.empty() ? ExecutionStatus::succeeded
                          : all_late     ? ExecutionStatus::timed_out
                                         : ExecutionStatus::failed;
    if (as != expected)
        breach_(10, look.row.id + " ended as " + std::string(name_of(as)) + ", and its nodes say " +
                        std::string(name_of(expected)));
    if (as != ExecutionStatus::succeeded || expected != as) return;
    coverage_.see(Sight::walk_succeeded);
    if (look.row.result != result_of(walk)) breach_(17, look.row.id + " has another result than its last nodes");
}

// 3, 9, 10, 11, 12: a claim of a node.
void WorkflowRunOracle::claimed(const model::Task& task, const store::ClaimRequest& request,
                                const model::Schedule& definition, const model::Run& row, const LeaseTime& asked) {
    auto& walk = walks_.at(task.run_id);
    const auto named = "node " + task.node + " of " + task.run_id;
    const auto* const described = walk.workflow->find(task.node);
    const auto found = walk.nodes.find(task.node);
    if (described == nullptr || found == walk.nodes.end()) return breach_(11, named + " was claimed and has not begun");
    if (!walk.ended.empty()) breach_(11, named + " was claimed after the end of its run");
    auto& node = found->second;
    if (node.lease || node.row.status != NodeStatus::queued)
        breach_(11, named + " was claimed while it was " + std::string(name_of(node.row.status)));
    if (node.row.ready_at > clock_.highest()) breach_(3, named + " was claimed before it was ready");
    for (const auto& before : described->depends_on) {
        if (!walk.succeeded(before)) breach_(11, named + " was claimed before " + before + " had succeeded");
    }
    if (task.attempt != ++node.claims) breach_(9, named + " was claimed with a number that is not the next");
    // What a publisher held when its server died was not tried.
    if (!model::is_publisher(request.worker) &&
        ++node.tries[request.assignee] > retry_of(*described, definition).max_retries + 1)
        breach_(10, named + " is tried more often than allowed");
    if (task.assignee != request.assignee || node.row.assignee != request.assignee)
        breach_(11, named + " was given to somebody else");
    if (node.key.empty()) node.key = task.idempotency_key;
    if (task.idempotency_key != node.key) breach_(12, named + " was handed over with another key than before");
    if (task.input != input_of(*described, walk)) breach_(12, named + " was handed over with another input");
    if (task.workflow_version != walk.workflow->version) breach_(10, named + " was handed over as of another version");
    const auto timeout = timeout_of(*described, definition);
    const auto lease =
        SeenLease::given(task.attempt, request, timeout ? std::optional<Micros>(*timeout) : std::nullopt, asked);
    if (task.lease_until != lease.until) breach_(11, named + " is held for another time than asked for");
    node.lease = lease;
    node.row.status = NodeStatus::running;
    node.row.attempts = task.attempt;
    if (std::ranges::count_if(walk.nodes, [](const auto& each) { return each.second.lease.has_value(); }) > 1)
        coverage_.see(Sight::nodes_side_by_side);
    read_events(row, walk);
}

void WorkflowRunOracle::renewed(const model::LeaseRef& lease, Instant until, Micros by, const LeaseTime& time) {
    auto* const held = find_lease(lease);
    if (held == nullptr)
        return breach_(9, "a lost lease of node " + lease.node + " of " + lease.run_id + " was renewed");
    held->renew(until, by, time);
}

void WorkflowRunOracle::check_reaped(const SeenLease& lease, const std::string& what, const Commit& commit) {
    constexpr auto kSteps = 2 * kClockTolerance;  // that no server waits for
    if (lease.until >= clock_.highest()) breach_(11, what + " lost a lease that was held");
    const bool late = lease.deadline && lease.until >= *lease.deadline;
    if (!commit.end->put_back && commit.end->worker_lost == late)
        breach_(10, what + " was taken for lost or for late, and it was the other");
    // A server that started after a step cannot know of it.
    if (clock_.jumped_between(lease.since, commit.server_began)) return;
    // And servers that accept a step at different moments compare leases of the time before it with the time after it.
    if (lease.server != commit.server && clock_.jumped_between(Micros{0}, clock_.real_time())) return;
    if (lease.ends_at && clock_.real_time() + kSteps < *lease.ends_at)
        breach_(11, what + " lost a lease that its worker had more time for");
}

// 17: what its worker was told is what stands there.
void WorkflowRunOracle::acknowledged(const model::LeaseRef& lease, const decide::AttemptEnd& end) {
    if (end.status != ExecutionStatus::succeeded) return;  // it may have been tried again since
    const auto& walk = walks_.at(lease.run_id);
    if (walk.succeeded(lease.node) && walk.nodes.at(lease.node).row.result == end.result) return;
    breach_(17, "node " + lease.node + " of " + lease.run_id + " was acknowledged and ended otherwise");
}

// 8: gapless from 2; it begins with the start, and nothing comes after the end.
void WorkflowRunOracle::read_events(const model::Run& row, SeenWorkflowRun& walk) {
    constexpr std::size_t kMany = 1'000;
    const auto events = database_.run_events("default", row.id, walk.sequence, kMany);
    if (!events) return breach_(8, "the events of " + row.id + " cannot be read");
    for (const auto& event : *events) take_event(row, walk, event);
    if (is_terminal(row.execution) == walk.ended.empty())
        breach_(8, row.id + " is " + std::string(name_of(row.execution)) + ", its events differ");
}

void WorkflowRunOracle::take_event(const model::Run& row, SeenWorkflowRun& walk, const model::RunEvent& event) {
    if (event.sequence != ++walk.sequence)
        breach_(8, "event " + std::to_string(event.sequence) + " of " + row.id + " leaves a gap");
    if (!walk.ended.empty()) breach_(8, event.type + " comes after the end of " + row.id);
    if (event.at > clock_.highest() + kTriggersAhead)
        breach_(3, "an event of " + row.id + " is recorded in the future");
    // What is to be approved comes before the start, too.
    if (event.type.starts_with("approval.")) return;
    const bool first = !walk.started;
    walk.started = true;
    if (!event.node.empty()) {
        // A node that was refused before the first was claimed, and what it leads to.
        const bool never_begun =
            event.type == "node.ready" || event.type == "node.failed" || event.type == "node.skipped";
        if (first && never_begun) walk.started = false;
        if (first && !never_begun) breach_(8, row.id + " does not begin with its start");
        walk.nodes[event.node].told[event.type] += 1;
    } else if (event.type == "run.started") {
        if (!first) breach_(8, row.id + " was started twice");
    } else {
        if (event.type != "run." + std::string(name_of(row.execution))) breach_(8, row.id + " tells of " + event.type);
        walk.ended = event.type;
    }
}

void WorkflowRunOracle::check_told(const std::string& run_id, const SeenWorkflowRun& walk) {
    for (const auto& [name, node] : walk.nodes) {
        const auto expect = [&, &told = node.told, &name = name](const char* type, int count) {
            const auto found = told.find(type);
            const int times = found == told.end() ? 0 : found->second;
            if (times != count) {
                breach_(8, std::to_string(times) + " events " + type + " of node " + name + " of " + run_id + " for " +
                               std::to_string(count));
            }
        };
        expect("node.started", node.claims);
        expect("node.failed", node.failures);
        expect("node.redelivered", node.redeliveries);
        expect("node.succeeded", node.row.status == NodeStatus::succeeded ? 1 : 0);
        expect("node.skipped", node.row.status == NodeStatus::skipped ? 1 : 0);
        expect("node.reassigned", node.row.assignee == kFallback ? 1 : 0);
    }
}

}  // namespace belfry::sim
