#include "store/rules/plan_notifications.hpp"

namespace belfry::store {

using model::ExecutionStatus;

bool is_moved(const decide::Plan& plan, const std::optional<Instant>& fired_at) {
    return plan.state.next_fire != fired_at || (!plan.empty() && waits_for_release(plan.state));
}

std::vector<Notification> notifications_of(const decide::Plan& plan, const model::Schedule& definition,
                                           const NewsOf& news) {
    std::vector<Notification> all;
    // A new definition is also reported: a server that could not decide the old one tries again.
    if (news.moved || plan.definition) {
        const auto look_at = waits_for_release(plan.state) ? plan.decided_at : plan.state.next_fire;
        all.emplace_back(ScheduleMoved{model::key_of(plan.schedule_id), look_at, model::tenant_key(definition.tenant)});
    }
    const auto add = [&](const NewTask& task) {
        Notification ready = news_of(task, definition.tenant, plan.decided_at);
        if (all.empty() || all.back() != ready) all.push_back(std::move(ready));
    };
    const auto add_nodes = [&](const std::vector<model::NodeRun>& nodes) {
        for (const auto& node : nodes) {
            if (node.status == model::NodeStatus::queued) add(node_task(node, {}, {}, 0));
        }
    };
    const auto add_run = [&](const std::optional<decide::WorkflowStart>& workflow_run, const model::Schedule& by,
                             Instant ready_at) {
        workflow_run ? add_nodes(workflow_run->nodes)
                     : add(single_task(by, {}, {}, ready_at, 0, news.default_connection));
    };
    for (const auto* const runs : {&plan.runs, &plan.releases}) {
        for (const auto& run : *runs) {
            if (run.execution == ExecutionStatus::queued) add_run(run.workflow_run, definition, run.fire_at);
        }
    }
    const auto& of_start = news.run_definition ? *news.run_definition : definition;
    for (const auto& start : plan.starts) add_run(start.workflow_run, of_start, start.ready_at);
    for (const auto& change : plan.nodes) {
        if (change.node.status == model::NodeStatus::queued) add(node_task(change.node, {}, {}, 0));
    }
    if (news.followed) all.emplace_back(FeedGrown{definition.tenant});
    return all;
}

TasksReady news_of(const NewTask& task, const std::string& tenant, Instant now) {
    const std::string queue(model::without_receiver(task.queue));
    return {tenant, queue, task.assignee, task.ready_at > now ? std::optional(task.ready_at) : std::nullopt};
}

}  // namespace belfry::store
