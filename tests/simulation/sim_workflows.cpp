#include "simulation/sim_workflows.hpp"

#include <algorithm>

namespace belfry::sim {

namespace {

std::chrono::milliseconds paces(const SimOptions& options, int count) {
    return std::chrono::floor<std::chrono::milliseconds>(options.pace * count);
}

model::WorkflowNode draw_node(SimRandom& random, const SimOptions& options, int number) {
    model::WorkflowNode node;
    node.id = "n" + std::to_string(number);
    boost::json::object input{{"node", node.id}};
    for (int before = 0; before < number; ++before) {
        if (!random.percent(45)) continue;
        const auto name = "n" + std::to_string(before);
        node.depends_on.push_back(name);
        if (random.percent(50)) input[name] = "${nodes." + name + ".output/of}";
    }
    node.input = std::move(input);
    if (random.percent(25)) node.timeout = paces(options, random.number(1, 6));
    if (random.percent(30)) node.retry = draw_retry(random, options);
    if (random.percent(15)) node.assignee = kAgent;
    if (random.percent(40)) node.action = random.pick({"spend", "launch", "read"});
    return node;
}

}  // namespace

std::string workflow_name(int number) { return "workflow-" + std::to_string(number); }

model::Workflow draw_workflow(SimRandom& random, const SimOptions& options, const std::string& name) {
    model::Workflow workflow;
    workflow.tenant = "default";
    workflow.name = name;
    const int count = random.number(2, 6);
    for (int i = 0; i < count; ++i) workflow.nodes.push_back(draw_node(random, options, i));
    if (random.percent(30)) std::ranges::reverse(workflow.nodes);  // no order is meant
    if (random.percent(40)) workflow.timeout = paces(options, random.number(3, 60));
    return workflow;
}

model::RetryPolicy draw_retry(SimRandom& random, const SimOptions& options) {
    model::RetryPolicy retry;
    retry.max_retries = random.pick({0, 0, 1, 2, 3});
    retry.backoff = std::chrono::floor<std::chrono::milliseconds>(options.pace / random.number(1, 10));
    if (random.percent(20)) retry.retry_on = {model::FailureCategory::timeout};
    if (random.percent(20)) retry.timeout = paces(options, random.number(1, 8));
    return retry;
}

}  // namespace belfry::sim
