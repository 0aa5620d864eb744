#include "model/workflow/workflow_check.hpp"

#include <gtest/gtest.h>

#include "model/workflow/workflow_json.hpp"

namespace belfry::model::workflow_check_test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const Errors& errors) {
    Lines lines;
    for (const auto& error : errors) lines.push_back(error.field + ": " + error.message);
    return lines;
}

Lines check(const Workflow& workflow) { return lines_of(check_workflow(workflow)); }
Lines nodes(std::vector<WorkflowNode> nodes) { return check({.name = "w", .nodes = std::move(nodes)}); }
Lines node(WorkflowNode node) { return nodes({std::move(node)}); }
WorkflowNode task(std::string id, std::vector<std::string> depends_on = {}, const char* input = "null") {
    return {.id = std::move(id), .depends_on = std::move(depends_on), .input = parse_json(input).value()};
}

TEST(WorkflowCheck, ADiamondIsFine) {
    EXPECT_EQ(nodes({task("end", {"left", "right"}, R"(["${nodes.left.output}","${nodes.start.output/x}","${input}"])"),
                     task("left", {"start"}), task("right", {"start"}), task("start")}),
              Lines{});
}

TEST(WorkflowCheck, HasOneToFiveHundredNodes) {
    EXPECT_EQ(nodes({}), Lines{"/nodes: a workflow needs at least one node"});
    std::vector<WorkflowNode> many;
    for (int i = 0; i < 500; ++i) many.push_back(task("n" + std::to_string(i)));
    EXPECT_EQ(nodes(many), Lines{});
    many.push_back(task("one-more"));
    EXPECT_EQ(nodes(many), Lines{"/nodes: has 501 nodes; use at most 500"});
}

TEST(WorkflowCheck, IdsAreShortAndUnique) {
    EXPECT_EQ(node(task("Az_09-")), Lines{});
    for (const std::string id : {"", "a b", "a.b", "é", "a/b"}) {
        EXPECT_EQ(node(task(id)), Lines{"/nodes/0/id: the id \"" + id + "\": use 1 to 64 letters, digits, _ and -"});
    }
    EXPECT_EQ(node(task(std::string(65, 'a'))).size(), 1U);
    EXPECT_EQ(nodes({task("a"), task("b"), task("a")}),
              Lines{"/nodes/2/id: the id \"a\" is already used; ids must be unique in a workflow"});
}

TEST(WorkflowCheck, UnknownDependenciesAreNamedWithWhatWasMeant) {
    EXPECT_EQ(nodes({task("fetch"), task("send", {"fetchh", "mail", "fetch", "fetch"})}),
              (Lines{"/nodes/1/dependsOn/0: there is no node \"fetchh\"; did you mean \"fetch\"?",
                     "/nodes/1/dependsOn/1: there is no node \"mail\"",
                     "/nodes/1/dependsOn/3: \"fetch\" is listed twice; keep one of them"}));
}

TEST(WorkflowCheck, CyclesShowTheirPath) {
    const std::string end = "; each waits for the next, so none can start: remove one of these dependencies";
    EXPECT_EQ(nodes({task("a", {"a"})}), Lines{"/nodes/0/dependsOn: cycle_detected: a -> a" + end});
    EXPECT_EQ(nodes({task("x"), task("b", {"a", "x"}), task("a", {"b"})}),
              Lines{"/nodes/1/dependsOn: cycle_detected: b -> a -> b" + end});
    EXPECT_EQ(nodes({task("a", {"b"}), task("b", {"c"}), task("c", {"d", "a"}), task("d", {"a"}), task("e", {"f"}),
                     task("f", {"e"})}),
              (Lines{"/nodes/0/dependsOn: cycle_detected: a -> b -> c -> a" + end,
                     "/nodes/4/dependsOn: cycle_detected: e -> f -> e" + end}));
}

TEST(WorkflowCheck, ALongCycleIsToldInShort) {
    std::vector<WorkflowNode> ring;
    for (int i = 0; i < 100; ++i) ring.push_back(task("n" + std::to_string(i), {"n" + std::to_string((i + 1) % 100)}));
    const auto errors = check_workflow({.name = "w", .nodes = ring});
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(errors[0].message.starts_with("cycle_detected: n0 -> n1 -> ")) << errors[0].message;
    EXPECT_NE(errors[0].message.find(" -> n9 -> (81 more) -> n91 -> "), std::string::npos) << errors[0].message;
    EXPECT_NE(errors[0].message.find(" -> n99 -> n0; "), std::string::npos) << errors[0].message;
}

