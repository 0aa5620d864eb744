#include "engine/outgoing/command_task.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/worlds/life_line.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/temp_folder.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::engine {
namespace {

using model::ExecutionStatus;
using model::FailureCategory;
using test::json;
using Arguments = std::vector<std::string>;

model::Task task(const std::string& input) {
    model::Task task;
    task.run_id = "run-1";
    task.schedule_id = "0197a1b2-0000-7000-8000-000000000001";
    task.tenant = "default";
    task.schedule_name = "report";
    task.idempotency_key = "key-1";
    task.kind = model::NodeKind::command;
    task.input = json(input);
    task.slot = {model::RunCause::tick, parse_instant("2026-06-01T10:00:00Z").value()};
    task.attempt = 2;
    return task;
}

Command command(Arguments argv) { return {.name = "it", .argv = std::move(argv)}; }
Command shell(const std::string& script) { return command({"/bin/sh", "-c", script}); }

decide::AttemptEnd run(const Command& command, const model::Task& wanted = task(R"({"command":"it"})")) {
    return CommandTask({{command.name, command}}).run(wanted).value();
}

// --- How it ends
// -----------------------------------------------------------------------------------------------------------

TEST(CommandTask, ASuccessTellsWhatItWrote) {
    const auto end = run(shell("echo '{\"a\": 1}'; echo note >&2"));
    EXPECT_EQ(end.status, ExecutionStatus::succeeded);
    EXPECT_EQ(to_text(end.result),
              R"({"exitCode":0,"signal":null,"stdout":"{\"a\": 1}\n","stderr":"note\n","cut":false,"output":{"a":1}})");
    EXPECT_EQ(to_text(run(shell("printf 'a\\000\\377'")).result),
              "{\"exitCode\":0,\"signal\":null,\"stdout\":\"a\xef\xbf\xbd\xef\xbf\xbd\",\"stderr\":\"\",\"cut\":false,"
              "\"output\":null}");
}

TEST(CommandTask, TheExitCodeTellsWhetherAnotherAttemptIsOfUse) {
    struct Row {
        const char* script;
        std::optional<FailureCategory> category;
        const char* error;
    };
    for (const auto& [script, category, error] : {
             Row{"exit 75", FailureCategory::provider_error, "the command ended with exit code 75"},
             Row{"echo first >&2; echo 'no such place' >&2; exit 64", FailureCategory::contract_violated,
                 "the command ended with exit code 64: no such place"},
             Row{"exit 65", FailureCategory::contract_violated, "the command ended with exit code 65"},
             Row{"exit 1", std::nullopt, "the command ended with exit code 1"},
             Row{"kill -SEGV $$", std::nullopt, "the command was ended by signal 11"},
         }) {
        const auto end = run(shell(script));
        EXPECT_EQ(end.status, ExecutionStatus::failed) << script;
        EXPECT_EQ(end.category, category) << script;
        EXPECT_EQ(end.error, error);
    }
    EXPECT_EQ(run(shell("kill -SEGV $$")).result.at("signal"), Json(SIGSEGV));
    EXPECT_EQ(run(shell("exit 3")).result.at("exitCode"), Json(3));
}

TEST(CommandTask, AFloodIsReadToItsEndAndCut) {
    auto flood = shell("head -c 3000000 /dev/zero | tr '\\0' x; exit 0");
    flood.output_max = 1'000;
    const auto end = run(flood);
    EXPECT_EQ(end.status, ExecutionStatus::succeeded);
    EXPECT_EQ(end.result.at("stdout").as_string().size(), 1'000U);
    EXPECT_EQ(end.result.at("cut"), Json(true));
    EXPECT_TRUE(end.result.at("output").is_null());
}

TEST(CommandTask, WhoeverTakesTooLongIsEnded) {
    auto slow = shell("trap '' TERM; echo begun; sleep 1000");
    slow.timeout = std::chrono::milliseconds{100};
    auto end = run(slow);
    EXPECT_EQ(end.status, ExecutionStatus::timed_out);
    EXPECT_EQ(end.category, FailureCategory::timeout);
    EXPECT_EQ(end.error, "the command did not end within 100 ms");
    slow = shell("sleep 1000");
    auto hurried = task(R"({"command":"it"})");
    hurried.timeout = std::chrono::milliseconds{50};
    EXPECT_EQ(run(slow, hurried).error, "the command did not end within 50 ms") << "the task's own timeout counts, too";
}

TEST(CommandTask, ACommandThatIsStoppedHasNoEnd) {
    const test::TempFolder folder;
    const auto begun = folder.file("begun");
    const CommandTask tasks({{"it", shell("touch " + begun + "; sleep 1000")}});
    std::stop_source stop;
    std::optional<decide::AttemptEnd> end{decide::AttemptEnd{}};
    std::jthread runner([&] { end = tasks.run(task(R"({"command":"it"})"), stop.get_token()); });
    ASSERT_TRUE(test::within_a_minute([&] { return std::filesystem::exists(begun); }));
    stop.request_stop();
    runner.join();
    EXPECT_EQ(end, std::nullopt);
}

TEST(CommandTask, WhatLeftItsSessionEndsWithIt) {
    const test::TempFolder folder;
    const test::LifeLine life(folder.file("life"));
    const auto end =
        run(shell("exec 7>" + life.path() + "; (setsid sh -c 'sleep 600 & echo begun >&7') & wait; echo done"));
    EXPECT_EQ(end.result.at("stdout"), Json("done\n"));
    EXPECT_TRUE(life.has_begun());
    EXPECT_TRUE(life.is_over());
}

TEST(CommandTask, AProgramThatCannotBeStartedIsAFailure) {
    const auto end = run(command({"/nonexistent/program"}));
    EXPECT_EQ(end.status, ExecutionStatus::failed);
    EXPECT_NE(end.error.find("/nonexistent/program"), std::string::npos) << end.error;
}

// --- What it is given
// ------------------------------------------------------------------------------------------------------

TEST(CommandTask, TheInputStandsOnTheStandardInput) {
    EXPECT_EQ(to_text(run(command({"/bin/cat"}), task(R"({"command":"it","n":[1,"${run.id}"]})")).result.at("output")),
              R"({"command":"it","n":[1,"run-1"]})");
}

TEST(CommandTask, TheEnvironmentIsWhatTheOperatorListsAndWhatTheTaskIs) {
    ::setenv("OWN_TEST_CANARY", "hush", 1);
    ::setenv("OWN_TEST_LISTED", "shown", 1);
    auto env = command({"/usr/bin/env"});
    env.environment = {"OWN_TEST_LISTED", "OWN_TEST_MISSING"};
    auto wanted = task(R"({"command":"it"})");
    wanted.node = "n";
    EXPECT_EQ(run(env, wanted).result.at("stdout"),
              Json("BELFRY_ATTEMPT=2\nBELFRY_IDEMPOTENCY_KEY=key-1\nBELFRY_NODE=n\nBELFRY_RUN_ID=run-1\nBELFRY_"
                   "SCHEDULE=report\n"
                   "BELFRY_SCHEDULED_AT=2026-06-01T10:00:00Z\nBELFRY_TENANT=default\nOWN_TEST_LISTED=shown\n"));
}

TEST(CommandTask, WhatIsPutInStaysOneArgumentAndMeetsNoShell) {
    const auto echo = command({"/usr/bin/printf", "[%s]", "${input/a}", "--to=${input/a}", "${input/n}",
                               "${input/list}", "${run.scheduledAt}", "$${x}"});
    auto wanted = task(R"({"command":"it","a":"a b; $(id) `id` ' \" * ${input/n}","n":2.5,"list":[1,"x"]})");
    wanted.node = "n";  // what looks like a reference in the input of a node came from outside
    const auto end = run(echo, wanted);
    EXPECT_EQ(end.result.at("stdout"),
              Json(R"([a b; $(id) `id` ' " * ${input/n}][--to=a b; $(id) `id` ' " * ${input/n}][2.5][[1,)"
                   R"("x"]][2026-06-01T10:00:00Z][${x}])"))
        << end.error;
}

TEST(CommandTask, AnInputCannotMakeAnOptionOfAnArgument) {
    const auto wanted = task(R"({"command":"it","a":"--checkpoint-action=exec=sh","minus":-5,"empty":""})");
    for (const char* argument : {"${input/a}", "${input/minus}", "${input/empty}${input/a}"}) {
        const auto end = run(command({"/bin/echo", argument}), wanted);
        EXPECT_EQ(end.status, ExecutionStatus::failed) << argument;
        EXPECT_EQ(end.category, FailureCategory::contract_violated);
        EXPECT_EQ(end.error, "/argv/1: the value for \"" + std::string(argument) +
                                 "\" starts with -, which would make it an option");
    }
    EXPECT_EQ(run(command({"/bin/echo", "-n", "--x=${input/a}", "x${input/a}"}), wanted).status,
              ExecutionStatus::succeeded)
        << "where the operator wrote the beginning it is what it is";
}

TEST(CommandTask, ArgumentsThatNoProgramCanGetAreRefused) {
    EXPECT_EQ(run(command({"/bin/echo", "a${input/a}"}), task(R"({"command":"it","a":"x\u0000y"})")).error,
              R"(/argv/1: the value for "a${input/a}" has a NUL character)");
    EXPECT_EQ(run(command({"/bin/echo", "${input/b}"})).category, FailureCategory::contract_violated)
        << "it leads nowhere";
    auto wanted = task(R"({"command":"it"})");
    wanted.input.as_object()["long"] = std::string(kArgumentMax + 1, 'x');
    EXPECT_EQ(run(command({"/bin/echo", "${input/long}"}), wanted).category, FailureCategory::contract_violated);
    wanted.input.as_object()["long"] = std::string(kArgumentMax, 'x');
    EXPECT_EQ(run(command({"/bin/true", "${input/long}"}), wanted).status, ExecutionStatus::succeeded);
    EXPECT_EQ(run(command({"/bin/true", "${input/long}", "${input/long}", "${input/long}", "${input/long}"}), wanted)
                  .category,
              FailureCategory::contract_violated)
        << "together they are too long";
}

TEST(CommandTask, ItIsAlwaysInTheSandbox) {
    const auto end = run(shell("grep NoNewPrivs /proc/self/status; ulimit -c; ulimit -t"));
    EXPECT_EQ(end.result.at("stdout"), Json("NoNewPrivs:\t1\n0\nunlimited\n"));
    auto limited = shell("ulimit -t; ulimit -n; while :; do :; done");
    limited.sandbox.cpu_time = Seconds{1};
    limited.sandbox.open_files = 50;
    const auto ended = run(limited);
    EXPECT_EQ(ended.result.at("stdout"), Json("1\n50\n"));
    EXPECT_EQ(ended.result.at("signal"), Json(SIGXCPU)) << ended.error;
}

// --- Who may
// ---------------------------------------------------------------------------------------------------------------

TEST(CommandTask, CommandsAreOffUntilAnOperatorRegistersThem) {
    const auto end = CommandTask({}).run(task(R"({"command":"it"})")).value();
    EXPECT_EQ(end.status, ExecutionStatus::failed);
    EXPECT_EQ(end.category, FailureCategory::contract_violated);
    EXPECT_EQ(end.error, "command tasks are switched off: an operator can register commands with commands_file");
}

TEST(CommandTask, ATenantRunsOnlyWhatIsRegisteredForIt) {
    const auto none = [](const std::string& name) {
        return "/command: there is no command \"" + name + "\"; an operator can register it in the commands_file";
    };
    auto theirs = shell("exit 0");
    theirs.tenants = {"acme"};
    EXPECT_EQ(run(theirs).error, none("it")) << "as if there were none";
    auto wanted = task(R"({"command":"it"})");
    wanted.tenant = "acme";
    EXPECT_EQ(run(theirs, wanted).status, ExecutionStatus::succeeded);
    EXPECT_EQ(run(shell("exit 0"), task(R"({"command":"other"})")).error, none("other"));
    EXPECT_EQ(run(shell("exit 0"), task(R"({"command":"/bin/sh"})")).category, FailureCategory::contract_violated);
    EXPECT_EQ(run(shell("exit 0"), task("7")).category, FailureCategory::contract_violated);
}

TEST(CommandTask, AnOperatorIsToldWhatIsWrongWithACommand) {
    const auto said = [](const Command& command) {
        const auto error = check_command(command);
        return error ? error->field + ": " + error->message : "";
    };
    EXPECT_EQ(said(command({"/bin/echo", "${input/a/0}", "x${run.id}"})), "");
    EXPECT_EQ(said(command({})), "/argv: must start with the absolute path of the program, such as /usr/bin/rsync");
    EXPECT_EQ(said(command({"echo"})),
              "/argv: must start with the absolute path of the program, such as /usr/bin/rsync");
    EXPECT_EQ(said(command({"/bin/${input/program}"})), "/argv/0: the program itself cannot contain a reference");
    EXPECT_EQ(said(command({"/bin/echo", "${nodes.a.output}"})),
              "/argv/1: ${nodes.a.output}: a command accepts only ${input/…} and ${run.…}");
    EXPECT_EQ(said(command({"/bin/echo", "${input"})).substr(0, 9), "/argv/1: ");
    auto inside = command({"/bin/echo"});
    inside.working_directory = "tmp";
    EXPECT_EQ(said(inside), "/working_directory: must be an absolute path");
}

}  // namespace
}  // namespace belfry::engine
