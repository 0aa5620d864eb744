#include "decide/run/workflow_run.hpp"

#include <gtest/gtest.h>

#include "decide/approval/gate.hpp"
#include "model/identity.hpp"

namespace belfry::decide::workflow_run_test {
namespace {

using namespace std::chrono_literals;
using model::ExecutionStatus;
using model::FailureCategory;
using model::FailureMode;
using model::NodeKind;
using model::NodeRun;
using model::NodeStatus;
using model::Workflow;
using model::WorkflowNode;

using Lines = std::vector<std::string>;

const Instant kNoon = parse_instant("2026-06-01T12:00:00Z").value();

Json json(std::string_view text) { return parse_json(text).value(); }

WorkflowNode task(std::string id, std::vector<std::string> depends_on = {}, const char* input = "null") {
    return {.id = std::move(id), .depends_on = std::move(depends_on), .input = json(input)};
}

const AttemptEnd kFailed{.status = ExecutionStatus::failed, .error = "no"};
const AttemptEnd kTimedOut{.status = ExecutionStatus::timed_out};
AttemptEnd done(const char* result = "null") { return {.status = ExecutionStatus::succeeded, .result = json(result)}; }

std::string line_of(const NodeRun& node) {
    auto line = node.node + " " + std::string(name_of(node.status));
    if (node.status == NodeStatus::queued) line += " " + to_text(node.input);
    if (node.status == NodeStatus::succeeded) line += " " + to_text(node.result);
    return node.error.empty() ? line : line + " (" + node.error + ")";
}

// A run in memory: every attempt that ends changes its nodes, and is told as lines.
class Journey {
public:
    explicit Journey(std::vector<WorkflowNode> nodes, FailureMode mode = FailureMode::isolate, int retries = 0) {
        walk_.workflow = std::make_shared<const Workflow>(Workflow{.name = "w", .nodes = std::move(nodes)});
        definition.id = "s-1";
        definition.tenant = "acme";
        definition.name = "report";
        definition.retry.max_retries = retries;
        definition.failure = {mode,
                              mode == FailureMode::fallback ? std::optional<std::string>("b-team") : std::nullopt};
    }

    Lines begin() {
        const auto nodes = begin_workflow(*walk_.workflow, definition, run, kNoon);
        if (!nodes) return {"refused: " + nodes.error().message};
        Lines lines;
        for (const auto& node : *nodes) {
            walk_.nodes.push_back(node);
            lines.push_back(line_of(node));
        }
        return lines;
    }

    Lines end(const std::string& node, const AttemptEnd& attempt) {
        for (auto& row : walk_.nodes) {
            if (row.node != node) continue;
            row.attempts += 1;
            row.started_at = kNoon;
        }
        return take(step_workflow(walk_, definition, run, node, attempt, kNoon));
    }

    // Somebody's word on a node that waits; empty: yes.
    Lines settle(const std::string& node, const std::string& refusal = {}) {
        return take(resolve_node(walk_, definition, run, node, refusal, kNoon));
    }

    Lines take(Result<WorkflowStep> result) {
        if (!result) return {"refused: " + result.error().message};
        step = std::move(*result);
        Lines lines;
        for (const auto& changed : step.changed) {
            lines.push_back(line_of(changed));
            std::erase_if(walk_.nodes, [&](const NodeRun& row) { return row.node == changed.node; });
            walk_.nodes.push_back(changed);
        }
        if (step.over) {
            lines.push_back("run " + std::string(name_of(step.over->status)) + " " + to_text(step.over->result) +
                            (step.over->error.empty() ? "" : " (" + step.over->error + ")"));
        }
        return lines;
    }

    [[nodiscard]] const NodeRun& node(const std::string& name) const { return *walk_.find(name); }
    [[nodiscard]] Lines events() const {
        Lines lines;
        for (const auto& event : step.events)
            lines.push_back(event.type + " " + event.node + " " + to_text(event.payload));
        return lines;
    }