TEST(WorkflowCheck, ACycleCanBeToldFromOtherFaults) {
    const auto cyclic =
        checked_workflow_from_json(parse_json(R"({"name":"","nodes":[{"id":"a","dependsOn":["a"]}]})").value());
    ASSERT_FALSE(cyclic);
    EXPECT_EQ(cyclic.error().field, "/name");
    EXPECT_TRUE(tells_cycle(cyclic.error()));
    EXPECT_FALSE(
        tells_cycle(checked_workflow_from_json(parse_json(R"({"name":"","nodes":[{"id":"a"}]})").value()).error()));
}

TEST(WorkflowCheck, ReferencesLeadUpstream) {
    EXPECT_EQ(
        nodes({task("fetch"), task("other"),
               task("send", {"fetch"},
                    R"({"to":["${nodes.other.output/x}"],"b":"a ${nodes.fetsh.output} ${nodes.send.output}"})")}),
        (Lines{
            R"(/nodes/2/input/to/0: ${nodes.other.output/x} is not available yet when "send" starts: add "other" to )"
            R"(its dependsOn)",
            R"(/nodes/2/input/b: there is no node "fetsh" for ${nodes.fetsh.output}; did you mean "fetch"?)",
            R"(/nodes/2/input/b: ${nodes.send.output} is not available yet when "send" starts: add "send" to its )"
            R"(dependsOn)"}));
    EXPECT_EQ(nodes({task("a"), task("b", {"a"}), task("c", {"b"}, R"("${nodes.a.output}")")}), Lines{});
    EXPECT_EQ(
        node(task("a", {}, R"(["${x}",{"k":"${run.x}"}])")),
        (Lines{R"(/nodes/0/input/0: the reference "${x}": use ${nodes.ID.output/path}, ${input/path} or ${run.NAME}, )"
               R"(and $${ for ${ itself)",
               R"(/nodes/0/input/1/k: the reference "${run.x}": a run has no "x"; it has id, scheduledAt, )"
               R"(idempotencyKey, instanceId, scheduleName, tenant)"}));
}

TEST(WorkflowCheck, WhatOnlyWorkersNeedIsRefusedElsewhere) {
    WorkflowNode call{.id = "a",
                      .kind = NodeKind::http,
                      .task_kind = "x",
                      .input = Json{{"method", "GET"}, {"url", "https://example.com/"}},
                      .queue = "q",
                      .assignee = "z"};
    const std::string only = ": only a node of kind task can have this: the server itself does the work of kind http";
    EXPECT_EQ(node(call), (Lines{"/nodes/0/taskKind" + only, "/nodes/0/queue" + only, "/nodes/0/assignee" + only}));
    EXPECT_EQ(node({.id = "a", .task_kind = "x", .queue = "q", .assignee = "z"}), Lines{});
}

TEST(WorkflowCheck, InputsOfBuiltInNodesHaveTheirShape) {
    EXPECT_EQ(
        node({.id = "a", .kind = NodeKind::http, .input = Json{{"method", "GET"}, {"url", "https://${input/host}/"}}})
            .size(),
        1U);
    EXPECT_EQ(node({.id = "a", .kind = NodeKind::command, .input = Json{{"command", "resize"}}}), Lines{});
    EXPECT_EQ(node({.id = "a", .kind = NodeKind::command}).size(), 1U);
    // A malformed reference is told once, not by both who look at the url.
    EXPECT_EQ(
        node({.id = "a", .kind = NodeKind::http, .input = Json{{"method", "GET"}, {"url", "https://example.com/${x}"}}})
            .size(),
        1U);
}

TEST(WorkflowCheck, QueuesOfTheServerCannotBeNamed) {
    const std::string own = ": names that begin with @ are reserved for the server; use another";
    EXPECT_EQ(node({.id = "a", .queue = "@http"}), Lines{"/nodes/0/queue" + own});
    EXPECT_EQ(check({.name = "w", .nodes = {task("a")}, .queue = "@command"}), Lines{"/queue" + own});
    EXPECT_EQ(check({.name = "w", .nodes = {task("a")}, .queue = ""}), Lines{"/queue: must not be empty"});
}

