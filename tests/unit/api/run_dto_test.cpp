#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"

#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api::run_dto_test {

namespace {

using model::DispatchStatus;
using model::ExecutionStatus;
using test::instant;
using test::json;

model::Schedule schedule() {
    return test::definition([](model::Schedule& definition) { definition.id = "s1"; });
}

model::Run run() {
    return {.id = "r1",
            .schedule_id = "s1",
            .slot = {model::RunCause::tick, instant("2026-06-01T10:00:00Z")},
            .version = 2,
            .fire_at = instant("2026-06-01T10:00:01Z"),
            .decided_at = instant("2026-06-01T10:00:02Z"),
            .dispatch = DispatchStatus::dispatched,
            .execution = ExecutionStatus::succeeded,
            .detail = "d",
            .input = json(R"({"a":1})"),
            .trigger_number = 3,
            .rotation_index_used = 1,
            .started_at = instant("2026-06-01T10:00:03Z"),
            .completed_at = instant("2026-06-01T10:00:04Z"),
            .attempts = 2,
            .result = json("5"),
            .error = "e"};
}

}  // namespace

TEST(RunDto, ARunAnswersEverythingItsRowKnows) {
    EXPECT_EQ(
        to_text(to_json(run(), schedule(), {})),
        R"({"id":"r1","idempotencyKey":")" + model::idempotency_key("s1", run().slot) +
            R"(","instanceId":"schedule:report:1780308000","scheduleId":"s1","scheduleName":"report",)"
            R"("scheduleVersion":2,"labels":{},"memo":{},"searchAttributes":{},)"
            R"("scheduledAt":"2026-06-01T10:00:00Z","fireAt":"2026-06-01T10:00:01Z",)"
            R"("decidedAt":"2026-06-01T10:00:02Z",)"
            R"("startedAt":"2026-06-01T10:00:03Z","completedAt":"2026-06-01T10:00:04Z","status":"succeeded",)"
            R"("outcome":"completed","dispatchStatus":"dispatched",)"
            R"("reason":null,"detail":"d","cause":"tick","triggerNumber":3,"targetType":"workflow","targetId":"r1",)"
            R"("input":{"a":1},)"
            R"("rotationIndex":1,"overlapPolicy":"skip","result":5,"error":"e","attempts":2,"cost":null,)"
            R"("approvalStatus":"not_required","range":null})");
}

TEST(RunDto, TheOutcomeTellsAStatusInFourWords) {
    using enum ExecutionStatus;
    const std::vector<std::pair<ExecutionStatus, const char*>> rows{
        {awaiting_approval, "running"}, {queued, "running"},  {ExecutionStatus::running, "running"},
        {succeeded, "completed"},       {failed, "failed"},   {cancelled, "failed"},
        {terminated, "failed"},         {timed_out, "failed"}};
    for (const auto& [status, word] : rows) {
        auto each = run();
        each.execution = status;
        EXPECT_EQ(to_json(each, schedule(), {}).at("outcome"), Json(word)) << name_of(status);
    }
    auto each = run();
    each.execution = none;
    each.dispatch = DispatchStatus::buffered;
    EXPECT_EQ(to_json(each, schedule(), {}).at("outcome"), Json("running"));
    each.dispatch = DispatchStatus::skipped;
    EXPECT_EQ(to_json(each, schedule(), {}).at("outcome"), Json("skipped"));
    EXPECT_EQ(parse_run_state("completed").value(), store::RunState::succeeded);
}

TEST(RunDto, ASkippedStretchSaysHowFarItGoes) {
    auto skipped = run();
    skipped.dispatch = DispatchStatus::skipped;
    skipped.execution = ExecutionStatus::none;
    skipped.reason = model::SkipReason::missed_run;
    skipped.range = {instant("2026-06-02T10:00:00Z"), 25, true};
    const auto answer = to_json(skipped, schedule(), {});
    EXPECT_EQ(test::at(answer, "/status"), "\"skipped\"");
    EXPECT_EQ(test::at(answer, "/reason"), "\"missed_run\"");
    EXPECT_EQ(test::at(answer, "/targetId"), "null");
    EXPECT_EQ(test::at(answer, "/range"), R"({"last":"2026-06-02T10:00:00Z","count":25,"atLeast":true})");
}

TEST(RunDto, ApprovalIsWhatMattersMostOfAllThatWasAskedFor) {
    using enum model::ApprovalStatus;
    const auto status_of = [](const std::vector<model::ApprovalStatus>& statuses) {
        std::vector<model::Approval> approvals{{.run_id = "another", .status = pending}};
        for (const auto status : statuses) approvals.push_back({.run_id = "r1", .node = "n", .status = status});
        return test::at(to_json(run(), schedule(), approvals), "/approvalStatus");
    };
    EXPECT_EQ(status_of({}), "\"not_required\"");
    EXPECT_EQ(status_of({approved}), "\"approved\"");
    EXPECT_EQ(status_of({approved, rejected, pending}), "\"pending\"");
    EXPECT_EQ(status_of({approved, expired, rejected}), "\"rejected\"");
    EXPECT_EQ(status_of({approved, expired, voided}), "\"expired\"");
    EXPECT_EQ(status_of({approved, voided}), "\"approved\"");
    EXPECT_EQ(status_of({voided}), "\"void\"");
}

