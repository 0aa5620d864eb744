#include "model/workflow/workflow_check.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <unordered_set>

#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/name.hpp"
#include "base/text/nearest.hpp"
#include "model/json/json_reader.hpp"
#include "model/limits.hpp"
#include "model/run/http_node.hpp"
#include "model/schedule/reference.hpp"
#include "model/workflow/workflow_graph.hpp"
#include "model/workflow/workflow_json.hpp"

namespace belfry::model {

namespace {

constexpr std::size_t kCycleNodesShown = 20;

// `a -> b -> a`
std::string path_of(const Workflow& workflow, const std::vector<std::size_t>& cycle) {
    std::string path;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const bool is_shown =
            cycle.size() <= kCycleNodesShown || i < kCycleNodesShown / 2 || i + kCycleNodesShown / 2 >= cycle.size();
        if (is_shown) {
            path += (path.empty() ? "" : " -> ") + workflow.nodes[cycle[i]].id;
        } else if (i == kCycleNodesShown / 2) {
            path += " -> (" + std::to_string(cycle.size() - kCycleNodesShown) + " more)";
        }
    }
    return path;
}

class Check {
public:
    explicit Check(const Workflow& workflow) : workflow_(workflow) {}

    Errors all() {
        check_head();
        check_triggers();
        const auto& nodes = workflow_.nodes;
        if (nodes.empty()) add("/nodes", invalid("a workflow needs at least one node"));
        if (nodes.size() > kWorkflowNodesMax) {
            add("/nodes", invalid("has " + std::to_string(nodes.size()) + " nodes; use at most " +
                                  std::to_string(kWorkflowNodesMax)));
            return std::move(errors_);
        }
        for (const auto& node : nodes) ids_.push_back(node.id);
        const WorkflowGraph graph(workflow_);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (graph.find(nodes[i].id) != i)
                add(place(i) + "/id",
                    invalid("the id " + in_quotes(nodes[i].id) + " is already used; ids must be unique in a workflow"));
            check_node(nodes[i], place(i));
            check_dependencies(nodes[i], place(i), graph);
            check_references(i, graph);
        }
        for (const auto& cycle : graph.cycles()) add_cycle(cycle);
        return std::move(errors_);
    }

private:
    static std::string place(std::size_t node) { return "/nodes/" + std::to_string(node); }

    void add(const std::string& field, Error error) {
        if (errors_.size() < kWorkflowErrorsMax) errors_.push_back(in_field(std::move(error), field));
    }
    void add_if(const std::string& field, std::optional<Error> error) {
        if (error) add(field, std::move(*error));
    }
    void add_all(const std::string& field, const Errors& errors) {
        for (const auto& error : errors) add(field, error);
    }

    void check_head() {
        add_if("/name", name_error(workflow_.name));
        if (workflow_.version < 1) add("/version", invalid("must be 1 or more"));
        if (workflow_.description.size() > kTextBytesMax)
            add("/description", invalid("use at most " + std::to_string(kTextBytesMax) + " bytes"));
        if (storable(workflow_.description) != workflow_.description)
            add("/description", invalid("must be text without NUL characters"));
        check_queue(workflow_.queue, "/queue");
        if (workflow_.connection) add_if("/connection", name_error(*workflow_.connection));
        check_timeout(workflow_.timeout, "/timeoutMs");
        check_approval(workflow_.approval, "/approvalPolicy");
    }

    // The same rules as for a schedule.
    void check_approval(const ApprovalPolicy& approval, const std::string& field) {
        if (std::cmp_greater(approval.gates.size(), kGatesMax))
            add(field + "/gates", invalid("use at most " + std::to_string(kGatesMax) + " actions"));
        for (const auto& gate : approval.gates) add_if(field + "/gates", name_error(gate));
        const auto& expiry = approval.expires_after;
        if (expiry && (expiry->count() < kExpiresAfterMsLeast || expiry->count() > kExpiresAfterMsMost)) {
            add(field + "/expiresAfterMs",
                invalid("must be a whole number from " + std::to_string(kExpiresAfterMsLeast) + " to " +
                        std::to_string(kExpiresAfterMsMost)));
        }
    }

    void check_queue(const std::optional<std::string>& queue, const std::string& field) {
        if (!queue) return;
        add_if(field, name_error(*queue));
        if (queue->starts_with('@'))
            add(field, invalid("names that begin with @ are reserved for the server; use another"));
    }

    void check_timeout(const std::optional<std::chrono::milliseconds>& timeout, const std::string& field,
                       std::int64_t least = 1) {
        if (timeout && (timeout->count() < least || timeout->count() > kMillisecondsMax)) {
            add(field, invalid("must be a whole number from " + std::to_string(least) + " to " +
                               std::to_string(kMillisecondsMax)));
        }
    }

    // The same rules as for a schedule.
    void check_retry(const RetryPolicy& retry, const std::string& field) {
        if (retry.max_retries < 0 || retry.max_retries > kRetriesMax) {
            add(field + "/maxRetries", invalid("must be a whole number from 0 to " + std::to_string(kRetriesMax)));
        }
        check_timeout(retry.backoff, field + "/backoffMs", 0);
        check_timeout(retry.timeout, field + "/timeoutMs", 0);
    }