    model::Schedule definition;
    WorkflowRunContext run{.id = "r-1",
                           .slot = {model::RunCause::tick, kNoon},
                           .input = json(R"({"audience":"tech"})"),
                           .ready_at = kNoon};
    WorkflowStep step;  // the last one

private:
    model::WorkflowRun walk_;
};

// --- The way through ------------------------------------------------------------------------------------------------

TEST(StepWorkflow, BeginsWithWhatDependsOnNothing) {
    Journey run({task("end", {"a", "b"}), task("a", {}, R"("${input/audience}")"), task("b")});
    EXPECT_EQ(run.begin(), (Lines{R"(a queued "tech")", "b queued null"}));
    EXPECT_EQ(run.node("a").ready_at, kNoon);
    EXPECT_EQ(run.node("a").attempts, 0);
}

TEST(StepWorkflow, FirstNodesWaitForTheFireTime) {
    Journey run({task("a")});
    run.run.ready_at = kNoon + 5s;
    run.begin();
    EXPECT_EQ(run.node("a").ready_at, kNoon + 5s);
    run = Journey({task("a")});
    run.run.ready_at = kNoon - 5s;
    run.begin();
    EXPECT_EQ(run.node("a").ready_at, kNoon);
}

TEST(StepWorkflow, ANodeStartsWhenAllThatItDependsOnHasSucceeded) {
    Journey run({task("start"), task("left", {"start"}, R"("${nodes.start.output/l}")"), task("right", {"start"}),
                 task("end", {"left", "right"},
                      R"(["${nodes.left.output}","${nodes.start.output/l}",{"r":"<${nodes.right.output}>"}])")});
    EXPECT_EQ(run.begin(), Lines{"start queued null"});
    EXPECT_EQ(run.end("start", done(R"({"l":1})")),
              (Lines{R"(start succeeded {"l":1})", "left queued 1", "right queued null"}));
    EXPECT_EQ(run.events(),
              (Lines{R"(node.succeeded start {"attempt":1})", "node.ready left {}", "node.ready right {}"}));
    EXPECT_EQ(run.end("left", done("[2]")), Lines{"left succeeded [2]"});
    EXPECT_EQ(run.end("right", done("true")), (Lines{"right succeeded true", R"(end queued [[2],1,{"r":"<true>"}])"}));
    EXPECT_EQ(run.end("end", done(R"("over")")), (Lines{R"(end succeeded "over")", R"(run succeeded "over")"}));
}

TEST(StepWorkflow, TheResultIsThatOfTheLastNodes) {
    Journey run({task("a"), task("b"), task("c", {"a"})});
    run.begin();
    run.end("a", done("1"));
    run.end("c", done("3"));
    EXPECT_EQ(run.end("b", done("2")), (Lines{"b succeeded 2", R"(run succeeded {"nodes":{"b":2,"c":3}})"}));
}

TEST(StepWorkflow, ResultsThatDoNotFitTogetherStayWithTheirNodes) {
    Journey run({task("a"), task("b"), task("c")});
    run.begin();
    const auto large = Json(std::string(600'000, 'x'));
    run.end("a", {.result = large});
    run.end("b", {.result = large});
    run.end("c", done("3"));
    ASSERT_TRUE(run.step.over);
    EXPECT_TRUE(same_json(run.step.over->result,
                          Json{{"nodes", {{"a", large}, {"c", 3}}}, {"omitted", boost::json::array{"b"}}}));
    EXPECT_TRUE(same_json(run.node("b").result, large));
}

TEST(StepWorkflow, KnowsWhatMayBeAskedOfTheRun) {
    Journey run(
        {task("a", {},
              R"(["${run.id}","${run.scheduledAt}","${run.idempotencyKey}","${run.instanceId}","${run.scheduleName}",)"
              R"("${run.tenant}"])")});
    run.begin();
    EXPECT_EQ(to_text(run.node("a").input),
              to_text(boost::json::array{"r-1", "2026-06-01T12:00:00Z", model::idempotency_key("s-1", run.run.slot),
                                         "schedule:report:1780315200", "report", "acme"}));
}

// --- Where a task goes ----------------------------------------------------------------------------------------------

TEST(StepWorkflow, TheQueueIsTheNodesThenTheSchedulesThenTheWorkflows) {
    const auto queue = [](const WorkflowNode& node, const std::string& of_schedule,
                          std::optional<std::string> of_workflow) {
        model::Schedule definition;
        definition.target.queue = of_schedule;
        const Workflow workflow{.name = "w", .nodes = {node}, .queue = std::move(of_workflow)};
        return begin_workflow(workflow, definition, {.id = "r-1"}, kNoon).value().front().queue;
    };
    EXPECT_EQ(queue({.id = "a", .queue = "of-node"}, "of-schedule", "of-workflow"), "of-node");
    EXPECT_EQ(queue({.id = "a"}, "of-schedule", "of-workflow"), "of-schedule");
    EXPECT_EQ(queue({.id = "a"}, "default", "of-workflow"), "of-workflow");
    EXPECT_EQ(queue({.id = "a"}, "default", std::nullopt), "default");
    EXPECT_EQ(queue({.id = "a", .kind = NodeKind::http}, "of-schedule", "of-workflow"), "@http");
    EXPECT_EQ(queue({.id = "a", .kind = NodeKind::command}, "of-schedule", "of-workflow"), "@command");
}

TEST(StepWorkflow, TheConnectionIsTheNodesThenTheSchedulesThenTheWorkflowsThenTheServers) {
    using Name = std::optional<std::string>;
    const auto queue = [](const Name& of_node, const Name& of_schedule, const Name& of_workflow,
                          const std::string& of_server) {
        model::Schedule definition;
        definition.target.connection = of_schedule;
        const Workflow workflow{
            .name = "w", .nodes = {{.id = "a", .queue = "q", .connection = of_node}}, .connection = of_workflow};
        return begin_workflow(workflow, definition, {.id = "r-1", .default_connection = of_server}, kNoon)
            .value()
            .front()
            .queue;
    };
    EXPECT_EQ(queue("of-node", "of-schedule", "of-workflow", "of-server"), "@to:of-node");
    EXPECT_EQ(queue({}, "of-schedule", "of-workflow", "of-server"), "@to:of-schedule");
    EXPECT_EQ(queue({}, {}, "of-workflow", "of-server"), "@to:of-workflow");
    EXPECT_EQ(queue({}, {}, {}, "of-server"), "@to:of-server");
    EXPECT_EQ(queue({}, {}, {}, ""), "q");
    EXPECT_EQ(queue("builtin", "of-schedule", "of-workflow", "of-server"), "q");
    EXPECT_EQ(queue({}, "builtin", "of-workflow", "of-server"), "q");
    EXPECT_EQ(queue({}, {}, "builtin", "of-server"), "q");
}

TEST(StepWorkflow, WhatTheServerDoesItselfIsHandedOverToNobodyAndWhatIsHandedOverIsNobodysAlone) {
    model::Schedule definition;
    definition.assignee = model::Assignee{"team", "t-1"};
    const auto first = [&](const WorkflowNode& node) {
        return begin_workflow({.name = "w", .nodes = {node}}, definition, {.id = "r-1", .default_connection = "far"},
                              kNoon)
            .value()
            .front();
    };
    EXPECT_EQ(first({.id = "a", .kind = NodeKind::http}).queue, "@http");
    EXPECT_EQ(first({.id = "a", .kind = NodeKind::command}).queue, "@command");
    EXPECT_EQ(first({.id = "a", .assignee = "z"}).assignee, "");
}

TEST(StepWorkflow, TheAssigneeIsTheNodesThenTheSchedulesAndNobodyForTheServersOwnWork) {
    const auto assignee = [](const WorkflowNode& node, std::optional<model::Assignee> of_schedule) {
        model::Schedule definition;
        definition.assignee = std::move(of_schedule);
        return begin_workflow({.name = "w", .nodes = {node}}, definition, {.id = "r-1"}, kNoon)
            .value()
            .front()
            .assignee;
    };
    const model::Assignee team{"team", "t-1"};
    EXPECT_EQ(assignee({.id = "a", .assignee = "z"}, team), "z");
    EXPECT_EQ(assignee({.id = "a"}, team), "t-1");
    EXPECT_EQ(assignee({.id = "a"}, std::nullopt), "");
    EXPECT_EQ(assignee({.id = "a", .kind = NodeKind::http}, team), "");
}

TEST(StepWorkflow, TheTimeoutIsTheNodesThenItsRetryPolicysThenTheSchedules) {
    const auto timeout = [](const WorkflowNode& node) {
        model::Schedule definition;
        definition.retry.timeout = 3s;
        return begin_workflow({.name = "w", .nodes = {node}}, definition, {.id = "r-1"}, kNoon).value().front().timeout;
    };
    EXPECT_EQ(timeout({.id = "a", .timeout = 1s, .retry = model::RetryPolicy{.timeout = 2s}}), 1s);
    EXPECT_EQ(timeout({.id = "a", .retry = model::RetryPolicy{.timeout = 2s}}), 2s);
    EXPECT_EQ(timeout({.id = "a", .retry = model::RetryPolicy{}}), 3s);
    EXPECT_EQ(timeout({.id = "a"}), 3s);
}

// --- Failures -------------------------------------------------------------------------------------------------------

TEST(StepWorkflow, AFailedAttemptIsTriedAgainLater) {
    Journey run({task("a"), task("b", {"a"})}, FailureMode::isolate, 2);
    run.definition.retry.backoff = 1s;
    run.begin();
    EXPECT_EQ(run.end("a", kFailed), Lines{"a queued null (no)"});
    const auto first = run.node("a").ready_at;
    EXPECT_GE(first, kNoon + 1s);
    EXPECT_LE(first, kNoon + 1250ms);
    EXPECT_EQ(run.events(), Lines{R"(node.failed a {"attempt":1,"cause":null,"error":"no","retryAt":")" +
                                  format_instant(first) + R"("})"});
    EXPECT_EQ(run.end("a", kTimedOut), Lines{"a queued null"});
    EXPECT_GE(run.node("a").ready_at, kNoon + 2s);
    EXPECT_EQ(run.node("a").category, FailureCategory::timeout);
    EXPECT_EQ(run.end("a", done("1")), (Lines{"a succeeded 1", "b queued null"}));
    EXPECT_EQ(run.node("a").attempts, 3);
    EXPECT_EQ(run.node("a").category, std::nullopt);
}

TEST(StepWorkflow, SiblingsDoNotComeBackTogether) {
    Journey run({task("a"), task("b")}, FailureMode::isolate, 1);
    run.definition.retry.backoff = 1h;
    run.begin();
    run.end("a", kFailed);
    run.end("b", kFailed);
    EXPECT_NE(run.node("a").ready_at, run.node("b").ready_at);
}

TEST(StepWorkflow, ANodesOwnRetryPolicyReplacesTheSchedules) {
    Journey run(
        {{.id = "a", .retry = model::RetryPolicy{.max_retries = 5, .retry_on = {FailureCategory::rate_limit}}}});
    run.begin();
    EXPECT_EQ(run.end("a", {.status = ExecutionStatus::failed,
                            .category = FailureCategory::rate_limit,
                            .error = "slow down",
                            .retry_after = 10min}),
              Lines{"a queued null (slow down)"});
    EXPECT_GE(run.node("a").ready_at, kNoon + 10min);
    EXPECT_EQ(run.end("a", {.status = ExecutionStatus::failed, .category = FailureCategory::provider_error}),
              (Lines{"a failed", "run failed null (node a: provider_error)"}));
}

TEST(StepWorkflow, IsolateSkipsWhatDependsOnTheFailureAndLetsTheRestGoOn) {
    Journey run({task("a"), task("after", {"a"}), task("long-after", {"after", "b"}), task("b"), task("c", {"b"})});
    run.begin();
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a failed (no)", "after skipped (node a did not succeed)",
                                            "long-after skipped (node after did not succeed)"}));
    EXPECT_EQ(run.events(),
              (Lines{R"(node.failed a {"attempt":1,"cause":null,"error":"no","retryAt":null})",
                     R"(node.skipped after {"because":"a"})", R"(node.skipped long-after {"because":"after"})"}));
    EXPECT_EQ(run.end("b", done()), (Lines{"b succeeded null", "c queued null"}));
    EXPECT_EQ(run.end("c", done()), (Lines{"c succeeded null", "run failed null (node a: no)"}));
}

