#include "simulation/mutants/mutant_walks.hpp"

#include <algorithm>

namespace belfry::sim {

namespace {

// What depends on the node that ends waits for nothing else.
model::WorkflowPtr with_one_dependency(const model::Workflow& workflow, const std::string& ended) {
    auto changed = workflow;
    for (auto& node : changed.nodes) {
        if (std::ranges::find(node.depends_on, ended) != node.depends_on.end()) node.depends_on = {ended};
    }
    return std::make_shared<const model::Workflow>(std::move(changed));
}

// The attempt that has ended is taken for the first.
void count_anew(decide::Facts& facts) {
    for (auto& node : facts.workflow_run->nodes) {
        if (node.node == facts.node) node.attempts_before = node.attempts - 1;
    }
}

// Edits what the run was decided by.
template <typename Edit>
void with_definition(decide::Facts& facts, const Edit& edit) {
    auto own = facts.definition_of_run();
    auto approval = facts.schedule->approval;
    edit(own, approval);
    auto changed = *facts.schedule;
    changed.approval = approval;
    if (facts.run_definition) {
        facts.run_definition = std::make_shared<const model::Schedule>(std::move(own));
    } else {
        changed.definition = std::move(own);
    }
    facts.schedule = std::make_shared<const decide::CompiledSchedule>(std::move(changed));
}

void isolate(decide::Facts& facts, model::FailureMode instead_of) {
    if (facts.definition_of_run().failure.mode != instead_of) return;
    with_definition(facts, [](model::Schedule& own, model::ApprovalPolicy&) { own.failure = {}; });
}

void open_gates(decide::Facts& facts) {
    with_definition(facts, [](model::Schedule& own, model::ApprovalPolicy& compiled) {
        for (auto* const policy : {&own.approval, &compiled}) {
            policy->gates.clear();
            if (policy->mode != model::ApprovalMode::on_block) policy->mode.reset();
        }
    });
}

}  // namespace

bool misleads_walks(Mutant mutant) {
    switch (mutant) {
        case Mutant::any_dependency:
        case Mutant::retries_reset:
        case Mutant::newest_version:
        case Mutant::newest_definition:
        case Mutant::halt_as_isolate:
        case Mutant::never_handed_over:
        case Mutant::gate_ignored: return true;
        default: return false;
    }
}

decide::Facts mislead(Mutant mutant, decide::Facts facts, const model::WorkflowPtr& newest) {
    if (mutant == Mutant::newest_definition) facts.run_definition.reset();
    if (!facts.workflow_run || !facts.workflow_run->workflow) return facts;
    auto& workflow = facts.workflow_run->workflow;
    const bool outdated = newest && newest->version != workflow->version;
    switch (mutant) {
        case Mutant::any_dependency: workflow = with_one_dependency(*workflow, facts.node); break;
        case Mutant::retries_reset:
            if (outdated) count_anew(facts);
            break;
        case Mutant::newest_version:
            if (outdated && newest->find(facts.node) != nullptr) workflow = newest;
            break;
        case Mutant::halt_as_isolate: isolate(facts, model::FailureMode::halt); break;
        case Mutant::never_handed_over: isolate(facts, model::FailureMode::fallback); break;
        case Mutant::gate_ignored: open_gates(facts); break;
        default: break;
    }
    return facts;
}

void forget_timeouts(decide::Plan& plan, Micros lease) {
    const auto forget = [lease](model::NodeRun& node) {
        if (node.timeout && *node.timeout >= lease) node.timeout.reset();
    };
    for (auto* const runs : {&plan.runs, &plan.releases}) {
        for (auto& run : *runs) {
            if (!run.workflow_run) continue;
            std::ranges::for_each(run.workflow_run->nodes, forget);
        }
    }
    for (auto& start : plan.starts) {
        if (!start.workflow_run) continue;
        std::ranges::for_each(start.workflow_run->nodes, forget);
    }
    for (auto& change : plan.nodes) forget(change.node);
}

}  // namespace belfry::sim