    void check_node(const WorkflowNode& node, const std::string& field) {
        if (!is_node_id(node.id)) add(field + "/id", invalid("the id " + in_quotes(node.id) + ": " + kNodeIdRule));
        if (!node.action.empty()) add_if(field + "/action", name_error(node.action));
        check_timeout(node.timeout, field + "/timeoutMs");
        if (node.retry) check_retry(*node.retry, field + "/retryPolicy");
        if (node.kind == NodeKind::task) {
            if (!node.task_kind.empty()) add_if(field + "/taskKind", name_error(node.task_kind));
            check_queue(node.queue, field + "/queue");
            if (node.assignee) add_if(field + "/assignee", name_error(*node.assignee));
            if (node.connection) add_if(field + "/connection", name_error(*node.connection));
            return;
        }
        const auto only_tasks =
            invalid("only a node of kind task can have this: the server itself does the work of kind " +
                    std::string(name_of(node.kind)));
        if (!node.task_kind.empty()) add(field + "/taskKind", only_tasks);
        if (node.queue) add(field + "/queue", only_tasks);
        if (node.assignee) add(field + "/assignee", only_tasks);
        if (node.connection) add(field + "/connection", only_tasks);
        add_all(field + "/input",
                node.kind == NodeKind::http ? check_http_input(node.input) : check_command_input(node.input));
    }

    // A suggestion of the nearest id, to append to a message.
    [[nodiscard]] std::string meant(std::string_view id) const {
        const auto found = nearest(id, ids_);
        return found ? "; did you mean " + in_quotes(*found) + "?" : "";
    }

    void check_dependencies(const WorkflowNode& node, const std::string& field, const WorkflowGraph& graph) {
        std::unordered_set<std::string_view> seen;
        for (std::size_t i = 0; i < node.depends_on.size(); ++i) {
            const auto& name = node.depends_on[i];
            const auto here = field + "/dependsOn/" + std::to_string(i);
            if (!graph.find(name)) add(here, invalid("there is no node " + in_quotes(name) + meant(name)));
            if (!seen.insert(name).second) add(here, invalid(in_quotes(name) + " is listed twice; keep one of them"));
        }
    }

    void check_references(std::size_t at, const WorkflowGraph& graph) {
        const auto& node = workflow_.nodes[at];
        const auto field = place(at) + "/input";
        const auto references = placed_references_in(node.input);
        if (!references) {
            auto first = references.error();
            const auto others = std::exchange(first.more, {});
            add(field, std::move(first));
            return add_all(field, others);
        }
        for (const auto& [reference, inside] : *references) {
            if (reference.source != Reference::Source::node) continue;
            const auto other = graph.find(reference.name);
            if (!other) {
                add(field + inside, invalid("there is no node " + in_quotes(reference.name) + " for " +
                                            text_of(reference) + meant(reference.name)));
            } else if (!graph.is_upstream(*other, at)) {
                add(field + inside, invalid(text_of(reference) + " is not available yet when " + in_quotes(node.id) +
                                            " starts: add " + in_quotes(reference.name) + " to its dependsOn"));
            }
        }
    }

    void add_cycle(const std::vector<std::size_t>& cycle) {
        add(place(cycle.front()) + "/dependsOn",
            invalid(std::string(kCycleDetected) + ": " + path_of(workflow_, cycle) +
                    "; each waits for the next, so none can start: remove one of these dependencies"));
    }

    void check_triggers() {
        if (workflow_.triggers.is_null()) return;
        if (auto error = require_kind(workflow_.triggers, JsonKind::array)) return add("/triggers", std::move(*error));
        const auto& triggers = workflow_.triggers.get_array();
        if (triggers.size() > kWorkflowTriggersMax) {
            return add("/triggers", invalid("has " + std::to_string(triggers.size()) + " triggers; use at most " +
                                            std::to_string(kWorkflowTriggersMax)));
        }
        std::unordered_set<std::string> names;
        for (std::size_t i = 0; i < triggers.size(); ++i)
            check_trigger(triggers[i], "/triggers/" + std::to_string(i), names);
    }

    // A trigger without a name creates the schedule with the workflow's name.
    void check_trigger(const Json& trigger, const std::string& field, std::unordered_set<std::string>& names) {
        if (auto error = require_kind(trigger, JsonKind::object)) return add(field, std::move(*error));
        const auto& object = trigger.get_object();
        const auto* const type = object.if_contains("type");
        if (type == nullptr) {
            add(field, missing_member("type"));
        } else if (!type->is_string() || type->get_string() != kScheduleBased) {
            add(field + "/type", invalid(std::string("must be \"") + kScheduleBased + "\""));
        }
        std::string name = workflow_.name;
        if (const auto* const given = object.if_contains("name"); given != nullptr && !given->is_null()) {
            if (auto error = require_kind(*given, JsonKind::string)) return add(field + "/name", std::move(*error));
            name = std::string_view(given->get_string());
            add_if(field + "/name", name_error(name));
        }
        if (!names.insert(name).second)
            add(field + "/name",
                invalid("another trigger also has the name " + in_quotes(name) + "; use a unique name"));
    }

    const Workflow& workflow_;
    std::vector<std::string> ids_;
    Errors errors_;
};

}  // namespace

std::string find_cycle(const Workflow& workflow) {
    if (workflow.nodes.size() > kWorkflowNodesMax) return {};
    const auto cycles = WorkflowGraph(workflow).cycles();
    return cycles.empty() ? std::string() : path_of(workflow, cycles.front());
}

Errors check_workflow(const Workflow& workflow) { return Check(workflow).all(); }

Result<Workflow> checked_workflow_from_json(const Json& json) {
    auto workflow = workflow_from_json(json);
    if (!workflow) return workflow;
    if (auto error = together_if_any(check_workflow(*workflow))) return std::move(*error);
    return workflow;
}

bool tells_cycle(const Error& error) {
    const auto is_cycle = [](const Error& each) { return each.message.starts_with(kCycleDetected); };
    return is_cycle(error) || std::ranges::any_of(error.more, is_cycle);
}

}  // namespace belfry::model