TEST(StepWorkflow, HaltEndsTheRunAtOnce) {
    Journey run({task("a"), task("b"), task("c", {"b"}), task("d")}, FailureMode::halt);
    run.begin();
    run.end("d", done());
    EXPECT_EQ(run.end("a", kFailed),
              (Lines{"a failed (no)", "b cancelled (the run was halted)", "run failed null (node a: no)"}));
}

TEST(StepWorkflow, HaltStopsWhatWouldHaveStartedInTheSameStep) {
    Journey run({task("a"), task("b", {"a"}), task("c", {"a"}, R"("${nodes.a.output/missing}")"), task("d", {"a"})},
                FailureMode::halt);
    run.begin();
    EXPECT_EQ(run.end("a", done()),
              (Lines{"a succeeded null", "b cancelled (the run was halted)",
                     "c failed (input: the reference ${nodes.a.output/missing} has no value)",
                     "run failed null (node c: input: the reference ${nodes.a.output/missing} has no value)"}));
}

TEST(StepWorkflow, FallbackHandsTheNodeToSomebodyElseOnce) {
    Journey run({task("a"), task("b", {"a"})}, FailureMode::fallback, 1);
    run.definition.assignee = model::Assignee{"agent", "z"};
    run.begin();
    EXPECT_EQ(run.node("a").assignee, "z");
    run.end("a", kFailed);
    EXPECT_EQ(run.end("a", kFailed), Lines{"a queued null (no)"});
    EXPECT_EQ(run.events(), (Lines{R"(node.failed a {"attempt":2,"cause":null,"error":"no","retryAt":null})",
                                   R"(node.reassigned a {"assignee":"b-team"})"}));
    EXPECT_EQ(run.node("a").assignee, "b-team");
    EXPECT_EQ(run.node("a").ready_at, kNoon);
    EXPECT_EQ(run.node("a").attempts_before, 2);
    EXPECT_EQ(run.end("a", kFailed), Lines{"a queued null (no)"}) << "its retries count anew";
    EXPECT_GT(run.node("a").ready_at, kNoon);
    EXPECT_EQ(run.end("a", kFailed),
              (Lines{"a failed (no)", "b skipped (node a did not succeed)", "run failed null (node a: no)"}));
}

