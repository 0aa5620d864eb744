#include "model/workflow/workflow_json.hpp"

#include <gtest/gtest.h>

#include "base/text/yaml.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::model::workflow_json_test {
namespace {

using namespace std::chrono_literals;

Json json(std::string_view text) { return parse_json(text, kStoredJsonLimits).value(); }

// Every member but the tenant differs from its default.
Workflow populated() {
    return {
        .name = "invoice-sync",
        .version = 3,
        .description = "Fetches, then \"sends\"",
        .nodes =
            {{.id = "fetch",
              .kind = NodeKind::http,
              .input = json(R"({"method":"GET","url":"https://example.com/","body":2.9999999999999999999})"),
              .timeout = 5s},
             {.id = "send",
              .task_kind = "mail",
              .depends_on = {"fetch"},
              .input = json(R"({"to":"${nodes.fetch.output/body/0}"})"),
              .action = "external_message",
              .timeout = 1500ms,
              .queue = "mail",
              .assignee = "a-1",
              .retry = RetryPolicy{2, 250ms, {FailureCategory::timeout}, 1s}},
             {.id = "log", .kind = NodeKind::command, .input = json(R"({"command":"log"})"), .retry = RetryPolicy{}}},
        .queue = "high",
        .timeout = 1h,
        .triggers = json(R"([{"type":"schedule_based","cron":"0 9 * * *"}])"),
        .created_by = "ada",
        .created_at = parse_instant("2026-06-01T09:30:00.000001Z").value(),
    };
}

TEST(WorkflowJson, HasTheNamesOfTheApi) {
    EXPECT_EQ(to_text(to_json(populated())),
              R"({"name":"invoice-sync","version":3,"description":"Fetches, then \"sends\"","nodes":[)"
              R"({"id":"fetch","kind":"http","input":{"method":"GET","url":"https://example.com/",)"
              R"("body":2.9999999999999999999},"timeoutMs":5000},)"
              R"({"id":"send","taskKind":"mail","dependsOn":["fetch"],"input":{"to":"${nodes.fetch.output/body/0}"},)"
              R"("action":"external_message",)"
              R"("timeoutMs":1500,"queue":"mail","assignee":"a-1","retryPolicy":{"maxRetries":2,"backoffMs":250,)"
              R"("retryOn":["timeout"],"timeoutMs":1000}},)"
              R"({"id":"log","kind":"command","input":{"command":"log"},"retryPolicy":{}}],"queue":"high",)"
              R"("timeoutMs":3600000,"triggers":[{"type":"schedule_based","cron":"0 9 * * *"}],"createdBy":"ada",)"
              R"("createdAt":"2026-06-01T09:30:00.000001Z"})");
}

TEST(WorkflowJson, ComesBackEqualThroughText) {
    for (const auto& workflow : {populated(), Workflow{.name = "least", .nodes = {{.id = "a"}}}, Workflow{}}) {
        for (const auto& written : {to_json(workflow), to_whole_json(workflow)}) {
            const auto text = to_text(written);
            const auto read = workflow_from_json(json(text));
            ASSERT_TRUE(read) << read.error().field << " " << read.error().message << "\n" << text;
            EXPECT_TRUE(*read == workflow) << text;
        }
    }
}

TEST(WorkflowJson, LeavesTheTenantToWhoeverKnowsIt) {
    auto workflow = populated();
    workflow.tenant = "acme";
    EXPECT_EQ(to_text(to_json(workflow)).find("acme"), std::string::npos);
    EXPECT_EQ(workflow_from_json(to_json(workflow)).value().tenant, "");
}

TEST(WorkflowJson, AnswersShowWhatIsAbsentAsNull) {
    EXPECT_EQ(
        to_text(to_whole_json({.name = "w", .nodes = {{.id = "a"}}})),
        R"({"name":"w","version":1,"description":"","nodes":[{"id":"a","kind":"task","taskKind":null,"dependsOn":[],)"
        R"("input":null,"action":null,)"
        R"("timeoutMs":null,"queue":null,"assignee":null,"retryPolicy":null,"connection":null}],"queue":null,)"
        R"("connection":null,"timeoutMs":null,)"
        R"("approvalPolicy":{"requiresApproval":false,"mode":null,"gates":[],"expiresAfterMs":null},"triggers":null,)"
        R"("createdBy":"","createdAt":"1970-01-01T00:00:00Z"})");
}

TEST(WorkflowJson, NullIsAsGoodAsAbsent) {
    const auto read = workflow_from_json(
        json(R"({"name":"w","description":null,"version":null,"nodes":[{"id":"a","kind":null,"dependsOn":null}]})"));
    ASSERT_TRUE(read) << read.error().field << read.error().message;
    EXPECT_TRUE(*read == (Workflow{.name = "w", .nodes = {{.id = "a"}}}));
    EXPECT_EQ(workflow_from_json(json(R"({"name":null,"nodes":[]})")).error(),
              (Error{.message = R"("name" is missing; add it)", .field = "/name"}));
}

TEST(WorkflowJson, TellsAllFaultsAtOnce) {
    const auto read = workflow_from_json(
        json(R"({"name":5,"nodes":[{"id":"a","kind":"shell","depends_on":[]},{"kind":"task","dependsOn":["x",1,2]},7],)"
             R"("timeoutMs":-1,"colour":"red"})"));
    ASSERT_FALSE(read);
    std::vector<std::string> told{read.error().field + ": " + read.error().message};
    for (const auto& other : read.error().more) told.push_back(other.field + ": " + other.message);
    const std::vector<std::string> expected{
        "/name: must be a text, not a number",
        "/nodes/0/kind: kind \"shell\": use one of task, http, command",
        "/nodes/0/depends_on: there is no member \"depends_on\"; did you mean \"dependsOn\"?",
        "/nodes/1/dependsOn/1: must be a text, not a number",
        "/nodes/1/dependsOn/2: must be a text, not a number",
        "/nodes/1/id: \"id\" is missing; add it",
        "/nodes/2: must be an object, not a number",
        "/timeoutMs: must be a whole number from 0 to 3153600000000",
        "/colour: there is no member \"colour\"; remove it",
    };
    EXPECT_EQ(told, expected);
}

TEST(WorkflowJson, TellsNoMoreFaultsThanAnybodyReads) {
    const auto read = workflow_from_json(Json{{"name", "w"}, {"nodes", boost::json::array(1'000, 1)}});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().more.size(), kWorkflowErrorsMax - 1);
}

TEST(WorkflowJson, IsReadFromYamlToo) {
    const auto yaml = parse_yaml(
        "name: report\n"
        "nodes:\n"
        "  - id: fetch\n"
        "    kind: http\n"
        "    input: {method: GET, url: 'https://example.com/'}\n"
        "  - id: send\n"
        "    dependsOn: [fetch]\n"
        "    retryPolicy: {maxRetries: 2}\n");
    ASSERT_TRUE(yaml);
    const Workflow expected{
        .name = "report",
        .nodes = {
            {.id = "fetch", .kind = NodeKind::http, .input = json(R"({"method":"GET","url":"https://example.com/"})")},
            {.id = "send", .depends_on = {"fetch"}, .retry = RetryPolicy{.max_retries = 2}}}};
    EXPECT_TRUE(workflow_from_json(*yaml).value() == expected);
}

}  // namespace
}  // namespace belfry::model::workflow_json_test
