#include "engine/outgoing/launcher_presets.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

model::Task task() {
    model::Task task{.instance_id = "schedule:nightly:1767225600", .task_kind = "etl", .queue = "billing"};
    task.idempotency_key = std::string(64, 'a');
    task.schedule_name = "nightly";
    task.slot.occurrence = parse_instant("2026-01-01T00:00:00Z").value();
    return task;
}

Connection connection(const std::string& kind) {
    return {.name = "engine",
            .kind = kind,
            .place = {},
            .launcher = LauncherPlace{.url = parse_url("http://engine.internal:7243/base/").value(), .token = "t"}};
}

TEST(LauncherPresets, ADurableServerGetsTheIdOfTheOccurrenceAndMayReturnAnExistingWorkflow) {
    auto work = task();
    work.input = Json{{"region", "eu"}};
    work.timeout = std::chrono::milliseconds{1'500};
    work.target.metadata["execution_timeout_seconds"] = "7200";
    const auto call = preset_call(work, connection("durable"));
    EXPECT_EQ(format_url(call.url), "http://engine.internal:7243/base/api/workflows");
    const auto expected = parse_json(R"({"workflow_id":"schedule:nightly:1767225600","workflow_type":"etl",
        "task_queue":"billing","input":[{"region":"eu"}],"memo":{"source":"belfry","schedule":"nightly",
        "scheduled_for":"2026-01-01T00:00:00Z","idempotency_key":")" +
                                     work.idempotency_key + R"("},
        "duplicate_policy":"use-existing","execution_timeout_seconds":7200,"run_timeout_seconds":2})");
    EXPECT_EQ(call.body, expected.value());
    EXPECT_EQ(call.headers, (std::vector<HttpHeader>{{"X-Namespace", "default"},
                                                     {"X-Durable-Workflow-Control-Plane-Version", "2"},
                                                     {"Authorization", "Bearer t"}}));
}

TEST(LauncherPresets, TemporalGetsTheIdempotencyKeyAsItsRequestId) {
    auto work = task();
    work.node = "load data";
    work.input = boost::json::array{1, 2};
    const auto call = preset_call(work, connection("temporal"));
    EXPECT_EQ(format_url(call.url),
              "http://engine.internal:7243/base/api/v1/namespaces/default/workflows/"
              "schedule%3Anightly%3A1767225600%3Aload%20data");
    const auto& body = call.body.get_object();
    EXPECT_EQ(body.at("requestId"), Json(work.idempotency_key));
    EXPECT_EQ(to_text(body.at("workflowType")), R"({"name":"etl"})");
    EXPECT_EQ(to_text(body.at("taskQueue")), R"({"name":"billing"})");
    EXPECT_EQ(to_text(body.at("input")), "[1,2]");
    EXPECT_EQ(body.at("workflowIdReusePolicy"), Json("WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE"));
}

TEST(LauncherPresets, AnEncodedInputIsPassedOnAsItIs) {
    auto work = task();
    work.input = Json{{"codec", "avro"}, {"blob", "AAE="}};
    EXPECT_EQ(preset_call(work, connection("durable")).body.at("input"), work.input);
    EXPECT_EQ(to_text(preset_call(work, connection("temporal")).body.at("input")), "[" + to_text(work.input) + "]")
        << "Temporal knows no such envelope";
    work.input = nullptr;
    EXPECT_EQ(to_text(preset_call(work, connection("durable")).body.at("input")), "[]");
}

TEST(LauncherPresets, AnIdThatDurableWouldRefuseBecomesTheIdempotencyKey) {
    auto work = task();
    for (const auto& id : {std::string("schedule:nachts für alle:1"), "schedule:" + std::string(200, 'n') + ":1"}) {
        work.instance_id = id;
        EXPECT_EQ(workflow_id_of(work, "durable"), "belfry:" + work.idempotency_key);
        EXPECT_EQ(workflow_id_of(work, "temporal"), id);
    }
}

TEST(LauncherPresets, AWorkflowThatExistsCountsAsStarted) {
    struct Row {
        std::string_view kind;
        int status;
        std::string body;
        bool started;
        std::string run_id;
    };
    const std::string already = R"({"code":6,"message":"already started","details":[{"@type":
        "type.googleapis.com/temporal.api.errordetails.v1.WorkflowExecutionAlreadyStartedFailure","runId":"r"}]})";
    const std::vector<Row> rows{{"durable", 201, R"({"run_id":"r","outcome":"started_new"})", true, "r"},
                                {"durable", 200, R"({"run_id":"r","outcome":"returned_existing_active"})", true, "r"},
                                {"durable", 409, R"({"run_id":"r","outcome":"rejected_duplicate"})", true, "r"},
                                {"durable", 409, R"({"reason":"workflow_id_reserved_in_namespace"})", false, ""},
                                {"durable", 422, R"({"message":"no such type"})", false, ""},
                                {"temporal", 200, R"({"runId":"r","started":true})", true, "r"},
                                {"temporal", 200, R"({"runId":"r","started":false})", true, "r"},
                                {"temporal", 409, already, true, "r"},
                                {"temporal", 409, R"({"code":6,"message":"namespace exists","details":[]})", false, ""},
                                {"temporal", 404, "not JSON", false, ""}};
    for (const auto& row : rows) {
        const auto read = read_preset_answer({.status = row.status, .body = row.body}, row.kind);
        EXPECT_EQ(read.started, row.started) << row.body;
        EXPECT_EQ(read.run_id, row.run_id) << row.body;
    }
}

}  // namespace
}  // namespace belfry::engine
