#include "base/process/process_sandbox.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/servers/processes.hpp"
#include "support/worlds/life_line.hpp"
#include "support/worlds/temp_folder.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry {
namespace {

using namespace std::chrono_literals;
using namespace test;

ProcessRequest sandboxed(ProcessRequest request, const ProcessSandbox& sandbox) {
    request.sandbox = sandbox;
    return request;
}

TEST(ProcessSandbox, SetsNoNewPrivilegesAndDumpsNoCore) {
    const auto status = run(sandboxed({.argv = {"/bin/cat", "/proc/self/status"}}, {})).output.text;
    EXPECT_EQ(line_of(status, "NoNewPrivs:"), "1");
    EXPECT_EQ(line_of(status, "Umask:"), "0077");
    const auto limits = run(sandboxed({.argv = {"/bin/cat", "/proc/self/limits"}}, {})).output.text;
    EXPECT_TRUE(line_of(limits, "Max core file size").starts_with("0 ")) << limits;
}

TEST(ProcessSandbox, SetsTheLimitsForGood) {
    const ProcessSandbox sandbox{.cpu_time = 5s,
                                 .memory_bytes = 1 << 30,
                                 .file_bytes = 1 << 20,
                                 .open_files = 50,
                                 .processes = 500,
                                 .mask = 0027};
    const auto limits = run(sandboxed({.argv = {"/bin/cat", "/proc/self/limits"}}, sandbox)).output.text;
    const auto row = [&](const char* name) {
        std::istringstream words(line_of(limits, name));
        std::string soft;
        std::string hard;
        words >> soft >> hard;
        return soft + " " + hard;
    };
    EXPECT_EQ(row("Max cpu time"), "5 6");
    EXPECT_EQ(row("Max address space"), "1073741824 1073741824");
    EXPECT_EQ(row("Max file size"), "1048576 1048576");
    EXPECT_EQ(row("Max open files"), "50 50");
    EXPECT_EQ(row("Max processes"), "500 500");
    EXPECT_EQ(run(sandboxed(shell("umask"), sandbox)).output.text, "0027\n");
}

TEST(ProcessSandbox, StopsAFileThatGrowsTooLarge) {
    const TempFolder folder;
    const auto file = folder.file("large");
    const auto result = run(
        sandboxed({.argv = {"/bin/dd", "if=/dev/zero", "of=" + file, "bs=64k", "count=64"}}, {.file_bytes = 1 << 20}));
    EXPECT_EQ(result.signal, SIGXFSZ);
    EXPECT_EQ(std::filesystem::file_size(file), std::size_t{1} << 20);
}

TEST(ProcessSandbox, RefusesMemoryBeyondTheLimit) {
    const ProcessRequest request{.argv = {"/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=256M", "count=1"}};
    EXPECT_EQ(run(request).exit_code, 0);
    const auto result = run(sandboxed(request, {.memory_bytes = 64 << 20}));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.text.find("memory exhausted"), std::string::npos) << result.errors.text;
}

TEST(ProcessSandbox, EndsAChildThatUsedUpItsProcessorTime) {
    const auto result = run(sandboxed(shell("while :; do :; done"), {.cpu_time = 1s}));
    EXPECT_EQ(result.signal, SIGXCPU);
    EXPECT_EQ(result.exit, ProcessResult::Exit::by_itself);
    EXPECT_GT(result.cpu_time, 500ms);
}

TEST(ProcessSandbox, RunsAsAnotherUserWithNothingOfOurs) {
    auto nobody = find_system_user("nobody");
    ASSERT_TRUE(nobody) << nobody.error().message;
    const auto request = sandboxed(shell("id -u; id -g; id -G; cat /proc/self/status"), {.run_as = *nobody});
    if (::geteuid() != 0) {
        EXPECT_EQ(refusal(request),
                  " cannot start /bin/sh: only root can start it as another user: Operation not permitted");
        return;
    }
    // A group that only we are in.
    std::vector<gid_t> ours(static_cast<std::size_t>(::getgroups(0, nullptr)));
    ASSERT_EQ(::getgroups(static_cast<int>(ours.size()), ours.data()), static_cast<int>(ours.size()));
    const gid_t another = 4242;
    ASSERT_EQ(::setgroups(1, &another), 0);
    const auto text = run(request).output.text;
    ASSERT_EQ(::setgroups(ours.size(), ours.data()), 0);
    const auto user = std::to_string(nobody->user);
    const auto group = std::to_string(nobody->group);
    EXPECT_TRUE(text.starts_with(user + "\n" + group + "\n" + group + "\n")) << text;
    EXPECT_EQ(line_of(text, "Uid:"), user + "\t" + user + "\t" + user + "\t" + user);
    EXPECT_EQ(line_of(text, "Gid:"), group + "\t" + group + "\t" + group + "\t" + group);
    EXPECT_EQ(line_of(text, "CapEff:"), "0000000000000000");
    // The folder is entered as that user.
    const TempFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    auto closed = request;
    closed.working_directory = folder.path();
    EXPECT_NE(refusal(closed).find("Permission denied"), std::string::npos);
}

TEST(ProcessSandbox, HoldsAnotherUserToItsNumberOfProcesses) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can start a child as another user";
    const auto many = shell("i=0; while [ $i -lt 60 ]; do sleep 600 & i=$((i + 1)); done; echo all");
    const ProcessSandbox sandbox{.processes = 30, .run_as = find_system_user("nobody").value()};
    const auto result = run(sandboxed(many, sandbox));
    EXPECT_EQ(result.output.text, "");
    EXPECT_NE(result.errors.text.find("fork"), std::string::npos) << result.errors.text;
}