TEST(RunDto, OfANodeTheNewestWordCounts) {
    const model::NodeRun node{.node = "n"};
    std::vector<model::Approval> approvals{
        {.run_id = "r1", .node = "n", .status = model::ApprovalStatus::approved},
        {.run_id = "r1", .node = "n", .attempts = 2, .status = model::ApprovalStatus::rejected},
        {.run_id = "r1", .node = "m"}};
    EXPECT_EQ(test::at(to_json(node, approvals), "/approvalStatus"), "\"rejected\"");
    EXPECT_EQ(test::at(to_json(node, {}), "/approvalStatus"), "\"not_required\"");
}

TEST(RunDto, EveryStateIsReadByTheNameItIsWrittenWith) {
    for (int i = 0; i <= static_cast<int>(store::RunState::buffered); ++i) {
        const auto state = static_cast<store::RunState>(i);
        EXPECT_EQ(*parse_run_state(name_of(state)), state);
    }
    EXPECT_FALSE(parse_run_state("done"));
}

TEST(RunDto, ATaskHasWhatAWorkerNeeds) {
    const model::Task task{.run_id = "r1",
                           .schedule_id = "s1",
                           .tenant = "default",
                           .schedule_name = "report",
                           .idempotency_key = "k",
                           .instance_id = "i",
                           .target = {.type = model::TargetType::task, .kind = "mail"},
                           .node = "send",
                           .task_kind = "mail",
                           .action = "external_message",
                           .assignee = "team-1",
                           .workflow_version = 3,
                           .input = json("[1]"),
                           .slot = run().slot,
                           .attempt = 2,
                           .lease_until = instant("2026-06-01T10:01:00Z"),
                           .timeout = std::chrono::milliseconds{500}};
    EXPECT_EQ(
        to_text(to_json(task)),
        R"({"runId":"r1","attempt":2,"leaseUntil":"2026-06-01T10:01:00Z","idempotencyKey":"k","instanceId":"i",)"
        R"("scheduleId":"s1",)"
        R"("scheduleName":"report","scheduledAt":"2026-06-01T10:00:00Z","cause":"tick","node":"send",)"
        R"("taskKind":"mail",)"
        R"("action":"external_message","assignee":"team-1","workflowVersion":3,"target":{"type":"task",)"
        R"("taskKind":"mail",)"
        R"("version":null,"input":null,"metadata":{},"queue":"default","connection":null,"priority":0},"input":[1],)"
        R"("timeoutMs":500})");
}

TEST(RunDto, ABackfillSaysHowFarItIs) {
    const model::Backfill backfill{.id = "b",
                                   .schedule_id = "s1",
                                   .from = instant("2026-06-01T00:00:00Z"),
                                   .to = instant("2026-06-02T00:00:00Z"),
                                   .overlap = model::OverlapPolicy::allow_all,
                                   .concurrency = 3,
                                   .rerun = model::BackfillRerun::failed,
                                   .status = model::BackfillStatus::running,
                                   .next_from = instant("2026-06-01T12:00:00Z"),
                                   .dispatched = 12,
                                   .skipped = 1,
                                   .error = "e",
                                   .created_by = "me",
                                   .created_at = instant("2026-06-03T00:00:00Z"),
                                   .updated_at = instant("2026-06-03T00:00:01Z"),
                                   .version = 4};
    EXPECT_EQ(
        to_text(to_json(backfill)),
        R"({"id":"b","scheduleId":"s1","from":"2026-06-01T00:00:00Z","to":"2026-06-02T00:00:00Z",)"
        R"("overlapPolicy":"allow_all",)"
        R"("concurrency":3,"rerun":"failed","status":"running","nextFrom":"2026-06-01T12:00:00Z","dispatched":12,)"
        R"("skipped":1,"error":"e","createdBy":"me",)"
        R"("createdAt":"2026-06-03T00:00:00Z","updatedAt":"2026-06-03T00:00:01Z","version":4})");
}

TEST(RunDto, APreviewRowMarksAClockChange) {
    const decide::PreviewRow row{.occurrence = instant("2026-03-08T07:00:00Z"),
                                 .local = test::zone("America/New_York")->to_local(instant("2026-03-08T07:00:00Z")),
                                 .dst = spec::DstMark{spec::DstMark::Kind::shifted, LocalSeconds{}}};
    EXPECT_EQ(
        to_text(to_json(row)),
        R"({"occurrence":"2026-03-08T07:00:00Z","local":"2026-03-08T03:00:00","decision":"dispatched","reason":null,)"
        R"("detail":null,"inputs":null,"dst":{"kind":"shifted","nominal":"1970-01-01T00:00:00"}})");
}

TEST(RunDto, TheEndOfAnAttemptIsReadStrictly) {
    struct Row {
        std::string body;
        std::string pointer;
    };
    const Row rows[] = {
        {R"({"status": "succeeded", "result": null})", "accepted"},
        {R"({"status": "failed", "error": "e", "category": "timeout"})", "accepted"},
        {R"({})", "/status"},
        {R"({"status": "running"})", "/status"},
        {R"({"status": "won"})", "/status"},
        {R"({"status": "failed", "category": "luck"})", "/category"},
        {R"({"status": "failed", "error": 5})", "/error"},
        {R"({"status": "failed", "errors": "e"})", "/errors"},
    };
    for (const auto& row : rows) {
        const auto body = json(row.body);
        const auto errors = check(body, *record("", attempt_end_members()));
        EXPECT_EQ(errors.empty() ? "accepted" : errors.front().field, row.pointer) << row.body;
        const bool ends = errors.empty() && is_terminal(read_attempt_end(Values(body)).status);
        EXPECT_EQ(ends, row.pointer == "accepted") << row.body;
    }
}

}  // namespace belfry::api::run_dto_test
