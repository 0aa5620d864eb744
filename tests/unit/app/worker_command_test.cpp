#include "app/worker/worker_command.hpp"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <csignal>

namespace belfry::app {
namespace {

using Exit = ProcessResult::Exit;

ClaimedTask some_task() {
    ClaimedTask task;
    task.lease = {"run-1", "load", 3};
    task.kind = "greet";
    task.idempotency_key = "key-1";
    task.schedule = "nightly";
    task.scheduled_at = "2026-11-16T00:00:00Z";
    task.timeout = std::chrono::milliseconds{1500};
    return task;
}

ProcessResult exited(int code) {
    ProcessResult result;
    result.exit_code = code;
    result.output.text = "5";
    return result;
}

TEST(ReportOf, TheExitCodeDecides) {
    struct Row {
        int code;
        std::string status, category;
    };
    for (const auto& [code, status, category] : {Row{0, "succeeded", ""},
                                                 {75, "failed", "provider_error"},
                                                 {64, "failed", "contract_violated"},
                                                 {65, "failed", "contract_violated"},
                                                 {1, "failed", ""},
                                                 {66, "failed", ""},
                                                 {74, "failed", ""},
                                                 {76, "failed", ""},
                                                 {127, "failed", ""},
                                                 {255, "failed", ""}}) {
        const auto report = report_of(exited(code), some_task(), "");
        EXPECT_EQ(report.status, status) << code;
        EXPECT_EQ(report.category, category) << code;
        EXPECT_EQ(report.result, code == 0 ? Json(5) : Json(nullptr)) << code;
        EXPECT_EQ(report.error, code == 0 ? "" : "exit code " + std::to_string(code));
    }
}

TEST(ReportOf, AFailureSaysWhatTheCommandSaidLast) {
    EXPECT_EQ(report_of(exited(2), some_task(), "\nno such host\n").error, "exit code 2: no such host");
    EXPECT_EQ(report_of(exited(2), some_task(), "a\xff").error, "exit code 2: a\xef\xbf\xbd");
    EXPECT_EQ(report_of(exited(0), some_task(), "only a warning").error, "");
}

TEST(ReportOf, ASignalIsAFailureWithoutACategory) {
    ProcessResult killed;
    killed.signal = SIGKILL;
    EXPECT_EQ(report_of(killed, some_task(), "so far"),
              (AttemptReport{.status = "failed", .error = "ended by signal 9 (Killed): so far"}));
}

TEST(ReportOf, WhoseTimeIsOverTimedOutHoweverItLeft) {
    auto result = exited(0);
    result.exit = Exit::timed_out;
    EXPECT_EQ(report_of(result, some_task(), ""),
              (AttemptReport{.status = "timed_out", .error = "took longer than 1.5 s"}));
    result = exited(75);
    result.exit = Exit::timed_out;
    EXPECT_EQ(report_of(result, some_task(), ""),
              (AttemptReport{.status = "timed_out", .error = "took longer than 1.5 s"}));
}

TEST(ResultOf, JsonIsItselfAndAnythingElseAText) {
    struct Row {
        std::string output, result;
    };
    for (const auto& [output, result] : {Row{"", "null"},
                                         {" \n", "null"},
                                         {"null", "null"},
                                         {"{\"a\":1}\n", R"({"a":1})"},
                                         {"12345678901234567890123", "1.2345678901234567890123e+22"},  // all its digits
                                         {"\"text\"", "\"text\""},
                                         {"hello\n", R"({"output":"hello\n"})"},
                                         {"{\"a\":1}{", R"({"output":"{\"a\":1}{"})"},
                                         {"{\"a\":1,\"a\":2}", R"({"output":"{\"a\":1,\"a\":2}"})"},
                                         {"\xff", "{\"output\":\"\xef\xbf\xbd\"}"}}) {
        EXPECT_EQ(to_text(result_of({.text = output})), result) << output;
    }
}

TEST(ResultOf, WhatWasCutIsATextEvenWhenItsBeginningIsJson) {
    EXPECT_EQ(to_text(result_of({.text = "12", .cut = true})), R"({"output":"12","cut":true})");
}

TEST(ResultOf, JsonThatIsTooDeepForTheRequestIsAText) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(result_of({.text = nested(kJsonDepthMax - 3)}).is_array());
    EXPECT_TRUE(result_of({.text = nested(kJsonDepthMax - 2)}).is_object());
}

TEST(ResultOf, ATextThatGrowsAsJsonIsCutToFit) {
    const auto result = result_of({.text = std::string(kResultBytesMax, '\x1b')});
    EXPECT_LE(to_text(result).size(), kResultBytesMax);
    EXPECT_GT(to_text(result).size(), kResultBytesMax / 2);
    EXPECT_EQ(result.at("cut"), Json(true));
}

TEST(CommandEnvironment, TellsAboutTheTaskAndKeepsTheWorkersOwnButItsToken) {
    const auto environment = command_environment(
        {{"PATH", "/bin"}, {"BELFRY_TOKEN", "secret"}, {"BELFRY_URL", "http://here"}, {"BELFRY_RUN_ID", "other"}},
        some_task(), "acme");
    EXPECT_EQ(environment, (Environment{{"PATH", "/bin"},
                                        {"BELFRY_URL", "http://here"},
                                        {"BELFRY_RUN_ID", "run-1"},
                                        {"BELFRY_NODE", "load"},
                                        {"BELFRY_TASK_KIND", "greet"},
                                        {"BELFRY_IDEMPOTENCY_KEY", "key-1"},
                                        {"BELFRY_ATTEMPT", "3"},
                                        {"BELFRY_SCHEDULE", "nightly"},
                                        {"BELFRY_TENANT", "acme"},
                                        {"BELFRY_SCHEDULED_AT", "2026-11-16T00:00:00Z"}}));
}

TEST(ShortTime, HasTheUnitThatPeopleWouldUse) {
    EXPECT_EQ(short_time(std::chrono::microseconds{999}), "0 ms");
    EXPECT_EQ(short_time(std::chrono::milliseconds{999}), "999 ms");
    EXPECT_EQ(short_time(std::chrono::milliseconds{1250}), "1.2 s");
    EXPECT_EQ(short_time(std::chrono::minutes{2}), "120.0 s");
}

}  // namespace
}  // namespace belfry::app
