#include "model/run/own_task.hpp"

#include <gtest/gtest.h>

#include "support/worlds/schedules.hpp"

namespace belfry::model::own_task_test {
namespace {

using test::json;
using test::Lines;

Schedule schedule(const std::string& kind, Json input) {
    return test::definition(
        [&](Schedule& it) { it.target = {.type = TargetType::task, .kind = kind, .input = std::move(input)}; });
}

Lines lines_of(const Schedule& schedule) {
    Lines lines;
    for (const auto& error : check_own_task(schedule)) lines.push_back(error.field + ": " + error.message);
    return lines;
}

const Json kCall = Json{{"method", "GET"}, {"url", "https://example.com/${run.id}"}};

TEST(OwnTask, AnInputThatCanBeDoneIsAccepted) {
    EXPECT_EQ(lines_of(schedule("http", kCall)), Lines{});
    EXPECT_EQ(lines_of(schedule("command", json(R"({"command":"backup","target":"${run.scheduledAt}"})"))), Lines{});
}

TEST(OwnTask, WhatOthersDoIsTheirsToCheck) {
    EXPECT_EQ(lines_of(schedule("mail", json(R"({"url":7,"a":"${x"})"))), Lines{});
    auto workflow = schedule("http", nullptr);
    workflow.target.type = TargetType::workflow;
    EXPECT_EQ(lines_of(workflow), Lines{});
}

TEST(OwnTask, AllThatIsWrongIsToldWithItsPlace) {
    EXPECT_EQ(lines_of(schedule("http", json(R"({"method":"GET","url":"ftp://example.com/","timeoutMs":0})"))).size(),
              2U);
    EXPECT_EQ(lines_of(schedule("http", json(R"({"method":"GET","urll":"https://example.com/"})"))),
              (Lines{R"(/target/input/url: "url" is missing; add it)",
                     R"(/target/input/urll: there is no member "urll"; did you mean "url"?)"}));
    EXPECT_EQ(lines_of(schedule("command", json("{}"))),
              Lines{R"(/target/input/command: "command" is missing; add it)"});
    EXPECT_EQ(lines_of(schedule("http",
                                json(R"({"method":"GET","url":"https://example.com/","body":[{"a":"x${input/a}"}]})"))),
              Lines{"/target/input/body/0/a: ${input/a}: the input of a task can refer only to its run, as in "
                    "${run.scheduledAt}"});
    EXPECT_EQ(lines_of(schedule("command", json(R"({"command":"a","x":"${"})"))).size(), 1U);
}

TEST(OwnTask, EveryInputThatARunMayTakeIsChecked) {
    auto turning = schedule("http", nullptr);
    turning.inputs_rotation = {kCall, json(R"({"method":"GET"})")};
    EXPECT_EQ(lines_of(turning), Lines{R"(/inputsRotation/1/url: "url" is missing; add it)"});
    turning.inputs_rotation.pop_back();
    EXPECT_EQ(lines_of(turning), Lines{}) << "the target needs no input when every run has another";
    turning.inputs_template = json(R"({"url":"https://example.com/"})");
    EXPECT_EQ(lines_of(turning), Lines{R"(/inputsTemplate/method: "method" is missing; add it)"});
}

}  // namespace
}  // namespace belfry::model::own_task_test
