// The fixture of tests about runs that walk a workflow.
#pragma once

#include <functional>

#include "store_contract.hpp"

namespace belfry::store {

using model::FailureMode;
using model::NodeStatus;
using model::OverlapPolicy;

class WorkflowRunContract : public StoreContract {
protected:
    using WorkflowEdit = std::function<void(model::Workflow&)>;

    std::int64_t deploy(const WorkflowEdit& edit = {}) {
        auto workflow = test::diamond();
        workflow.version = 0;
        if (edit) edit(workflow);
        const auto written = store->put_workflow(workflow);
        EXPECT_TRUE(written) << written.error().message;
        return written ? *written : 0;
    }
    model::Schedule create_walking(const test::Edit& edit = {}) {
        auto walking = test::workflow_schedule(edit);
        const auto created = test::create(*store, {walking}, kNine);
        EXPECT_TRUE(created) << created.error().message;
        return walking;
    }
    // A diamond under way since ten; the id of its run.
    std::string begin(const test::Edit& edit = {}, const WorkflowEdit& nodes = {}) {
        deploy(nodes);
        schedule = create_walking(edit);
        tick(kTen);
        return model::run_id(schedule.id, {model::RunCause::tick, kTen});
    }

    std::vector<model::Task> claim_from(const std::string& queue, const std::string& assignee, Instant now) {
        auto tasks = store->claim({.tenant = "default",
                                   .queue = queue,
                                   .worker = "w1",
                                   .limit = 10,
                                   .now = now,
                                   .lease = 30s,
                                   .assignee = assignee});
        EXPECT_TRUE(tasks) << tasks.error().message;
        return tasks ? *tasks : std::vector<model::Task>{};
    }
    // Claims one node and ends it. REQUIRES: it is ready, and the only one in its lane.
    void end(const std::string& node, Instant now, const decide::AttemptEnd& end = test::succeeded(),
             const std::string& assignee = {}) {
        SCOPED_TRACE("node " + node);
        const auto tasks = claim_from("default", assignee, now);
        ASSERT_EQ(tasks.size(), 1U);
        ASSERT_EQ(tasks.front().node, node);
        const auto done = test::complete(*store, {lease_of(tasks.front()), end}, now);
        ASSERT_TRUE(done) << done.error().message;
    }
    decide::AttemptPlan complete(const model::Task& task, Instant now,
                                 const decide::AttemptEnd& end = test::succeeded()) {
        auto done = test::complete(*store, {lease_of(task), end}, now);
        EXPECT_TRUE(done) << done.error().message;
        return done ? *done : decide::AttemptPlan{};
    }

    model::WorkflowRun workflow_run(const std::string& run_id) {
        auto found = store->workflow_run("default", run_id);
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : model::WorkflowRun{};
    }
    // `a succeeded`, `b running`.
    test::Lines nodes(const std::string& run_id) {
        test::Lines lines;
        for (const auto& node : workflow_run(run_id).nodes)
            lines.push_back(node.node + " " + std::string(name_of(node.status)));
        return lines;
    }
    // `2 run.started`, `3 node.started a`.
    test::Lines told(const std::string& run_id) {
        test::Lines lines;
        const auto events = store->run_events("default", run_id, 0, 100);
        EXPECT_TRUE(events) << events.error().message;
        if (!events) return lines;
        for (const auto& event : *events) {
            lines.push_back(std::to_string(event.sequence) + " " + event.type +
                            (event.node.empty() ? "" : " " + event.node));
        }
        return lines;
    }
    ExecutionStatus status(const std::string& run_id) { return run(run_id).execution; }
    std::vector<std::string> ids(RunState state) {
        std::vector<std::string> found;
        for (const auto& run : test::all_runs(*store, {.tenant = "default", .state = state})) found.push_back(run.id);
        return found;
    }

    model::Schedule schedule;
};

}  // namespace belfry::store