TEST(WorkflowCheck, NumbersAreBoundedAsThoseOfSchedules) {
    using std::chrono::milliseconds;
    const std::string range = " to 3162240000000";
    EXPECT_EQ(node({.id = "a",
                    .timeout = milliseconds{0},
                    .retry = RetryPolicy{1'001, milliseconds{3'162'240'000'001}, {}, milliseconds{-1}}}),
              (Lines{"/nodes/0/timeoutMs: must be a whole number from 1" + range,
                     "/nodes/0/retryPolicy/maxRetries: must be a whole number from 0 to 1000",
                     "/nodes/0/retryPolicy/backoffMs: must be a whole number from 0" + range,
                     "/nodes/0/retryPolicy/timeoutMs: must be a whole number from 0" + range}));
    EXPECT_EQ(check({.name = "w", .version = 0, .nodes = {task("a")}, .timeout = milliseconds{0}}),
              (Lines{"/version: must be 1 or more", "/timeoutMs: must be a whole number from 1" + range}));
}

TEST(WorkflowCheck, TextsAreNames) {
    EXPECT_EQ(check({.name = "", .nodes = {task("a")}}), Lines{"/name: must not be empty"});
    EXPECT_EQ(check({.name = std::string(256, 'a'), .nodes = {task("a")}}),
              Lines{"/name: has 256 characters; use at most 255"});
    EXPECT_EQ(check({.name = "w", .description = std::string(10'001, 'a'), .nodes = {task("a")}}),
              Lines{"/description: use at most 10000 bytes"});
    EXPECT_EQ(node({.id = "a", .task_kind = "a\nb", .action = "\x01", .assignee = ""}),
              (Lines{"/nodes/0/action: must not contain the control character U+0001; remove it",
                     "/nodes/0/taskKind: must not contain the control character U+000A; remove it",
                     "/nodes/0/assignee: must not be empty"}));
}

TEST(WorkflowCheck, TriggersAreScheduleBasedAndHaveDifferentNames) {
    const auto triggers = [](std::string_view text) {
        return check({.name = "w", .nodes = {task("a")}, .triggers = parse_json(text).value()});
    };
    EXPECT_EQ(triggers(R"([{"type":"schedule_based","cron":"0 9 * * *"},{"type":"schedule_based","name":"x"},)"
                       R"({"type":"schedule_based","name":"y"}])"),
              Lines{});
    EXPECT_EQ(triggers("[]"), Lines{});
    EXPECT_EQ(triggers("{}"), Lines{"/triggers: must be an array, not an object"});
    EXPECT_EQ(
        triggers(R"([7,{},{"type":"webhook","name":"b"},{"type":"schedule_based","name":5},{"type":"schedule_based",)"
                 R"("name":""},{"type":5,"name":"c"}])"),
        (Lines{"/triggers/0: must be an object, not a number", "/triggers/1/type: \"type\" is missing; add it",
               "/triggers/2/type: must be \"schedule_based\"", "/triggers/3/name: must be a text, not a number",
               "/triggers/4/name: must not be empty", "/triggers/5/type: must be \"schedule_based\""}));
    EXPECT_EQ(triggers(R"([{"type":"schedule_based"},{"type":"schedule_based","name":null},{"type":"schedule_based",)"
                       R"("name":"w"}])"),
              (Lines{"/triggers/1/name: another trigger also has the name \"w\"; use a unique name",
                     "/triggers/2/name: another trigger also has the name \"w\"; use a unique name"}));
    EXPECT_EQ(
        check(
            {.name = "w", .nodes = {task("a")}, .triggers = boost::json::array(21, Json{{"type", "schedule_based"}})}),
        Lines{"/triggers: has 21 triggers; use at most 20"});
}

TEST(WorkflowCheck, TellsNoMoreFaultsThanAnybodyReads) {
    std::vector<WorkflowNode> many(200, task("a b"));
    EXPECT_EQ(nodes(many).size(), kWorkflowErrorsMax);
}

TEST(WorkflowCheck, OneInputThatIsReadIsChecked) {
    EXPECT_TRUE(checked_workflow_from_json(parse_json(R"({"name":"w","nodes":[{"id":"a"}]})").value()));
    EXPECT_EQ(checked_workflow_from_json(parse_json(R"({"name":"w"})").value()).error().field, "/nodes");
}

}  // namespace
}  // namespace belfry::model::workflow_check_test