// --- Nothing outlives it
// ---------------------------------------------------------------------------------------------------

// Two sleepers in a session of their own whose parents have ended.
constexpr auto kDaemons = "(setsid sh -c 'sleep 600 & sleep 600 & echo begun >&7') & wait; ";

class IsolatedProcess : public testing::TestWithParam<Isolation> {
protected:
    void SetUp() override {
        if (GetParam() != Isolation::subreaper && strongest_isolation() == Isolation::subreaper)
            GTEST_SKIP() << "this machine grants no namespaces";
        if (GetParam() == Isolation::namespaces && ::geteuid() != 0)
            GTEST_SKIP() << "only root has namespaces without a user namespace";
    }
    [[nodiscard]] ProcessRequest isolated(const std::string& script) const {
        return sandboxed(shell("exec 7>" + life.path() + "; " + script), {.isolation = GetParam()});
    }

    const TempFolder folder;
    const LifeLine life{folder.file("life")};
};

TEST_P(IsolatedProcess, EndsDescendantsThatLeftItsSession) {
    const auto result = run(isolated(std::string(kDaemons) + "echo done; exit 3"));
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.output.text, "done\n");
    EXPECT_TRUE(life.has_begun());
    EXPECT_TRUE(life.is_over());
}

TEST_P(IsolatedProcess, EndsThemWhenItsTimeIsUp) {
    auto request = isolated(std::string(kDaemons) + "trap '' TERM; while :; do sleep 1; done");
    request.timeout = 300ms;
    request.grace = 50ms;
    const auto result = run(request);
    EXPECT_EQ(result.exit, ProcessResult::Exit::timed_out);
    EXPECT_TRUE(result.signal.has_value());
    EXPECT_TRUE(life.has_begun());
    EXPECT_TRUE(life.is_over());
}

TEST_P(IsolatedProcess, IsAskedToEndFirst) {
    std::stop_source source;
    auto request = isolated("trap 'echo bye; exit 4' TERM; echo ready >&2; while :; do sleep 0.05; done");
    request.on_errors = [&](std::string_view) { source.request_stop(); };
    const auto result = run_process(request, source.get_token()).value();
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_EQ(result.output.text, "bye\n");
}

TEST_P(IsolatedProcess, EndsAStormOfDescendants) {
    const auto result =
        run(isolated("i=0; while [ $i -lt 40 ]; do (setsid sh -c 'sh -c \"sleep 600 & sleep 600\" & sleep 600' &); "
                     "i=$((i + 1)); done; echo x >&7"));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(life.has_begun());
    EXPECT_TRUE(life.is_over());
}

TEST_P(IsolatedProcess, CannotStopItsSupervisor) {
    auto request = isolated("kill -STOP $PPID; trap '' TERM; echo begun >&7; sleep 600 & sleep 600");
    request.timeout = 300ms;
    request.grace = 50ms;
    EXPECT_EQ(run(request).exit, ProcessResult::Exit::timed_out);
    EXPECT_TRUE(life.has_begun());
    EXPECT_TRUE(life.is_over());
}

TEST_P(IsolatedProcess, EndsWithItsDescendantsWhenWeDie) {
    const auto request = isolated(std::string(kDaemons) + "sleep 600");
    // In a process of its own, as it is to die.
    const pid_t runner = ::fork();
    ASSERT_GE(runner, 0);
    if (runner == 0) {
        static_cast<void>(run_process(request));
        ::_exit(0);
    }
    EXPECT_TRUE(life.has_begun());
    EXPECT_FALSE(life.is_over());
    ::kill(runner, SIGKILL);
    ::waitpid(runner, nullptr, 0);
    EXPECT_TRUE(within_a_minute([&] { return life.is_over(); }));
}

TEST_P(IsolatedProcess, HasNoDescriptorButItsStreams) {
    auto request = sandboxed(shell("ls /proc/self/fd; :"), {.isolation = GetParam()});
    EXPECT_EQ(run(request).output.text, "0\n1\n2\n3\n") << "3 is how ls reads them";
}

TEST_P(IsolatedProcess, TellsWhyItDidNotStart) {
    const auto request = sandboxed({.argv = {"/nonexistent"}}, {.isolation = GetParam()});
    EXPECT_EQ(refusal(request), " cannot start /nonexistent: No such file or directory");
}

TEST_P(IsolatedProcess, FindsHiddenFilesEmpty) {
    if (GetParam() == Isolation::subreaper) GTEST_SKIP() << "only with mounts of its own";
    std::ofstream(folder.file("secret.key")) << "hush";
    std::ofstream(folder.file("settings")) << "password";
    auto request = sandboxed(shell("cat settings secret.key; ls /proc | grep -c '^[0-9]'; cat /proc/" +
                                   std::to_string(::getpid()) + "/environ"),
                             {.isolation = GetParam(),
                              .hidden = {folder.file("secret.key"), folder.file("settings"), folder.file("missing")}});
    request.working_directory = folder.path();
    const auto result = run(request);
    EXPECT_EQ(result.output.text, "4\n") << "its supervisor, its shell, ls and grep";
    EXPECT_EQ(std::filesystem::file_size(folder.file("secret.key")), 4U) << "only there";
}

INSTANTIATE_TEST_SUITE_P(All, IsolatedProcess,
                         testing::Values(Isolation::namespaces, Isolation::user_namespace, Isolation::subreaper),
                         [](const auto& each) {
                             return each.param == Isolation::namespaces  ? "Namespaces"
                                    : each.param == Isolation::subreaper ? "Subreaper"
                                                                         : "UserNamespace";
                         });

}  // namespace
}  // namespace belfry