TEST(StepWorkflow, NobodyTakesOverTheServersOwnWork) {
    Journey run(
        {{.id = "a", .kind = NodeKind::http, .input = json(R"({"method":"GET","url":"https://example.com/"})")}},
        FailureMode::fallback);
    run.begin();
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a failed (no)", "run failed null (node a: no)"}));
}

TEST(StepWorkflow, AReferenceThatLeadsNowhereFailsItsNodeWithoutRetryOrFallback) {
    Journey run(
        {task("a"), task("b", {"a"}, R"({"x":"${nodes.a.output/missing}"})"), task("c", {"b"}), task("d", {"a"})},
        FailureMode::fallback, 5);
    run.begin();
    EXPECT_EQ(run.end("a", done("{}")),
              (Lines{"a succeeded {}", "b failed (input/x: the reference ${nodes.a.output/missing} has no value)",
                     "c skipped (node b did not succeed)", "d queued null"}));
    EXPECT_EQ(run.node("b").category, FailureCategory::contract_violated);
    EXPECT_EQ(run.node("b").attempts, 0);
    EXPECT_EQ(run.end("d", done()).back(),
              "run failed null (node b: input/x: the reference ${nodes.a.output/missing} has no value)");
}

TEST(StepWorkflow, ARunWhoseInputLacksWhatItNeedsDoesNotBegin) {
    Journey run({task("a", {}, R"("${input/missing}")")});
    EXPECT_EQ(run.begin(), Lines{"refused: node a: input: the reference ${input/missing} has no value"});
}

TEST(StepWorkflow, ARunTimesOutWhenNothingElseFailed) {
    Journey late({task("a"), task("b")});
    late.begin();
    late.end("a", kTimedOut);
    EXPECT_EQ(late.end("b", kTimedOut).back(), "run timed_out null (node a: timeout; node b: timeout)");
    Journey both({task("a"), task("b")});
    both.begin();
    both.end("a", kTimedOut);
    EXPECT_EQ(both.end("b", kFailed).back(), "run failed null (node a: timeout; node b: no)");
}

TEST(StepWorkflow, TheErrorOfARunIsBounded) {
    std::vector<WorkflowNode> nodes;
    for (char name = 'a'; name <= 'h'; ++name) nodes.push_back(task(std::string(1, name)));
    Journey run(nodes);
    run.begin();
    for (char name = 'a'; name <= 'h'; ++name)
        run.end(std::string(1, name), {.status = ExecutionStatus::failed, .error = std::string(100'000, 'x')});
    ASSERT_TRUE(run.step.over);
    EXPECT_LT(run.step.over->error.size(), 6'000U);
    EXPECT_TRUE(run.step.over->error.ends_with("x…; and 3 more"));
}

TEST(StepWorkflow, WhatIsOverStaysOver) {
    Journey run({task("a"), task("b")});
    run.begin();
    run.end("a", done());
    EXPECT_EQ(run.end("a", kFailed), Lines{"refused: node a has already ended"});
    EXPECT_EQ(run.end("x", done()), Lines{"refused: the workflow has no node x"});
    EXPECT_EQ(run.end("b", {.status = ExecutionStatus::queued}), Lines{"refused: a node does not end as queued"});
}

// --- Approvals ------------------------------------------------------------------------------------------------------

using model::ApprovalMode;

WorkflowNode doing(std::string action, WorkflowNode node) {
    node.action = std::move(action);
    return node;
}

TEST(GateOf, SaysWhatHasToBeApproved) {
    const auto why = [](const model::ApprovalPolicy& policy, const std::string& action) {
        const auto found = gate_of(policy, action);
        return found ? std::string(name_of(*found)) : "nothing";
    };
    for (const auto* action : {"publish", "spend", "delete", "external_message", "schedule_change"}) {
        EXPECT_EQ(why({.mode = ApprovalMode::sensitive_actions}, action), "sensitive_action");
        EXPECT_EQ(why({.gates = {"publish", "spend", "delete", "external_message", "schedule_change"}}, action),
                  "gate");
        EXPECT_EQ(why({}, action), "nothing");
        EXPECT_EQ(why({.mode = ApprovalMode::on_block}, action), "nothing");
        EXPECT_EQ(why({.requires_approval = true}, action), "nothing") << "that asks once, for the run";
    }
    EXPECT_EQ(why({.mode = ApprovalMode::every_node}, ""), "every_node");
    EXPECT_EQ(why({.mode = ApprovalMode::sensitive_actions}, "read"), "nothing");
    EXPECT_EQ(why({.mode = ApprovalMode::sensitive_actions, .gates = {"launch"}}, "launch"), "gate")
        << "the set is open";
}

TEST(United, NeitherCanDoWithoutWhatTheOtherAsksFor) {
    using Policy = model::ApprovalPolicy;
    EXPECT_EQ(stricter_of({}, {}), Policy{});
    const Policy every{true, ApprovalMode::every_node, {"a", "b"}, 60'000ms};
    EXPECT_EQ(stricter_of(every, {}), every);
    EXPECT_EQ(stricter_of({}, every), every);
    EXPECT_EQ(stricter_of(every, every), every);
    EXPECT_EQ(stricter_of({.gates = {"b", "c"}}, {.requires_approval = true, .gates = {"a", "b"}}),
              (Policy{true, {}, {"b", "c", "a"}, {}}));
    const std::vector<std::optional<ApprovalMode>> modes{
        ApprovalMode::every_node, ApprovalMode::sensitive_actions, ApprovalMode::on_block, {}};
    for (std::size_t i = 0; i < modes.size(); ++i) {
        for (std::size_t k = 0; k < modes.size(); ++k)
            EXPECT_EQ(stricter_of({.mode = modes[i]}, {.mode = modes[k]}).mode, modes[std::min(i, k)]);
    }
    EXPECT_EQ(stricter_of({.expires_after = 5ms}, {.expires_after = 4ms}).expires_after, 4ms)
        << "nobody waits longer than either allows";
    EXPECT_EQ(stricter_of({.expires_after = 5ms}, {}).expires_after, 5ms);
}

TEST(ApprovalOf, AnAssignmentThatIsNotThereWantsEverythingApproved) {
    model::Schedule schedule{.approval = {.gates = {"spend"}}};
    const model::WorkflowAssignment autonomous{.approval = {.gates = {"publish"}}};
    EXPECT_EQ(approval_of(schedule, nullptr), schedule.approval) << "it names none";
    EXPECT_EQ(approval_of(schedule, &autonomous), schedule.approval);
    schedule.assignment = "a";
    EXPECT_EQ(approval_of(schedule, &autonomous), (model::ApprovalPolicy{.gates = {"spend", "publish"}}));
    EXPECT_EQ(approval_of(schedule, nullptr), (model::ApprovalPolicy{true, ApprovalMode::every_node, {"spend"}, {}}));
    EXPECT_TRUE(may_ask({.assignment = "a"}));
}

TEST(StepWorkflow, ANodeWaitsForWhatOnlyTheAssignmentWants) {
    Journey run({doing("spend", task("a")), doing("publish", task("b", {"c"})), task("c")});
    run.run.approval = {.gates = {"publish", "spend"}};
    EXPECT_EQ(run.begin(), (Lines{"a awaiting_approval", "c queued null"}));
    EXPECT_EQ(run.end("c", done("7")), (Lines{"c succeeded 7", "b awaiting_approval"}));
    EXPECT_EQ(run.step.asks.size(), 1U);
}

TEST(StepWorkflow, AGatedNodeWaitsBeforeItBeginsWithItsInputResolved) {
    Journey run({task("a"), doing("publish", task("b", {"a"}, R"("${nodes.a.output}")"))});
    run.definition.approval = {.gates = {"publish"}, .expires_after = 3'600'000ms};
    EXPECT_EQ(run.begin(), (Lines{"a queued null"}));
    EXPECT_EQ(run.end("a", done("7")), (Lines{"a succeeded 7", "b awaiting_approval"}));
    EXPECT_EQ(run.node("b").input, json("7"));
    ASSERT_EQ(run.step.asks.size(), 1U);
    EXPECT_EQ(run.step.asks.front(), (model::Approval{.run_id = "r-1",
                                                      .node = "b",
                                                      .action = "publish",
                                                      .why = model::ApprovalWhy::gate,
                                                      .requested_at = kNoon,
                                                      .expires_at = kNoon + 1h}));
    EXPECT_EQ(run.events().back(),
              R"(approval.requested b {"why":"gate","action":"publish","expiresAt":"2026-06-01T13:00:00Z"})");
    EXPECT_EQ(run.end("b", done()), (Lines{"refused: node b waits for approval"})) << "nobody has it";
    EXPECT_EQ(run.settle("a"), (Lines{"refused: node a does not wait for approval"}));
    EXPECT_EQ(run.settle("b"), (Lines{"b queued 7"}));
    EXPECT_EQ(run.end("b", done("8")), (Lines{"b succeeded 8", "run succeeded 8"}));
}

TEST(StepWorkflow, TheFirstNodesWaitToo) {
    Journey run({doing("spend", task("a")), task("b")});
    run.definition.approval.mode = ApprovalMode::sensitive_actions;
    EXPECT_EQ(run.begin(), (Lines{"a awaiting_approval", "b queued null"}));
}

TEST(StepWorkflow, ARefusedNodeFailsWithoutRetriesAndWithoutTheFallback) {
    Journey run({doing("spend", task("a")), task("b", {"a"}), task("c")}, FailureMode::fallback, 3);
    run.definition.approval.mode = ApprovalMode::sensitive_actions;
    run.begin();
    EXPECT_EQ(run.settle("a", "refused by ada: too dear"),
              (Lines{"a failed (refused by ada: too dear)", "b skipped (node a did not succeed)"}));
    EXPECT_EQ(run.end("c", done()), (Lines{"c succeeded null", "run failed null (node a: refused by ada: too dear)"}));
}

TEST(StepWorkflow, ARefusalHaltsARunThatHalts) {
    Journey run({doing("spend", task("a")), task("b")}, FailureMode::halt);
    run.definition.approval.gates = {"spend"};
    run.begin();
    EXPECT_EQ(run.settle("a", "refused"),
              (Lines{"a failed (refused)", "b cancelled (the run was halted)", "run failed null (node a: refused)"}));
}

TEST(StepWorkflow, ANodeThatWaitsIsCancelledWhenAnotherHaltsTheRun) {
    Journey run({doing("spend", task("a")), task("b")}, FailureMode::halt);
    run.definition.approval.gates = {"spend"};
    run.begin();
    EXPECT_EQ(run.end("b", kFailed),
              (Lines{"b failed (no)", "a cancelled (the run was halted)", "run failed null (node b: no)"}));
}

TEST(StepWorkflow, AnApprovedNodeIsRetriedAndHandedOverWithoutAskingAgain) {
    Journey run({doing("spend", task("a"))}, FailureMode::fallback, 1);
    run.definition.approval.gates = {"spend"};
    run.begin();
    run.settle("a");
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a queued null (no)"}));
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a queued null (no)"}));
    EXPECT_EQ(run.node("a").assignee, "b-team");
    EXPECT_TRUE(run.step.asks.empty());
}

TEST(StepWorkflow, ABlockedNodeWaitsAndMayBeTriedOnceMoreWithFreshRetries) {
    Journey run({task("a")}, FailureMode::isolate, 1);
    run.definition.approval.mode = ApprovalMode::on_block;
    EXPECT_EQ(run.begin(), (Lines{"a queued null"}));
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a queued null (no)"}));
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a awaiting_approval (no)"}));
    ASSERT_EQ(run.step.asks.size(), 1U);
    EXPECT_EQ(run.step.asks.front().why, model::ApprovalWhy::blocked);
    EXPECT_EQ(run.step.asks.front().attempts, 2);
    EXPECT_EQ(run.settle("a"), (Lines{"a queued null (no)"}));
    EXPECT_EQ(run.end("a", kFailed), (Lines{"a queued null (no)"})) << "its retries are fresh";
    EXPECT_EQ(run.end("a", kTimedOut), (Lines{"a awaiting_approval"}));
    EXPECT_EQ(run.step.asks.front().attempts, 4) << "another round";
    EXPECT_EQ(
        run.settle("a", "not approved within 24 h"),
        (Lines{"a timed_out (not approved within 24 h)", "run timed_out null (node a: not approved within 24 h)"}));
}

TEST(StepWorkflow, ABlockedNodeWaitsWhenOneOfTwoPoliciesAsksAboutIt) {
    const model::ApprovalPolicy sensitive{.mode = ApprovalMode::sensitive_actions};
    const model::ApprovalPolicy on_block{.mode = ApprovalMode::on_block};
    for (const auto& policy : {stricter_of(sensitive, on_block), stricter_of(on_block, sensitive)}) {
        Journey run({task("a")});
        run.definition.approval = policy;
        run.begin();
        EXPECT_EQ(run.end("a", kFailed), (Lines{"a awaiting_approval (no)"}));
        EXPECT_TRUE(gate_of(policy, "publish"));
    }
}

TEST(StepWorkflow, ABlockedNodeThatIsRefusedFailsAsItHadFailed) {
    Journey run({task("a")});
    run.definition.approval.mode = ApprovalMode::on_block;
    run.begin();
    run.end("a", kFailed);
    EXPECT_EQ(run.settle("a", "refused by ada"),
              (Lines{"a failed (no (refused by ada))", "run failed null (node a: no (refused by ada))"}));
}

}  // namespace
}  // namespace belfry::decide::workflow_run_test
